"""Direct speech in the print of many languages, without a parser or settings."""

# ruff: noqa: RUF001

import pytest
import spacy
from spacy.tokens import Doc

from spacy_joint.quotation.writing import list_rows

from ..cases import cases
from .conftest import read_tree


def find(language, text, **config):
    nlp = spacy.blank(language)
    nlp.add_pipe("quotation_spans", config=config)
    doc = nlp(text)
    assert {span.label_ for span in doc.spans["quotations"]} <= {"DIRECT"}
    return [span.text for span in doc.spans["quotations"]]


@cases("""
text → spoken
# between marks
de „Wir gehen“, sagte Anna. → „Wir gehen“
de »Guten Morgen«, sagte Anna. → »Guten Morgen«
de «Wir gehen», sagte Anna. → «Wir gehen»
de ‚Wir gehen‘, sagte Anna. → ‚Wir gehen‘
de »›Nein‹ sagt man nicht«, rief Tom. → »›Nein‹ sagt man nicht«
fr « Nous partons », dit Anna. → « Nous partons »
fr «\u202fNous partons\u202f», dit Anna. → «\u202fNous partons\u202f»
fr «\u00a0Oui\u00a0», dit-elle. → «\u00a0Oui\u00a0»
fr « Lis “Le Pont”, dit-il », a dit Anna. → « Lis “Le Pont”, dit-il »
es «Vamos», dijo Ana. → «Vamos»
es “Vamos”, dijo Ana. → “Vamos”
it «Andiamo», disse Anna. → «Andiamo»
it «Andiamo» disse Anna. → «Andiamo»
nl “We gaan”, zei Anna. → “We gaan”
nl ‘We gaan’, zei Anna. → ‘We gaan’
nl 'We gaan', zei Anna. → 'We gaan'
pt “Vamos”, disse Ana. → “Vamos”
sv ”Vi går”, sa Anna. → ”Vi går”
sv »Vi går», sa Anna. → »Vi går»
da »Vi går«, sagde Anna. → »Vi går«
da ”Vi går”, sagde Anna. → ”Vi går”
ru «Мы идём», — сказала Анна. → «Мы идём»
ru «Прочти „Мост“ завтра», — сказала Анна. → «Прочти „Мост“ завтра»
pl „Idziemy”, powiedziała Anna. → „Idziemy”
zh “我们走吧。”安娜说。 → “我们走吧。”
zh 「我們走『橋』吧。」安娜說。 → 「我們走『橋』吧。」
# by verbs and punctuation
ar «سنذهب»، قالت آنا. → «سنذهب»
ar قالت آنا: «هل نذهب؟». → «هل نذهب؟».
ar قال الوزير: «لن نذهب غدا». → «لن نذهب غدا».
de Anna sagte: „Ja“. Dann ging sie. → „Ja“
el «Πάμε», είπε η Άννα. → «Πάμε»
fi ”Me menemme”, sanoi Anna. → ”Me menemme”
fr Anna dit : « Oui ». Elle partit. → « Oui »
hu „Megyünk” – mondta Anna. → „Megyünk”
nl 'We gaan,' zei Anna. 'Morgen komen we terug.' → 'We gaan,' | 'Morgen komen we terug.'
nl ‘Zo’n dag, ’s avonds, is ’t mooi,’ zei Anna. → ‘Zo’n dag, ’s avonds, is ’t mooi,’
tr "Gidiyoruz," dedi Anna. "Yarın döneceğiz." → "Gidiyoruz," | "Yarın döneceğiz."
tr Anna, “Gidiyoruz” dedi. → “Gidiyoruz”
zh 安娜说：“我们走吧。”她走了。 → “我们走吧。”
zh 安娜说“走吧”，然后离开了。 → “走吧”
fr « Il est tard, dit-elle, et Paul vous attend. » → Il est tard | et Paul vous attend.
fr « Je pars demain, annonça Paul. Il est temps. » → Je pars demain | Il est temps.
fr « Partons ! s'écria-t-il. » → Partons !
fr « Nous partons, il dit oui », a dit Anna. → « Nous partons, il dit oui »
de »Wir gehen«, sagte Anna. ¶ »Ich bleibe«, sagte Tom. → »Wir gehen« | »Ich bleibe«
en She said: »We are here.« Then she left. → »We are here.«
# paragraphs that start with a dash
es —Vamos —dijo Ana—. Mañana volveremos. → Vamos | Mañana volveremos.
es —¿Vamos? —preguntó Ana—. Sí. → ¿Vamos? | Sí.
fr — Nous partons, dit Anna. → Nous partons
fr — Il pleut, lui dit Anna. — Ah bon ? → Il pleut | Ah bon ?
it – Andiamo – disse Anna. – È tardi. → Andiamo | È tardi.
pt — Vamos! — gritou ele. — Já é tarde. → Vamos! | Já é tarde.
ru — Мы идём, — сказала Анна. — Завтра вернёмся. → Мы идём | Завтра вернёмся.
ru — Мы — это вы. → Мы — это вы.
pl – Idziemy – powiedziała Anna. → Idziemy
sv – Vi går, sa Anna.⏎– Ja. → Vi går | Ja.
da – Vi går, sagde Anna. → Vi går
fi – Me menemme, Anna sanoi. – Huomenna palaamme. → Me menemme | Huomenna palaamme.
fi – Me menemme, hän sanoi. → Me menemme
hu – Megyünk – mondta Anna. – Holnap visszajövünk. → Megyünk | Holnap visszajövünk.
tr – Gidiyoruz, dedi Anna. → Gidiyoruz
el — Πάμε, είπε η Άννα.⏎— Πάμε; ρώτησε ο Νίκος.⏎— Ναι. → Πάμε | Πάμε; | Ναι.
fr — Monsieur, dit-il, monsieur qui êtes là, venez. → Monsieur | monsieur qui êtes là, venez.
fr — Ah ! s'écria-t-elle, vous voilà donc. → Ah ! | vous voilà donc.
fr — Nous partons, dit Anna, qui sortait. → Nous partons
fr — Il pleut, dit Anna. Elle sortit. Tu viens ? → Il pleut | Tu viens ?
fr — Si ! — nous partons, fit Anna. → Si ! — nous partons
fr « C'est vous ? dit-elle. ¶ — Oui. Entrez », ajouta-t-il. → C'est vous ? | Oui. Entrez
# names, scare quotes, lists and apostrophes are not speech
de Die Zeitung „Die Welt“ kam. →
de Er nannte sie „die Besten“, und das war alles. →
fr Le journal « Le Monde » est là. →
fr – des pommes⏎– des poires →
es La novela «Cien años de soledad» es larga. →
it La rivista «Il Mondo» è qui. →
nl In de jaren '90 waren foto's en auto's, net als video's, duur. →
zh 所谓“专家”来了。 →
en — This is a list.⏎— This is its second item. →
""")
def test_speech_is_found_in_the_print_of_the_language(text, spoken):
    assert find(*text.split(" ", 1)) == spoken


