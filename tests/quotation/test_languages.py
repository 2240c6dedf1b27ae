"""Direct speech in the print of many languages, without a parser or settings."""

# ruff: noqa: RUF001

import pytest
import spacy
from spacy.tokens import Doc

from spacy_joint.quotation.writing import list_rows

from .conftest import read_tree


def find(language, text, **config):
    nlp = spacy.blank(language)
    nlp.add_pipe("quotation_spans", config=config)
    doc = nlp(text)
    assert {span.label_ for span in doc.spans["quotations"]} <= {"DIRECT"}
    return [span.text for span in doc.spans["quotations"]]


@pytest.mark.parametrize(
    ("language", "quoted", "rest"),
    [
        ("de", "„Wir gehen“", ", sagte Anna."),
        ("de", "»Guten Morgen«", ", sagte Anna."),
        ("de", "«Wir gehen»", ", sagte Anna."),
        ("de", "‚Wir gehen‘", ", sagte Anna."),
        ("de", "»›Nein‹ sagt man nicht«", ", rief Tom."),
        ("fr", "« Nous partons »", ", dit Anna."),
        ("fr", "«\u202fNous partons\u202f»", ", dit Anna."),
        ("fr", "«\u00a0Oui\u00a0»", ", dit-elle."),
        ("fr", "« Lis “Le Pont”, dit-il »", ", a dit Anna."),
        ("es", "«Vamos»", ", dijo Ana."),
        ("es", "“Vamos”", ", dijo Ana."),
        ("it", "«Andiamo»", ", disse Anna."),
        ("it", "«Andiamo»", " disse Anna."),
        ("nl", "“We gaan”", ", zei Anna."),
        ("nl", "‘We gaan’", ", zei Anna."),
        ("nl", "'We gaan'", ", zei Anna."),
        ("pt", "“Vamos”", ", disse Ana."),
        ("sv", "”Vi går”", ", sa Anna."),
        ("sv", "»Vi går»", ", sa Anna."),
        ("da", "»Vi går«", ", sagde Anna."),
        ("da", "”Vi går”", ", sagde Anna."),
        ("ru", "«Мы идём»", ", — сказала Анна."),
        ("ru", "«Прочти „Мост“ завтра»", ", — сказала Анна."),
        ("pl", "„Idziemy”", ", powiedziała Anna."),
        # There is no list of Finnish verbs.
        ("fi", "”Me lähdemme”", ", sanoi Anna."),
        ("zh", "“我们走吧。”", "安娜说。"),
        ("zh", "「我們走『橋』吧。」", "安娜說。"),
    ],
)
def test_speech_between_the_marks_of_a_language_is_found(language, quoted, rest):
    assert find(language, quoted + rest) == [quoted]


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


@pytest.mark.parametrize(
    ("language", "text", "spoken"),
    [
        ("es", "—Vamos —dijo Ana—. Mañana volveremos.", ["Vamos", "Mañana volveremos."]),
        ("es", "—¿Vamos? —preguntó Ana—. Sí.", ["¿Vamos?", "Sí."]),
        ("fr", "— Nous partons, dit Anna.", ["Nous partons"]),
        ("fr", "— Il pleut, lui dit Anna. — Ah bon ?", ["Il pleut", "Ah bon ?"]),
        ("it", "– Andiamo – disse Anna. – È tardi.", ["Andiamo", "È tardi."]),
        ("pt", "— Vamos! — gritou ele. — Já é tarde.", ["Vamos!", "Já é tarde."]),
        ("ru", "— Мы идём, — сказала Анна. — Завтра вернёмся.", ["Мы идём", "Завтра вернёмся."]),
        ("ru", "— Мы — это вы.", ["Мы — это вы."]),
        ("pl", "– Idziemy – powiedziała Anna.", ["Idziemy"]),
        ("sv", "– Vi går, sa Anna.\n– Ja.", ["Vi går", "Ja."]),
        ("da", "– Vi går, sagde Anna.", ["Vi går"]),
        ("fi", "– Me menemme, Anna sanoi. – Huomenna palaamme.", ["Me menemme", "Huomenna palaamme."]),
        ("fi", "– Me menemme, hän sanoi.", ["Me menemme"]),
        ("hu", "– Megyünk – mondta Anna. – Holnap visszajövünk.", ["Megyünk", "Holnap visszajövünk."]),
        ("tr", "– Gidiyoruz, dedi Anna.", ["Gidiyoruz"]),
        ("el", "— Πάμε, είπε η Άννα.\n— Πάμε; ρώτησε ο Νίκος.\n— Ναι.", ["Πάμε", "Πάμε;", "Ναι."]),
        ("fr", "— Monsieur, dit-il, monsieur qui êtes là, venez.", ["Monsieur", "monsieur qui êtes là, venez."]),
        ("fr", "— Ah ! s'écria-t-elle, vous voilà donc.", ["Ah !", "vous voilà donc."]),
        ("fr", "— Nous partons, dit Anna, qui sortait.", ["Nous partons"]),
        ("fr", "— Il pleut, dit Anna. Elle sortit. Tu viens ?", ["Il pleut", "Tu viens ?"]),
        ("fr", "— Si ! — nous partons, fit Anna.", ["Si ! — nous partons"]),
        (
            "fr",
            "Elle lisait. « Est-ce vous ? dit-elle.\n\n— C'est moi.\n\n— Et Paul ? Entrez », ajouta-t-il enfin.",
            ["Est-ce vous ?", "C'est moi.", "Et Paul ? Entrez"],
        ),
    ],
)
def test_paragraphs_that_start_with_a_dash_are_speech(language, text, spoken):
    assert find(language, text) == spoken


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Die Zeitung „Die Welt“ kam."),
        ("de", "Er nannte sie „die Besten“, und das war alles."),
        ("fr", "Le journal « Le Monde » est là."),
        ("fr", "– des pommes\n– des poires"),
        ("es", "La novela «Cien años de soledad» es larga."),
        ("it", "La rivista «Il Mondo» è qui."),
        ("nl", "In de jaren '90 waren foto's en auto's, net als video's, duur."),
        ("zh", "所谓“专家”来了。"),
        ("en", "— This is a list.\n— This is its second item."),
    ],
)
def test_names_scare_quotes_lists_and_apostrophes_are_not_speech(language, text):
    assert find(language, text) == []


