"""Layout: what begins a sentence for certain, and what cannot. In texts, `|` stands where a sentence must start, and
`^` where none can start after a space."""

import re
import time

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_joint.parsing import layout
from spacy_joint.parsing.layout import count_open_words, find_layout
from spacy_joint.parsing.mark_constraints import AHEAD
from spacy_joint.pipes.abbreviations import read_abbreviations
from spacy_joint.pipes.token_columns import MIN_LOWER_CASE
from spacy_joint.tokenization.exceptions import add_exceptions
from spacy_joint.tokenization.ud_english import create_ud_english_tokenizer

NLP = spacy.blank("en")
NLP.tokenizer = create_ud_english_tokenizer()(NLP)
MIXED = """We went home with Nora Dale, who had seen it all before. "Why?" the old clerk of the town asked. "So?" Mayor
Ann I. Orr asked. She took 12 So. 98 and 9 Elm St. and said: 1) go home, 2) eat, and b) sleep. 'So!' the mayor of Ely
cried. - It is 5 a.m. The Acme Inc. The firm... I left. See eqn. (2), art. 5 and the state of the art. It cost = 5 (or =
6) all in all. I. M. Orr was at no. 5. It was so late...
- Late And So It Is for All
1. To be: "so"
"""
WRAPPED = "The ship that had left the harbour before dawn came back with the"


def mark(doc):
    """The text with the marks."""
    constraints = find_layout(doc)
    marks = {1: "|", -1: "^", 0: ""}
    after_space = [not token.i or token.nbor(-1).whitespace_ or token.nbor(-1).is_space for token in doc]
    return "".join(
        (marks[start] if is_after_space else "") + token.text_with_ws
        for token, start, is_after_space in zip(doc, constraints.tolist(), after_space, strict=True)
    )


