"""Scores from raw text, as in the CoNLL 2018 shared task: a word must be found before its annotation counts."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.scoring.raw_text import score_raw_text

VOCAB = Vocab()


def make(words, heads, deps, spaces=None, tags=None):
    return Doc(VOCAB, words=words, spaces=spaces, heads=heads, deps=deps, tags=tags, pos=None)


DOGS = make(["Dogs", "do", "n't", "bark"], [3, 3, 3, 3], ["nsubj", "aux", "advmod", "ROOT"], [1, 0, 1, 0], list("NAAV"))


def test_correct_predictions_score_1():
    assert set(score_raw_text([DOGS], [DOGS]).values()) == {1.0}


def test_a_word_that_is_not_found_counts_as_wrong_in_every_score():
    found = make(["Dogs", "don't", "bark"], [2, 2, 2], ["nsubj", "aux", "ROOT"], tags=list("NAV"))
    scores = score_raw_text([found], [DOGS])
    assert (scores["raw_words_p"], scores["raw_words_r"]) == pytest.approx((2 / 3, 1 / 2))
    expected = 2 * 2 / (3 + 4)
    for measure in ("words_f", "tag_f", "uas_f", "las_f"):
        assert scores[f"raw_{measure}"] == pytest.approx(expected)
    assert scores["raw_sents_f"] == 1


def test_a_word_whose_head_is_not_found_has_a_wrong_head():
    right = make(["a", "bc"], [1, 1], ["det", "ROOT"])
    found = make(["a", "b", "c"], [1, 1, 1], ["det", "ROOT", "dep"], [1, 0, 0])
    assert score_raw_text([found], [right])["raw_uas_f"] == 0


def test_subtypes_of_relations_do_not_count():
    right = make(["was", "seen"], [1, 1], ["aux:pass", "ROOT"])
    assert score_raw_text([make(["was", "seen"], [1, 1], ["aux", "ROOT"])], [right])["raw_las_f"] == 1
    assert score_raw_text([make(["was", "seen"], [1, 1], ["cop", "ROOT"])], [right])["raw_las_f"] == 0.5


def describe(*words):
    """A document of words with features and lemmas."""
    words, morphs, lemmas = zip(*words, strict=True)
    heads, deps = [0] * len(words), ["ROOT", *["dep"] * (len(words) - 1)]
    return Doc(VOCAB, words=words, morphs=list(morphs), lemmas=list(lemmas), heads=heads, deps=deps)


SHE = [("she", "Case=Nom|Number=Sing", ""), ("ran", "Tense=Past", "")]
THEY = [("They", "", "they"), ("ran", "", "run")]
# The words of the prediction and of the reference.
WORDS = {
    "all features of a word must be correct": ("morph", [("she", "Case=Nom|Number=Plur", ""), SHE[1]], SHE, 0.5),
    "features that are not universal do not count": (
        "morph",
        [("she", "Case=Nom|Number[psor]=Plur", ""), ("ran", "", "")],
        [("she", "Case=Nom|ExtPos=ADV|Number[psor]=Sing", ""), ("ran", "Style=Expr", "")],
        1,
    ),
    "lemmas have their capitals": ("lemma", [("They", "", "They"), THEY[1]], THEY, 0.5),
    "any lemma is correct if the reference has none": ("lemma", THEY, [THEY[0], ("ran", "", "")], 1),
    "no lemma is wrong if the reference has one": ("lemma", [THEY[0], ("ran", "", "")], THEY, 0.5),
}


@pytest.mark.parametrize(("measure", "found", "right", "expected"), WORDS.values(), ids=WORDS)
def test_features_and_lemmas_are_compared(measure, found, right, expected):
    assert score_raw_text([describe(*found)], [describe(*right)])[f"raw_{measure}_f"] == expected


def test_features_and_lemmas_of_words_that_are_not_found_are_wrong():
    right = describe(("a", "Case=Nom", "a"), ("bc", "", "bc"))
    found = describe(("ab", "Case=Nom", "a"), ("c", "", "bc"))
    scores = score_raw_text(
        [found], [Doc(VOCAB, words=["a", "bc"], spaces=[False, False], heads=[0, 0], deps=["ROOT", "dep"])]
    )
    assert scores["raw_morph_f"] == scores["raw_lemma_f"] == 0
    assert score_raw_text([found], [right])["raw_morph_f"] == 0


def test_a_sentence_is_correct_if_both_ends_are():
    right = make(["a", "b", "c"], [0, 0, 2], ["ROOT", "dep", "ROOT"])
    found = make(["a", "b", "c"], [0, 1, 2], ["ROOT", "ROOT", "ROOT"])
    scores = score_raw_text([found], [right])
    assert (scores["raw_sents_p"], scores["raw_sents_r"]) == pytest.approx((1 / 3, 1 / 2))


def test_whitespace_does_not_count():
    found = make(["\n", "a", " \n", "b"], [1, 1, 1, 3], ["dep", "ROOT", "dep", "ROOT"])
    assert set(score_raw_text([found], [make(["a", "b"], [0, 1], ["ROOT", "ROOT"])]).values()) == {1.0}


def test_documents_are_pooled():
    wrong = make(["Dogs", "don't", "bark"], [2, 2, 2], ["nsubj", "aux", "ROOT"])
    assert score_raw_text([DOGS, wrong], [DOGS, DOGS])["raw_words_f"] == pytest.approx(2 * 6 / (7 + 8))


def test_other_texts_cannot_be_compared():
    with pytest.raises(ValueError, match="J152"):
        score_raw_text([make(["a"], [0], ["ROOT"])], [make(["b"], [0], ["ROOT"])])


GOLD = """
# text = Zum Arzt geht's im Bus.
1-2 Zum _ _ _ _ _ _ _ _
1 Zu zu ADP APPR _ 3 case 3:case _
2 dem der DET ART Case=Dat 3 det 3:det _
3 Arzt Arzt NOUN NN Case=Dat 4 obl 4:obl _
4-5 geht's _ _ _ _ _ _ _ _
4 geht gehen VERB VVFIN Mood=Ind 0 root 0:root _
5 's es PRON PPER Case=Nom 4 nsubj 4:nsubj _
5.1 fahren fahren VERB _ _ _ _ 4:conj _
6-7 im _ _ _ _ _ _ _ _
6 in in ADP APPR _ 8 case 8:case _
7 dem der DET ART Case=Dat 8 det 8:det _
8 Bus Bus NOUN NN Case=Dat 4 obl:x 4:obl SpaceAfter=No
9 . . PUNCT $. _ 4 punct 4:punct _
"""
SYSTEM = """
1-2 Zum _ _ _ _ _ _ _ _
1 Zu zu ADP APPR _ 3 case _ _
2 der der DET ART Case=Dat 3 det _ _
3 Arzt arzt NOUN NN Case=Dat|Extra=Yes 4 obl _ _
4 geht gehen VERB VVFIN Mood=Ind 0 root _ SpaceAfter=No
5 's es PRON PPER Case=Acc 4 obj _ _