def test_a_setting_overrules_the_language_and_the_document():
    assert find("de", "»Wir gehen«, sagte Anna.", guillemets_inward=False) == []
    assert find("nl", "‘We gaan’, zei Anna.", single_quotes=False) == []
    assert find("en", "‘We are here,’ he said.", single_quotes=True) == ["‘We are here,’"]


@pytest.mark.parametrize("setting", ["single_quotes", "guillemets_inward", "dialogue_dashes"])
def test_a_style_is_on_off_or_automatic(setting):
    with pytest.raises(ValueError, match="J040"):
        spacy.blank("en").add_pipe("quotation_spans", config={setting: "sometimes"})


@pytest.mark.parametrize(
    ("language", "text", "cue"),
    [
        ("de", "„Wir gehen“, sagte Anna.", "sagte"),
        # Not of the sentence before.
        ("de", "Anna seufzte. „In der Küche, wie immer“, antwortete sie.", "antwortete"),
        ("pt", "“Ninguém veio ontem”, lamentou Ana.", "lamentou"),
        ("pt", "— Espera — pediu a Ana.", "pediu"),
        ("fr", "Paul se leva et répondit :\n\n— Nous partons.", "répondit"),
    ],
)
def test_cues_are_the_verbs_of_the_language(language, text, cue):
    nlp = spacy.blank(language)
    nlp.add_pipe("quotation_spans")
    (quotation,) = nlp(text)._.quotations
    assert quotation.cue.text == cue


@pytest.mark.parametrize(
    ("language", "text", "quoted"),
    [
        # By the verbs and the punctuation of the language.
        ("ar", "«سنذهب»، قالت آنا.", ["«سنذهب»"]),
        ("ar", "قالت آنا: «هل نذهب؟».", ["«هل نذهب؟»."]),
        ("ar", "قال الوزير: «لن نذهب غدا».", ["«لن نذهب غدا»."]),
        ("de", "Anna sagte: „Ja“. Dann ging sie.", ["„Ja“"]),
        ("el", "«Πάμε», είπε η Άννα.", ["«Πάμε»"]),
        ("fi", "”Me menemme”, sanoi Anna.", ["”Me menemme”"]),
        ("fr", "Anna dit : « Oui ». Elle partit.", ["« Oui »"]),
        ("hu", "„Megyünk” – mondta Anna.", ["„Megyünk”"]),
        ("nl", "'We gaan,' zei Anna. 'Morgen komen we terug.'", ["'We gaan,'", "'Morgen komen we terug.'"]),
        ("nl", "‘Zo’n dag, ’s avonds, is ’t mooi,’ zei Anna.", ["‘Zo’n dag, ’s avonds, is ’t mooi,’"]),
        ("tr", '"Gidiyoruz," dedi Anna. "Yarın döneceğiz."', ['"Gidiyoruz,"', '"Yarın döneceğiz."']),
        ("tr", "Anna, “Gidiyoruz” dedi.", ["“Gidiyoruz”"]),
        ("zh", "安娜说：“我们走吧。”她走了。", ["“我们走吧。”"]),
        ("zh", "安娜说“走吧”，然后离开了。", ["“走吧”"]),
        # French speech may contain narration.
        (
            "fr",
            "« Vous êtes en retard, dit-elle, et Paul vous attend. »",
            ["Vous êtes en retard", "et Paul vous attend."],
        ),
        ("fr", "« Je pars demain, annonça Paul. Il est temps. »", ["Je pars demain", "Il est temps."]),
        ("fr", "« Partons ! s'écria-t-il. »", ["Partons !"]),
        ("fr", "« Nous partons, il dit oui », a dit Anna.", ["« Nous partons, il dit oui »"]),
        # In most paragraphs of a document, guillemets point inward.
        (
            "de",
            "»Wir gehen«, sagte Anna. Er nickte.\n\n»Ich bleibe«, sagte Tom.",
            ["»Wir gehen«", "»Ich bleibe«"],
        ),
        ("en", "She said: »We are here.« Then she left.", ["»We are here.«"]),
    ],
)
def test_speech_is_found_in_the_print_of_the_language(language, text, quoted):
    assert find(language, text) == quoted