@pytest.mark.parametrize(
    "marked",
    [
        '"I never saw it," ^Mary said. "She did."',
        '"Why?" ^Mary asked. "We left." She said no more. "So!" The end was near. “So?” ^The clerk asked.',
        '"So?" His answer pleased them. "Who?" No answer came. "When?" This reply hurt. "Why?" ^No man asked.',
        "“Where is it?” ^asked the clerk.",
        "It opens at 9 ^a.m. ^on Sundays. It closes at 5 ^p.m. On Mondays,\n^not.",
        "Bring eggs, ^milk ^etc. ^and come.",
        "It is 5 in. ^wide, 3 yd. ^long. See ^Eqn. ^2, ^ibid. ^and ^Mlle. ^Roy. Come in. |It is.",
        "The ^hon. ^Member for Ely asked ^Cllr. ^Wu.",
        "Lt. ^Col. ^A. ^B. ^Carter and ^Dr. ^Wu read ^Vol. ^2 of ^J. ^R. ^R. ^Tolkien. Sam ^Hill ^Jr. ^came.",
        "J.-P. ^Orr came to 12 ^N. ^Main on ^Weds. ^9 May. It was ^Jan. Nora left.",
        "we took a bus to The Hague at nine |The ^one ^for Max ^left ^late ^so ^we ^sat |She ^was ^on ^it ^when I ^ran",
        "we took the bus to The Hague and so did Nora Dale who was late",
        "WE SAW MRS. ^DALY AND PROF. ^WU. THE STATE OF THE ART. NORA CAME.",
        "See art. ^5, ^ch. ^XII and tab. ^S1 of that art. Tel.: ^555. Done: ^5. Cf. ^Ps. ^9:1, ^Rom. ^1:2.",
        "See ^Eq. ^(1) ^and ^Sec. ^[2.1]. Ways: ^(1) ^bus. Ways: ^1. ^Go by bus. 2. Go by car. Acme ^Inc. (It grew.)",
        "It was plan ^B. |Then the ^U. ^S. They live on ^High ^St. Mr. ^Wu takes 5 mg. ^b.i.d. ^for it.",
        "If it rains, ^**stay** ^here. We saw Ben, ^[of course] ^and Nora.",
        "She waited . ^. ^. ^and waited.",
        "She joined ^Acme ^Inc. |The firm left ^N.Y. |“We had to,” ^they said. It let No. One be. U.S. To Buy Tea.",
        "So\n\n|P.S. ^Please write at 5 ^p.m.\nWe close. See ^README.Now and go.",
        "In ^Doe ^v. ^Acme ^Ins. ^Co. ^v. ^Roe, 12 ^So. ^98, ^Cal. ^31 ^Ala. 5 and 31 ^Am. ^Jur. ^7. 9 Cats. 5 ran.",
        "See ^Doc. ^Vol. ^4 and Am. ^Compl. ^§ ^7. We saw Bob. No. It took 12 ^s. |No one is.",
        "See ref. ^9, ^pl. ^4 and rm. ^2. Then x ^∈ ^S. “So?” You know.",
        "See the ^Code ^Ann. ^§ ^5 ^& ^6 and Fed. ^R. ^Civ. ^P. ^7. We met Ann. R. Hill left.",
        'See\n<a ^class="b ^c" ^title="Yes. ^No">this</a>. Is a <b and c="d">e? <f ^g=\'h ^i',
        "Tickets cost ^£5 or ^$ 6 each. $9 is too much. $8\n$7 ^€6",
        "He taught (He was young.) ^at a school.",
        "Ingredients\n\n|Flour\n|Sugar\n \n|Mix.",
        "|- ^Buy ^milk\n|- ^Call ^mom\nor dad",
        "You need:\n|* ^a ^hammer\n|* ^nails",
        "|1. ^Open ^it.\n|2. ^Close ^it.",
        "|3:16 ^They ^went.\n|3:17 ^And ^they ^came.",
        "|1.) ^The ^first ^item |2.) ^The ^second ^item\n|3.) ^A ^third",
        "|a. ^The ^first ^item |b. ^The ^second ^item ^d. The ^third",
        "|• ^9. ^The ^first ^item |• ^10. ^the ^second ^item",
        "|Q: ^Is it open? |A: ^Yes. |Q: ^Why?",
        "|Q. ^Is ^it ^open? |A. ^Yes. |Q. ^Why?",
        "Look ^😂 here ^:-) at: ^www.a.com at 👉 me\n😂 yes",
        "|2025-06-24 ^14:36:25 ^startup ^archives\n|Jun ^24 ^14:36:25 ^sshd: ^it ^runs",
        "|[14:36] ^anna: ^hello\n|<ben> ^hi",
        "|14:36 ^<anna> ^hello\n|14:37 ^* ^ben waves\n|1/ ^So.\n|2/ ^It ^is.",
        "|12/10/2025, ^18:41 ^- ^Mum: ^So?\n|[12.10.25, ^18:41:02] ^Jo ^Orr: ^No.\n|[00:09] ^Ms. ^Lee: ^Yes.",
        "|anna  ^9:02 ^AM\n|hello\n|ben ^— ^Today ^at ^9:03 ^PM\n|hi\nwe met at 9:02 AM\nthere",
        '|10.0.0.9 ^- ^- ^[14/Oct/2025:09:12:13 ^+0000] ^"GET ^/a ^HTTP/1.1"\n|a.b.IoException: ^No ^reply. Bye',
        "|<p>It is.</p>\n|<ul>\n|<li>Eggs</li>\n|of it",
        "|Name\t^Age\n|Bob\t^3 ^years\n|They ^grow.\tIt ^is ^so.",
        "|On ^Mon, ^May ^4, ^2015 ^Lee ^<a@b.c> ^wrote:\n|> ^Hi ^Sam,\n|> ^no",
        "|→ ^File ^→ ^Save\n|✅ ^fast |✅ ^easy\n|§ ^12. ^A ^tenant ^pays.\n|Q. ^Why?",
        "|** ^Known ^bugs\n|Run:\n|$ ^ls ^here\n",
        "|Speaker ^1: ^So?\n|THE ^CHAIR, ^LEE: ^No.\n|[1] ^Orr, ^K.\n|12/05/2020 ^Paid",
        '“Run!” ^he or "he," ^Tom shouted to ‘us’\nboth. “No.” He “ran” ^away.\n\n|he',
        "“Why?” ^Ann asked. “Why?” Nobody asked. “So?” Ann thinks it fell. “So?” Ann said nothing.",
        "OPTIONS\n       |-a, ^--all\n\t  show it\n\n       |--color a",
        "|(a) ^left\n|(b) ^right\n|iv) ^none\n|(C) ^both",
        "|- ^[ ^] ^milk\n|[x] ^eggs",
        "|— ^Tu ^viens ^? ^dit ^Paul.\n|— ^Non ^! ^— ^dit-elle. Il ^fait ^froid.\n|— ^Si ^! Viens.",
        "« ^Oui. ^» Il part. « ^Oui ^! ^», ^dit-elle. »Nein«, ^sagt er. Tél. ^: ^01",
        "|> ^Ann wrote:\n|> ^> ^It is a\n> ^> ^lie\n|> ^No.",
        "|== ^Known ^bugs ^==\n|It fails.\n|Re: ^New ^bugs\n|Sure.",
        "|## ^Known ^bugs\n|It fails.\n|## ^2. ^New ^bugs\n|It works.",
        "|About ^us ^......... ^5\n|Books ^........ ^$9.50\n|Books ^. ^. ^. ^. ^. ^6-8\n|It begins... ^in 5\ndays.",
        "|> ^Hi ^Sam,\n^>\n|> ^It is\n> ^so\n^>\n|>> ^No. Is\n>> ^it?",
        "Lee wrote:\n|> ^Can we move\n> ^the call?\n|Sure.",
        "|Q: ^What is it?\n|A: ^A thing.",
        "|Anna: ^Did you call?\n|Ben ^Low ^(by ^phone): ^Not yet.",
        "|From: ^Anna\n|Subject: ^Lunch\n  today\n\n|Pizza?",
        "Good ^morning ^Dr. ^Lee, ^we go.\nThanks, ^all, ^I am late. OK Tom\nHi ^Tom. Anna, Ben",
        "OSLO, ^Jan. ^4 ^(AP) ^— ^The mayor left.\nNEW ^YORK ^- ^It rains.",
        "OSLO ^(AP) ^— ^It rains.",
        "OSLO, ^3 ^mars ^(AFP) ^- ^Il pleut.\nFARO, ^3 ^de ^maio ^– ^Chove.\nELY, ^Ohio, ^May ^9, ^2025 ^– ^It rains.",
        "|Anna: ^(laughs) ^No.\n|Lee ^(Ely) ^(at ^2 ^p.m.): ^Yes.\n|P.P.S. ^It rains. Look ^✈ here",
        "|1 ^1/2 ^cups oats\n|2 ^cups milk\n\n|† ^See ^it. It ^rains.",
        "His hands are brown, ^his hair is white,\n^He counts.\n|Hi ^all ^of ^you,\n|We are.",
        "We look forward to hearing from you all,\nNora ^Hill",
        "|Dear ^Ms. ^Lee,\n|thank you.\n|Best ^regards,\n|Sam",
        "|Bom ^dia ^a ^todos,\n|a sala mudou.\n|Com ^muitos ^cumprimentos,\n|Léa",
        "|De\u00a0^: ^Anne\n|Objet ^: ^midi\n|Pizza ^?",
        "Bonjour ^à ^tous, ^la salle a changé.\nSalut ^Élodie, ^viens.",
        "Title\n|=====\n|It begins.\n|--\n|Sam",
        "Intro\n|1.1 ^Early ^life\n|He was born.\n|1.2 ^He ^left.\n1.3 of it.",
        "IN SHORT\n|It works.\nHOW TO RUN IT\n|Run it.\nÉTÉ À\n|La ^Rochelle.",
        "About us\n|We build maps of every town in the north, ^and of the sea between them.",
        "Works\n|Low ^Tide\n|A play in three acts\nNora ^Dale\nHe came.\nYou and the\nSea",
        "|1. ^Planning\n|The clerk left.\n|2. ^He ^told ^Nora,\nHill and Dale.\n|- ^Eggs\n|Mix them.",
        "THE END\nof it. IT\nIS SO\n\n|A NOTE\nTO ALL READERS\n\n|NAME\n    |ls",
        "See ^Civ. ^P. ^4 and the ^Asst. ^Manager: ^approx. ^$ 9, ^Jos. ^A. ^Ray.",
        "IN SHORT\r\n|It works.\r\n\r\n|Net   ^9   ^8\r\n|So.",
        "Dough\n|200 ^g oats\n|50g ^butter",
        "Dough\n|2 ^cups flour\n|½ ^tsp salt\n|3 ^large eggs\n|Mix them.",
        '|Traceback ^(most ^recent ^call):\n  |File ^"a.py", ^line ^1\n    |run()\n|ValueError: ^no',
        "|Caused ^by: ^no ^reply\n\t|at ^a.b(C.java:4)\n\t|... ^2 ^more",
        "|Copyright ^(C) ^2019, ^2020 ^Lee ^Orr.\n|Copyright: ^2018 ^Lee\nSo.",
        "|1/2 ^So ^we ^went.\n|2/2 ^Yes!\n1/2 cup of art. ^(no oil).",
        "|**Note:** ^it rains.\n|Ann ^van ^Daal: ^Yes.\n|Art. ^3. ^All ^are ^equal.\n|1° ^All ^pay. 2.º ^All ^go.",
        "|1. ^🚀 ^Fast\n|- ^✨ ^New\n|⚠️ ^It ^broke.\n|[14:36] ^* ^ben waves\n|[a ^b]: ^It is.",
        "|Fat     ^9.5 ^g\n|of ^which ^sugar     ^2 ^g ^/ ^4 ^%\n|Salt    ^0 ^g\n|It is good.",
        "  |Net   ^9   ^8\n  |Gross ^sales     ^7  ^5     ^6\n|They grew.",
        "|nora: ^Hey\n|tom: ^so\nthe two of us are going to the harbour tonight and\nbut: no\n\n|Q ^– ^It.\n|A ^- ^No",
        "|[10:02 ^AM] ^Nora: ^So?\n|[WARN] ^No ^tests.\n|On ^May ^3, ^2020, ^at ^9:11, ^Ann ^wrote:\n|> ^So it is.",
        "It rains.\nNew ^York ^(AFP) ^– ^The end.\nELY ^― ^It rains.\nThe state of Ely (AFP) – The end.",
        "See:\n|```python\n|x ^= ^1\n|```\n|It works.",
        '|X-Mailer: ^Post ^(for ^"Any") ^Wind ^9\n|Content-Type: ^text ^plain\n\n|Hi.',
        # Wrapped text.
        "The man at the desk saw her on\n^the quay. He left with all of the others,\n^at one. He left\nat one.",
        "so the man at the desk saw her on\nthe quay and left with the others at one\nit was late",
        # Amounts, streets and names with numbers.
        "It ran for 24 ^h. |Samples fell at 9.8 ^s. |Done. It fell 2 ^pct. |Max left at 9 Elm ^St. |Parking is free.",
        # Companies, times and articles.
        "He left at 6 ^p.m. |Mr. ^Wu came. At 5 ^a.m. Mr. ^Wu came. We joined ^Acme ^Inc. |Terms are open.",
        "They live in the ^U.S. |The Dale family left. We sell ^U.S. “goods” ^to ^Acme ^Co. |“I like it,” ^he said.",
        # Exclamations and reports in lower case.
        "Oh! ^how she ran! Oh. yes. Yahoo! ^is here. So? ^said Ann. So? ^he asked himself. So? he said no.",
        "Wow! this is it. We saw Yahoo! ^at work. We saw it? at work.",
        # Quotations after quotations, and after colons.
        '"Go." |"Why?" ^He said: ^"Come." |"Who?" No one came. "Who?" No one answered. "Who?" ^No man answered.',
        # Names.
        "It is closed. Mayor ^Nora ^Dale left. Nora ^Dale left. The ^Mayor ^Nora ^Dale left. Thanks ^Nora.",
        "Judge ^Carl ^B. Hill left. Good ^Food The ^Wine Was ^Bad. MAYOR NORA DALE LEFT. He is Mayor.",
        "The dealer ^Nora ^Dale left. The dealer ^Nora ^Dale left. We left in May. It is so The ^Hague and Delft.",
        "He will not make a very good Mayor\nNora ^Dale left. Thanks ^Nora. Yes We left. St. ^Ann ^Hill left.",
        "T.S. ^Orr left. No. Nora left.",
        "We saw the dealer Nora Dale leave",
        # Speakers in captions.
        "|>> ^Is it\nlate? |>> ^No, Nora. |>> ^So? It is 5 >> 4. See << Nora.doc >> Now\n|>> ^It is late\n|So.",
        # Dots.
        "It was not so late... |I left. Then it was not late... We left. Well... I left. We saw it all... ^i left.",
        # Titles.
        "Mayor ^Under ^Pressure ^to ^Resign: It's ^Bad,” ^Nora ^Says. He ^Left\nNora ^Dale was late. Go On",
        # Words apart from marks.
        "We saw “ Why ^? ^” Then `` So . ^'' The end ( was late . ^) We left . Then ^, ^we left ^!",
        # Emphasis.
        "The ^**old** ^clock ^*is* ^late. It was ^*the* ^Acme ^**clock**. **Eggs** The oldest. **So:** ^we ^*had* ^to.",
        "It ended at <b>nine</b> ^sharp. We saw <i>Emma</i> ^there.",
        # Operators.
        "Set x ^= ^5 and a ^&& ^b ^--> ^c. => See. It is a=b, ^c ^→ ^d. Run `x` ^Then, `y.` Then (e) ^=> ^f.",
    ],
)
def test_lines_that_begin_a_sentence(marked):
    assert mark(NLP.make_doc(marked.replace("^", "").replace("|", ""))) == marked