@pytest.mark.parametrize(
    ("words", "quoted"),
    [
        ("「 行き ます 」 と アンナ は 言っ た 。", "「行きます」"),
        ("アンナ は 「 『 星 』 を 読み まし た 」 と 言っ た 。", "「『星』を読みました」"),
        ("「 自由 」 と いう 言葉 が あり ます 。", None),
    ],
)
def test_japanese_speech_is_found_by_its_particle(words, quoted):
    nlp = spacy.blank("xx")
    nlp.add_pipe("quotation_spans")
    tokens = words.split()
    doc = nlp(Doc(nlp.vocab, words=tokens, spaces=[False] * len(tokens)))
    assert [span.text for span in doc.spans["quotations"]] == ([quoted] if quoted else [])


def test_a_setting_overrules_the_language_and_the_document():
    assert find("de", "»Wir gehen«, sagte Anna.", guillemets_inward=False) == []
    assert find("nl", "‘We gaan’, zei Anna.", single_quotes=False) == []
    assert find("en", "‘We are here,’ he said.", single_quotes=True) == ["‘We are here,’"]


@cases("""
text → expected
de „Wir gehen“, sagte Anna Lee. → sagte | Anna Lee
# cues are not those of the sentence before
de Anna seufzte. „In der Küche, wie immer“, antwortete sie. → antwortete | *
pt “Ninguém veio ontem”, lamentou Ana. → lamentou | *
pt — Espera — pediu a Ana. → pediu | *
fr Paul se leva et répondit : ¶ — Nous partons. → répondit | *
fr « Nous partons demain », a déclaré le ministre Jean Dupont. → * | le ministre Jean Dupont
fr « Nous partons demain », a-t-il déclaré à Paris. → * | -
hu „Megyünk” – mondta Anna. → * | Anna
""")
def test_cues_are_the_verbs_of_the_language_and_without_a_parser_speakers_the_names_after_them(text, expected):
    language, text = text.split(" ", 1)
    nlp = spacy.blank(language)
    nlp.add_pipe("quotation_spans")
    (quotation,) = nlp(text)._.quotations
    assert [span and span.text for span in (quotation.cue, quotation.speaker)] == expected


