"""Scores from raw text, as in the CoNLL 2018 shared task: a word must be found before its annotation counts."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

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


def test_all_universal_features_of_a_word_must_be_correct():
    right = describe(("she", "Case=Nom|Number=Sing", ""), ("ran", "Tense=Past", ""))
    found = describe(("she", "Case=Nom|Number=Plur", ""), ("ran", "Tense=Past", ""))
    assert score_raw_text([found], [right])["raw_morph_f"] == 0.5
    assert score_raw_text([right], [right])["raw_morph_f"] == 1


def test_other_features_do_not_count():
    right = describe(("she", "Case=Nom|ExtPos=ADV|Number[psor]=Sing", ""), ("ran", "Style=Expr", ""))
    found = describe(("she", "Case=Nom|Number[psor]=Plur", ""), ("ran", "", ""))
    assert score_raw_text([found], [right])["raw_morph_f"] == 1


def test_lemmas_are_compared_with_their_capitals():
    right = describe(("They", "", "they"), ("ran", "", "run"))
    found = describe(("They", "", "They"), ("ran", "", "run"))
    assert score_raw_text([found], [right])["raw_lemma_f"] == 0.5


def test_any_lemma_is_correct_where_the_reference_has_none():
    right = describe(("They", "", "they"), ("ran", "", ""))
    found = describe(("They", "", "they"), ("ran", "", "run"))
    assert score_raw_text([found], [right])["raw_lemma_f"] == 1
    assert score_raw_text([right], [found])["raw_lemma_f"] == 0.5


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