@pytest.mark.parametrize(
    ("language", "marked"),
    [
        ("fr", "Le ^Prof. ^Martin, ^de ^St. ^Denis, ^lit l'art. ^5. Tél. ^: ^01 2. Elle aime l'art. Bois, ^etc. Al."),
        ("fr", "Voir art. ^L. ^121-3 ^C. ^trav. ^et l'art. L. ^Roux, ^le lun. ^5 mai. Elle dort."),
        ("pt", "A ^Dra. ^Ana e o ^Cel. ^Mendes, ^da Silva ^Ltda. Em Faro, ^ver ^pág. ^1. Tel.: ^21. Um ^dom. Ela ri."),
        ("fr", "Il fait 310 ^m. |Elle dort. Ah ^! ^quel jour ^! Quoi ^? ^dit-elle. Il rit ^- ^tard ^- ^et sort."),
        ("fr", "« ^Oui. ^» |« ^Bon. ^»"),
        ("fr", "Au ^Gal. ^Roux, 5 ^bd. ^Foch, ^fig. ^2 et tab. ^3, ^p. ^ex. ^là, ^p. ^ex. ^Roux."),
        ("fr", "En 52 ^av. ^J.-C. ^selon ^M. ^Roux. De ^janv. ^à ^déc. |Le vent tourne."),
        ("nn", "Ta mat, ^drikk ^osv. |Vi kjem ^kl. ^5 med ^dr. ^Moe."),
        ("xx", "Dr. ^Eze buy rice, ^beans ^etc. |Money don finish."),
        # Names are English.
        ("de", "Kanzler Max Brandt ging."),
    ],
)
def test_abbreviations_of_other_languages(language, marked):
    nlp = spacy.blank(language)
    nlp.tokenizer = add_exceptions(nlp.tokenizer, {word: [word] for word in read_abbreviations(language)})
    assert mark(nlp(re.sub("[|^]", "", marked))) == marked