@cases("""
text → expected
fr M./NOUN/6/nsubj Roy/PROPN/0/nmod ,/PUNCT/3/punct maire/NOUN/0/appos ,/PUNCT/3/punct a/AUX/6/aux dit/VERB/6/ROOT
:/PUNCT/9/punct «/PUNCT/9/punct Oui/INTJ/6/obj ./PUNCT/6/punct »/PUNCT/9/punct → M. Roy
# parsers mistake speakers for objects, tags of verbs are wrong, and pronouns can have hyphens
fr «/PUNCT/1/punct Oui/INTJ/5/nsubj »/PUNCT/1/punct ,/PUNCT/5/punct a/AUX/5/aux dit/VERB/5/ROOT le/DET/7/det
roi/NOUN/5/obj de/ADP/9/case France/PROPN/7/nmod ,/PUNCT/11/punct ravi/ADJ/7/acl → le roi de France
fr «/PUNCT/1/punct Oui/INTJ/6/obj !/PUNCT/1/punct »/PUNCT/1/punct a/AUX/6/aux -t-il/PRON/6/obj dit/VERB/6/ROOT
./PUNCT/6/punct → il
fr «/PUNCT/1/punct Oui/INTJ/5/nsubj »/PUNCT/1/punct ,/PUNCT/5/punct a/AUX/5/aux dit/VERB/5/ROOT mardi/NOUN/5/obl
le/DET/8/det roi/NOUN/5/obj ./PUNCT/5/punct → le roi
fr —/PUNCT/1/punct Oui/INTJ/1/ROOT ?/PUNCT/3/punct demanda/VERB/1/ccomp Anna/ADJ/3/xcomp ./PUNCT/1/punct → Anna
fr «/PUNCT/1/punct Viens/VERB/1/ROOT »/PUNCT/1/punct ,/PUNCT/4/punct dit/VERB/1/conj Anna/ADJ/4/xcomp → Anna
fr «/PUNCT/1/punct Oui/INTJ/4/obj »/PUNCT/1/punct ,/PUNCT/1/punct assure/NOUN/4/ROOT -elle/PRON/4/nsubj → elle
pt «/PUNCT/1/punct Vai/VERB/1/ROOT »/PUNCT/1/punct ,/PUNCT/4/punct disse-lhe/VERB/1/conj Ana/PROPN/4/obj → Ana
pt Segundo/ADP/1/case Ana/PROPN/5/obl ,/PUNCT/1/punct «/PUNCT/5/punct ele/PRON/5/nsubj vai/VERB/5/ROOT
já/ADV/5/advmod embora/ADV/5/advmod »/PUNCT/5/punct ./PUNCT/5/punct → Ana
""")
def test_the_speaker_is_found_in_a_tree(text, expected):
    language, tagged = text.split(" ", 1)
    nlp = spacy.blank(language)
    doc = nlp.add_pipe("quotation_spans")(read_tree(nlp.vocab, tagged))
    (row,) = list_rows("", doc, doc._.quotations)
    assert [row["type"], row["speaker"]] == ["direct", *expected]
