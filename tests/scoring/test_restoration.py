"""Scores of restored marks and capitals."""

import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.annotation.restored import write_restored
from spacy_joint.scoring.restoration import score_restoration

VOCAB = Vocab()


def make_doc(words, restored=None):
    doc = Doc(VOCAB, words=words.split())
    if restored:
        write_restored(doc, restored.split())
    return doc


def score(found, expected, **settings):
    return score_restoration([Example(found, expected)], **settings)


def test_marks_and_capitals_are_scored():
    found = make_doc("we met nora in paris she paid", "We met, Nora in paris. SHE paid!")
    expected = make_doc("we met nora in paris she paid", "We met Nora, in Paris. She paid.")
    scores = score(found, expected)
    assert scores["restored_per_type"]["."] == {"p": 1, "r": 0.5, "f": pytest.approx(2 / 3)}
    assert scores["restored_per_type"][","]["f"] == scores["restored_per_type"]["!"]["p"] == 0
    assert scores["restored_mark_p"] == scores["restored_mark_r"] == pytest.approx(1 / 3)
    # SHE has a capital, but not the right ones.
    assert (scores["restored_case_p"], scores["restored_case_r"]) == (pytest.approx(2 / 3), 0.5)


def test_text_with_marks_is_what_is_restored():
    words = "We left , Anna . . . stayed ?"
    scores = score(make_doc(words), make_doc(words))
    assert scores["restored_mark_f"] == scores["restored_case_f"] == 1
    assert set(scores["restored_per_type"]) == {",", ".", "?"}


def test_text_is_not_scored_if_its_marks_and_capitals_were_kept():
    words = "We left , Anna stayed ."
    assert set(score(make_doc(words), make_doc(words), overwrite=False).values()) == {None}
    bare = "we left anna stayed"
    scores = score(make_doc(bare), make_doc(bare, "We left, Anna stayed."), overwrite=False)
    assert scores["restored_mark_r"] == scores["restored_case_r"] == 0


def test_words_that_are_tokens_of_one_side_only_do_not_count():
    scores = score(make_doc("nora cannot stay", "Nora cannot, stay."), make_doc("Nora can not stay ."))
    assert (scores["restored_mark_p"], scores["restored_case_f"]) == (1, 1)


def test_without_marks_and_capitals_there_are_no_scores():
    assert set(score(make_doc("we left"), make_doc("we left")).values()) == {None}