@pytest.mark.parametrize(
    ("language", "words", "constraint"),
    [
        ("en", "saw Ann I . Orr", -1),
        ("en", "saw Ann I . The", 0),
        ("en", "met B. I . Orr", -1),
        ("en", "was met by I . M. Orr", -1),
        ("en", "World War I . Nora", 0),
        ("en", "World War I . M. Orr", 0),
        ("fr", "300 pers . ont", -1),
        ("fr", "la pers . Le chien", 1),
        ("fr", "art . 5", -1),
        ("nn", "Prof . Moe", -1),
        # These are abbreviations in other languages only.
        ("fr", "ça va . il", 0),
        ("en", "300 pers . are", 0),
    ],
)
def test_full_stops_apart_end_abbreviations_of_the_language(language, words, constraint):
    stop = words.split().index(".")
    doc = Doc(
        spacy.blank(language).vocab, words=words.split(), spaces=[i != stop - 1 for i in range(len(words.split()))]
    )
    assert find_layout(doc)[stop + 1] == constraint


@pytest.mark.parametrize(
    "text",
    [
        f"{WRAPPED}\ntide.",
        f"{WRAPPED}\nGreat Eastern\nRailway, and all who had waited for it on the quay since noon went home.",
        "According to\nReuters, which cited two people on the quay, the ship will not be seen again.",
        f"{WRAPPED} last\n12. of May.",
        f"{WRAPPED} last\n1.2 Million\nTons of fish.",
        f"{WRAPPED} flag\n- a red one - flying.",
        f"{WRAPPED} words of\nTom: stay.",
        "There were\n20 people in the room\n3 dogs and me",
        "The -1 and the #2 were (a) good, b) bad.",
    ],
)
def test_wrapped_text_says_nothing(text):
    doc = NLP.make_doc(text)
    assert not (find_layout(doc) == 1).any()