@pytest.mark.parametrize(
    ("language", "text", "speaker"),
    [
        ("fr", "« Nous partons demain », a déclaré le ministre Jean Dupont.", "le ministre Jean Dupont"),
        ("de", "„Wir gehen“, sagte Anna Lee.", "Anna Lee"),
        ("hu", "„Megyünk” – mondta Anna.", "Anna"),
        ("fr", "« Nous partons demain », a-t-il déclaré à Paris.", None),
    ],
)
def test_without_a_parser_the_names_after_the_verb_are_the_speaker(language, text, speaker):
    nlp = spacy.blank(language)
    nlp.add_pipe("quotation_spans")
    (quotation,) = nlp(text)._.quotations
    assert (quotation.speaker and quotation.speaker.text) == speaker


@pytest.mark.parametrize(
    ("language", "tagged", "speaker"),
    [
        (
            "fr",
            "M./NOUN/6/nsubj Roy/PROPN/0/nmod ,/PUNCT/3/punct maire/NOUN/0/appos ,/PUNCT/3/punct a/AUX/6/aux "
            "dit/VERB/6/ROOT :/PUNCT/9/punct «/PUNCT/9/punct Oui/INTJ/6/obj ./PUNCT/6/punct »/PUNCT/9/punct",
            "M. Roy",
        ),
        # Parsers mistake speakers for objects, tags of verbs are wrong, and pronouns can have hyphens.
        (
            "fr",
            "«/PUNCT/1/punct Oui/INTJ/5/nsubj »/PUNCT/1/punct ,/PUNCT/5/punct a/AUX/5/aux dit/VERB/5/ROOT "
            "le/DET/7/det roi/NOUN/5/obj de/ADP/9/case France/PROPN/7/nmod ,/PUNCT/11/punct ravi/ADJ/7/acl",
            "le roi de France",
        ),
        (
            "fr",
            "«/PUNCT/1/punct Oui/INTJ/6/obj !/PUNCT/1/punct »/PUNCT/1/punct a/AUX/6/aux -t-il/PRON/6/obj "
            "dit/VERB/6/ROOT ./PUNCT/6/punct",
            "il",
        ),
        (
            "fr",
            "«/PUNCT/1/punct Oui/INTJ/5/nsubj »/PUNCT/1/punct ,/PUNCT/5/punct a/AUX/5/aux dit/VERB/5/ROOT "
            "mardi/NOUN/5/obl le/DET/8/det roi/NOUN/5/obj ./PUNCT/5/punct",
            "le roi",
        ),
        (
            "fr",
            "—/PUNCT/1/punct Oui/INTJ/1/ROOT ?/PUNCT/3/punct demanda/VERB/1/ccomp Anna/ADJ/3/xcomp ./PUNCT/1/punct",
            "Anna",
        ),
        (
            "fr",
            "«/PUNCT/1/punct Viens/VERB/1/ROOT »/PUNCT/1/punct ,/PUNCT/4/punct dit/VERB/1/conj Anna/ADJ/4/xcomp",
            "Anna",
        ),
        (
            "fr",
            "«/PUNCT/1/punct Oui/INTJ/4/obj »/PUNCT/1/punct ,/PUNCT/1/punct assure/NOUN/4/ROOT -elle/PRON/4/nsubj",
            "elle",
        ),
        (
            "pt",
            "«/PUNCT/1/punct Vai/VERB/1/ROOT »/PUNCT/1/punct ,/PUNCT/4/punct disse-lhe/VERB/1/conj Ana/PROPN/4/obj",
            "Ana",
        ),
        (
            "pt",
            "Segundo/ADP/1/case Ana/PROPN/5/obl ,/PUNCT/1/punct «/PUNCT/5/punct ele/PRON/5/nsubj vai/VERB/5/ROOT "
            "já/ADV/5/advmod embora/ADV/5/advmod »/PUNCT/5/punct ./PUNCT/5/punct",
            "Ana",
        ),
    ],
)
def test_the_speaker_is_found_in_a_tree(language, tagged, speaker):
    nlp = spacy.blank(language)
    doc = nlp.add_pipe("quotation_spans")(read_tree(nlp.vocab, tagged))
    (row,) = list_rows("", doc, doc._.quotations)
    assert row["type"] == "direct" and row["speaker"] == speaker