1 im im ADP APPRART Case=Dat 2 case _ _
2-3 Bus. _ _ _ _ _ _ _ _
2 Bus Bus PROPN NN Case=Dat 0 root _ _
3 . . PUNCT $. _ 2 punct _ _
"""


def test_the_measures_of_the_shared_task_on_an_example_computed_by_hand(write_text):
    # Tokens: Zum, Arzt and im are in both; gold has geht's, Bus and ".", the system geht, 's and "Bus.".
    # Sentences: gold has 1, the system 2, with none in common.
    # Words: gold has 9, the system 8. In and around multiword tokens they are aligned by form: Zu, Arzt, geht, 's, Bus
    # and "." (6). "dem" is not "der", and "im" is neither "in" nor "dem".
    # UPOS: all of these but Bus. XPOS: all. UFeats: all but 's; Extra is not universal. AllTags: all but Bus and 's.
    # Lemmas: all but Arzt.
    # UAS: Zu, Arzt, geht and 's; Bus and "." have other heads. LAS: all of these but 's.
    docs = []
    for name, content in (("gold", GOLD), ("system", SYSTEM)):
        path = write_text(f"{name}.conllu", content.replace(" ", "\t").replace("#\ttext", "# text").lstrip())
        docs.append(list(read_conllu(path, VOCAB)))
    gold, system = docs
    scores = score_raw_text(system, gold)
    assert (scores["raw_tokens_p"], scores["raw_tokens_r"]) == (3 / 6, 3 / 6)
    assert (scores["raw_sents_p"], scores["raw_sents_r"]) == (0, 0)
    assert (scores["raw_words_p"], scores["raw_words_r"]) == (6 / 8, 6 / 9)
    correct = {"words": 6, "pos": 5, "tag": 6, "morph": 5, "alltags": 4, "lemma": 5, "uas": 4, "las": 3}
    for name, count in correct.items():
        assert scores[f"raw_{name}_f"] == pytest.approx(2 * count / (8 + 9)), name


def test_multiword_tokens_may_overlap():
    # One stretch, "abcd": the gold token bc overlaps the system tokens ab and cd. Words with the same form are aligned.
    right = make(["a", "bc", "d"], [0, 0, 0], ["ROOT", "dep", "dep"], [0, 0, 0])
    right[1]._.ud_words = [["b", "", "", "", "", 0, "dep"], ["c", "", "", "", "", 1, "dep"]]
    found = make(["ab", "cd"], [0, 0], ["ROOT", "dep"], [0, 0])
    found[0]._.ud_words = [["a", "", "", "", "", 0, "dep"], ["b", "", "", "", "", 1, "dep"]]
    found[1]._.ud_words = [["c", "", "", "", "", 0, "dep"], ["d", "", "", "", "", 1, "dep"]]
    scores = score_raw_text([found], [right])
    # The stretch begins at the first multiword token of the system, and d is in it.
    assert scores["raw_words_f"] == 1
    assert scores["raw_tokens_f"] == 0


def test_a_treebank_without_xpos_has_none_in_either_document(write_text):
    path = write_text("gold.conllu", "1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    (right,) = read_conllu(path, VOCAB)
    found = Doc(VOCAB, ["Go"], tags=["VERB"], pos=["VERB"], heads=[0], deps=["ROOT"])
    assert score_raw_text([found], [right])["raw_tag_f"] == 1


def analyse(*rows):
    """A document of words with their POS, features, lemma, head and relation."""
    words, pos, morphs, lemmas, heads, deps = map(list, zip(*rows, strict=True))
    return Doc(VOCAB, words=words, pos=pos, morphs=morphs, lemmas=lemmas, heads=heads, deps=deps)


DOG = (
    ("the", "DET", "Definite=Def", "the", 1, "det"),
    ("dog", "NOUN", "Number=Sing", "dog", 2, "nsubj"),
    ("slept", "VERB", "Tense=Past", "sleep", 2, "ROOT"),
    (".", "PUNCT", "", ".", 2, "punct"),
)


@pytest.mark.parametrize(
    ("place", "changed", "clas", "mlas", "blex"),
    [
        (3, {1: "SYM"}, 1, 1, 1),
        (3, {4: 1}, 1, 1, 1),
        (0, {2: ""}, 1, 0.5, 1),
        (1, {1: "PROPN"}, 1, 0.5, 1),
        (2, {3: "slept"}, 1, 1, 0.5),
        (1, {5: "obj"}, 0.5, 0.5, 0.5),
        (0, {3: "a"}, 1, 1, 1),
    ],
)
def test_measures_of_words_with_content(place, changed, clas, mlas, blex):
    # Punctuation counts in none, and function words as part of their heads in MLAS.
    rows = [list(row) for row in DOG]
    for column, value in changed.items():
        rows[place][column] = value
    scores = score_raw_text([analyse(*rows)], [analyse(*DOG)])
    assert (scores["raw_clas_f"], scores["raw_mlas_f"], scores["raw_blex_f"]) == (clas, mlas, blex)


def test_words_of_content_are_those_of_either_side():
    rows = [list(row) for row in DOG]
    rows[0][5] = "amod"
    # Three words of content instead of two.
    assert score_raw_text([analyse(*rows)], [analyse(*DOG)])["raw_clas_f"] == 2 * 2 / (2 + 3)