def test_names_after_lower_case_words_are_joined_even_without_titles():
    doc = NLP.make_doc("Mayor Nora Dale and her host Ann Orr left.")
    assert find_layout(doc, joins_titles=False).tolist() == [0, 0, 0, 0, 0, 0, -1, -1, 0, -1]


def test_bars_divide_cells():
    found = find_layout(NLP.make_doc("The a | b\n\nc | d | e\nIt is."))
    assert found.tolist() == [0, 0, -1, -1, 0, 1, -1, -1, -1, -1, 0, 1, 0, -1]


def test_names_of_modules_in_logs_are_not_divided():
    doc = NLP.make_doc("2025-06-24 14:36:25 [main] c.e.App - Started. Ready")
    assert find_layout(doc)[[token.i for token in doc if token.text in ("App", "Ready")]].tolist() == [-1, 0]


def test_rows_are_sentences_and_cells_are_not():
    doc = NLP.make_doc("Sizes:\n| name | size |\n|---|---|\n| a. b | It is. Very. |\nThey grow.")
    starts = [doc[i].text_with_ws + doc[i + 1].text for i in np.flatnonzero(find_layout(doc) == 1).tolist()]
    assert starts == ["| name", "|---", "| a.", "They grow"]
    forbidden = find_layout(doc) == -1
    assert [token.text for token in doc if not forbidden[token.i] and token.text in "name size It Very"] == ["Very"]


@pytest.mark.parametrize(
    "words",
    [
        "5 ( 1 ) ( a )",
        "https://a.b / c ? Q = E . F ! G",
        "www.a.com ? A ( b )",
        "U.S.A . 's",
        'word " word - word / x , Y',
        "\U0001f468 \u200d \U0001f469 \u200d \U0001f467",
        "\U0001f44d \U0001f3fd",
        "\u2764 \ufe0f",
        "\U0001f1eb \U0001f1f7",
        "no ! ) ] .",
        "fell . [ 3 ] [ 4 ]",
        "fell . † *",
        "- ! -",
    ],
)
def test_what_no_space_divides_is_not_divided(words):
    assert set(find_together(words)) == {-1}


@pytest.mark.parametrize(
    "words",
    ["end . Next", 'end . " Next', "end .) (Next", "what ?! Next", "ok \U0001f600 Next", "no ...yes", "来 了 他"],
)
def test_a_sentence_can_begin_without_a_space(words):
    assert find_together(words)[-1] == 0


def find_together(words):
    """The layout of words without spaces between them, but for the first."""
    return find_layout(Doc(NLP.vocab, words.split(), [False] * len(words.split()))).tolist()[1:]


def test_words_wait_while_their_line_is_short():
    line = "One.\n" + "two, " * 4 + "two NASA,"
    assert count_open_words(NLP.make_doc(line)) == layout.LOOKAHEAD - 1
    for longer in (line + " NASA,", line + "\n"):
        assert count_open_words(NLP.make_doc(longer)) == AHEAD + 1
    # In title case, longer.
    title = "So\n" + "The State of Art, " * 5
    assert count_open_words(NLP.make_doc(title)) == 25
    for longer in (title + "was Closed,", title + title[3:]):
        assert count_open_words(NLP.make_doc(longer)) == AHEAD + 1


def test_words_wait_for_a_mark_and_a_capital():
    doc = NLP.make_doc("we saw Nora Dale I" + " again" * 80)
    assert [count_open_words(doc[:n].as_doc()) for n in (4, 79, 80)] == [8, 83, 0]
    marked = NLP.make_doc("Why? " + "so, " * 40)
    assert [count_open_words(marked[:n].as_doc()) for n in (2, 80, 82)] == [AHEAD + 1, 83, AHEAD]
    # Each prefix closes only words whose constraints stay.
    for text in (doc.text, f"{doc[:70]}.", f'{doc}. "no." {doc}', MIXED, "we saw it and The bus left late " * 30):
        whole = NLP.make_doc(text)
        for n in range(1, len(whole)):
            closed = max(n - count_open_words(whole[:n].as_doc()), 0)
            assert (find_layout(whole[:n].as_doc())[:closed] == find_layout(whole)[:closed]).all()


@pytest.mark.parametrize(
    ("text", "is_forbidden"),
    [
        ("Well... maybe", True),
        ("It fell. She ran – late", True),
        ("well... maybe", False),
        ("Hm. no... maybe", False),
        ("Well... Maybe", False),
        ("One rule: ask", True),
        ("one rule: ask", False),
        ("Two rules: 5", True),
    ],
)
def test_text_goes_on_in_lower_case_after_dots_and_colons_if_sentences_begin_with_capitals(text, is_forbidden):
    assert (find_layout(NLP.make_doc(text))[-1] == -1) == is_forbidden
    assert find_layout(NLP.make_doc(text), lower_case_starts=True)[-1] == 0


@pytest.mark.parametrize(
    ("language", "text", "is_forbidden"),
    [
        ("fr", "Bon... peut-être", True),
        # A sentence that begins in lower case.
        ("fr", "C'est. c'est... voilà", False),
        ("fr", "Une règle : demandez", True),
        ("pt", "Bem... talvez", True),
        # In its treebank, sentences begin after colons.
        ("pt", "Uma regra: pergunte", False),
    ],
)
def test_marks_after_which_text_goes_on_depend_on_the_language(language, text, is_forbidden):
    assert (find_layout(spacy.blank(language).make_doc(text))[-1] == -1) == is_forbidden


def test_lower_case_means_nothing_in_long_text_without_capitals():
    text = 'we asked, "why?" and left... ' * 10
    for known, n in (text, 0), ("Nora. " + text, 2):
        constraints = find_layout(NLP.make_doc(known))[n:]
        assert (constraints == find_layout(NLP.make_doc(known.upper()))[n:]).all()
    assert find_layout(NLP.make_doc(text[:30]))[7] == -1


def test_sentences_may_begin_in_lower_case_after_a_comma():
    doc = NLP("we left, they stayed")
    assert find_layout(doc).tolist() == [0, 0, -1, -1, 0]
    assert find_layout(doc, lower_case_starts=True).tolist() == [0, 0, -1, 0, 0]


def test_a_number_belongs_to_the_word_before():
    assert find_layout(Doc(NLP.vocab, words=["No.", "7"])).tolist() == [0, -1]


@pytest.mark.parametrize(("is_apart", "constraint"), [(True, -1), (False, 0)])
def test_the_first_step_goes_on_and_a_score_does_not(is_apart, constraint):
    spaces = [True, is_apart, False, True, False]
    assert find_layout(Doc(NLP.vocab, words=["3", ":", "1", ".", "We"], spaces=spaces))[-1] == constraint


def test_a_vocabulary_needs_neither_lower_case_nor_a_language():
    assert find_layout(Doc(Vocab(), words=["Tel.", ":", "555", ":", "5"])).tolist() == [1, -1, -1, -1, -1]
    assert find_layout(Doc(Vocab(), words=["We", "left", "Acme", "Inc.", "The", "end"])).tolist() == [0, 0, 0, -1, 0, 0]


def test_layout_and_blank_lines_can_be_ignored(pipeline):
    doc = pipeline.make_doc("A list\n\n- it rains")
    assert find_layout(doc, blank_lines=False).tolist() == [0, 0, 0, 1, -1, -1]
    parser = pipeline.get_pipe("joint_sbd_parser")
    parser.cfg["layout"] = False
    try:
        assert parser.get_constraints(doc).tolist() == [1, 0, 0, 0, 0, 0]
        assert parser.count_open_words(doc) == 0
    finally:
        parser.cfg["layout"] = True
    doc[3].is_sent_start = False
    assert parser.get_constraints(doc).tolist() == [1, 0, 0, -1, -1, -1]


@pytest.mark.parametrize("text", ['"Why?", asked Ann.', '(Is it "why?") It is.', 'He said, "Why?" and left.'])
def test_no_sentence_begins_at_the_end_of_a_quotation(text):
    doc = NLP.make_doc(text)
    question = next(token for token in doc if token.text == "?")
    assert find_layout(doc)[question.i + 1] == -1


def test_a_mark_at_the_beginning_of_a_string_ends_no_sentence():
    doc = NLP.make_doc("Run ./run, `./b` and !this. It is .Then it was.")
    after = {doc[token.i - 1].text + token.text: start for token, start in zip(doc, find_layout(doc), strict=True)}
    assert after["./"] == after["!this"] == -1
    assert after[".Then"] == 0


@pytest.mark.parametrize("text", ["It is\u200b so.", "\u200eIt is so.", "วันนี้อากาศดี"])
def test_no_sentence_begins_at_or_after_invisible_characters_nor_at_marks_of_letters(text):
    doc = NLP.make_doc(text)
    attached = [token.i for token in doc[1:] if not token.nbor(-1).whitespace_]
    assert attached and set(find_layout(doc)[attached]) == {-1}


@pytest.mark.parametrize("end", ["Mayor", "12 So", "two =", "see (", "late -", "by Ann"])
def test_words_wait_that_the_next_words_can_join(end):
    assert count_open_words(NLP.make_doc("two " * MIN_LOWER_CASE + end)) == AHEAD


def test_long_whitespace_takes_linear_time():
    doc = NLP.make_doc("a\n" + " " * 50_000 + "b")
    begin = time.process_time()
    find_layout(doc)
    # Quadratic time would take minutes.
    assert time.process_time() - begin < 5
