"""The scorer of boundaries and trees, on documents small enough to be scored by hand."""

import pytest
from spacy.pipeline.dep_parser import parser_score
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.scoring.boundaries_and_trees import make_boundary_and_tree_scorer

VOCAB = Vocab()
KEYS = {
    *("sents_p", "sents_r", "sents_f", "boundary_p", "boundary_r", "boundary_f"),
    *("dep_uas", "dep_las", "dep_las_per_type", "dep_uas_punct", "dep_las_punct"),
}


def make_doc(text, starts=None, heads=None, deps=None):
    """A document with the words of the text (`_` is a line break), whose sentences begin at the tokens `starts`."""
    words = [word.replace("_", "\n") for word in text.split()]
    if starts is not None:
        starts = [i in starts for i in range(len(words))]
    return Doc(VOCAB, words=words, sent_starts=starts, heads=heads, deps=deps.split() if deps else None)


def score(*pairs, **kwargs):
    return make_boundary_and_tree_scorer()([Example(predicted, reference) for predicted, reference in pairs], **kwargs)


# Available scores


def test_all_scores_are_reported():
    assert set(score((make_doc("hi you", {0}), make_doc("hi you", {0})))) == KEYS


def test_without_examples_every_score_is_none():
    assert score() == dict.fromkeys(KEYS)


def test_an_empty_document_has_no_scores():
    assert score((make_doc(""), make_doc(""))) == dict.fromkeys(KEYS)


def test_a_reference_without_annotation_has_no_scores():
    predicted = make_doc("hi you", heads=[0, 0], deps="ROOT vocative")
    assert score((predicted, make_doc("hi you"))) == dict.fromkeys(KEYS)


def test_names_of_spacys_scores_have_the_same_meaning():
    reference = make_doc("he left . bye", heads=[1, 1, 1, 3], deps="nsubj ROOT punct ROOT")
    predicted = make_doc("he left . bye", heads=[1, 1, 1, 1], deps="obj ROOT punct discourse")
    expected = parser_score([Example(predicted, reference)])
    found = score((predicted, reference))
    assert {key: found[key] for key in expected} == expected


def test_options_of_spacys_scores_are_passed_on():
    reference = make_doc("he left", heads=[1, 1], deps="nsubj ROOT")
    predicted = make_doc("he left", heads=[0, 0], deps="ROOT dep")
    assert score((predicted, reference), ignore_labels=("nsubj", "root", "dep"))["dep_uas"] is None


def test_examples_may_come_from_a_generator():
    doc = make_doc("hi you", heads=[0, 0], deps="ROOT vocative")
    found = make_boundary_and_tree_scorer()(Example(doc, doc) for _ in range(2))
    assert (found["boundary_f"], found["dep_las"], found["dep_las_punct"]) == (1.0, 1.0, 1.0)


# Boundaries


def test_a_boundary_is_a_token_that_begins_a_sentence():
    found = score((make_doc("a b c d e", {0, 1, 2}), make_doc("a b c d e", {0, 2, 3, 4})))
    assert found["boundary_p"] == pytest.approx(2 / 3)
    assert found["boundary_r"] == pytest.approx(2 / 4)
    assert found["boundary_f"] == pytest.approx(4 / 7)


def test_the_first_token_of_a_document_counts_as_a_boundary():
    assert score((make_doc("a b", {0}), make_doc("a b", {0, 1})))["boundary_r"] == pytest.approx(1 / 2)


def test_a_boundary_is_right_even_if_its_sentence_ends_elsewhere():
    found = score((make_doc("a b c", {0, 1}), make_doc("a b c", {0, 1, 2})))
    assert (found["boundary_p"], found["sents_p"]) == (1.0, 0.5)


def test_boundaries_are_pooled_over_documents():
    exact = make_doc("a b c", {0, 1, 2})
    found = score((exact, exact), (make_doc("d e", {0, 1}), make_doc("d e", {0})))
    assert found["boundary_p"] == pytest.approx(4 / 5)


def test_a_reference_without_boundaries_is_skipped():
    annotated = make_doc("a b", {0, 1})
    found = score((annotated, annotated), (make_doc("c d", {0, 1}), make_doc("c d")))
    assert (found["boundary_p"], found["boundary_r"]) == (1.0, 1.0)


def test_a_prediction_without_boundaries_misses_all():
    found = score((make_doc("a b"), make_doc("a b", {0, 1})))
    assert (found["boundary_p"], found["boundary_r"], found["boundary_f"]) == (0.0, 0.0, 0.0)


def test_a_document_of_one_token_is_a_sentence():
    assert score((make_doc("bye"), make_doc("bye")))["boundary_f"] == 1.0


@pytest.mark.parametrize(
    ("predicted", "reference"),
    [
        (make_doc("stop wecant", {0, 1}), make_doc("stop we cant", {0, 1})),
        (make_doc("stop we cant", {0, 1}), make_doc("stop wecant", {0, 1})),
    ],
)
def test_a_boundary_is_right_where_differing_tokens_begin_together(predicted, reference):
    assert score((predicted, reference))["boundary_f"] == 1.0


@pytest.mark.parametrize(
    ("predicted", "reference"),
    [
        (make_doc("stop we cant", {0, 2}), make_doc("stop wecant", {0, 1})),
        (make_doc("stop wecant", {0, 1}), make_doc("stop we cant", {0, 2})),
    ],
)
def test_a_boundary_inside_a_token_of_the_other_side_is_wrong(predicted, reference):
    found = score((predicted, reference))
    assert (found["boundary_p"], found["boundary_r"]) == (0.5, 0.5)


def test_a_sentence_that_opens_with_whitespace_begins_at_its_first_other_token():
    found = score((make_doc("a _ b", {0, 1}), make_doc("a b", {0, 1})))
    assert found["boundary_f"] == 1.0


def test_a_whitespace_sentence_is_not_a_boundary():
    found = score((make_doc("a _ b", {0, 1, 2}), make_doc("a b", {0, 1})))
    assert found["boundary_p"] == 1.0


# Trees


def test_spacys_attachment_scores_leave_punctuation_out_and_ours_count_it():
    reference = make_doc("go on !", heads=[0, 0, 0], deps="ROOT compound:prt punct")
    predicted = make_doc("go on !", heads=[0, 0, 1], deps="ROOT compound:prt punct")
    found = score((predicted, reference))
    assert (found["dep_uas"], found["dep_las"]) == (1.0, 1.0)
    assert (found["dep_uas_punct"], found["dep_las_punct"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_a_wrong_label_affects_only_labelled_attachment():
    reference = make_doc("go home", heads=[0, 0], deps="ROOT advmod")
    predicted = make_doc("go home", heads=[0, 0], deps="ROOT obj")
    found = score((predicted, reference))
    assert (found["dep_uas_punct"], found["dep_las_punct"]) == (1.0, 0.5)


def test_labels_are_compared_without_regard_to_case():
    reference = make_doc("go home", heads=[0, 0], deps="root advmod")
    predicted = make_doc("go home", heads=[0, 0], deps="ROOT ADVMOD")
    assert score((predicted, reference))["dep_las_punct"] == 1.0


def test_whitespace_never_counts_in_the_scores_over_all_tokens():
    reference = make_doc("go _ home", heads=[0, 0, 0], deps="ROOT dep advmod")
    predicted = make_doc("go _ home", heads=[0, 2, 0], deps="ROOT punct advmod")
    found = score((predicted, reference))
    assert (found["dep_uas_punct"], found["dep_las_punct"]) == (1.0, 1.0)


def test_whitespace_of_one_side_alone_changes_nothing():
    reference = make_doc("go home", heads=[0, 0], deps="ROOT advmod")
    predicted = make_doc("go _ home", heads=[0, 0, 0], deps="ROOT dep advmod")
    found = score((predicted, reference))
    assert (found["dep_uas_punct"], found["dep_las_punct"]) == (1.0, 1.0)


def test_reference_tokens_without_label_are_skipped():
    reference = Doc(VOCAB, words=["go", "home"], heads=[0, 0], deps=["ROOT", ""])
    predicted = make_doc("go home", heads=[0, 0], deps="ROOT obj")
    assert score((predicted, reference))["dep_las_punct"] == 1.0


def test_a_token_without_a_matching_reference_token_has_a_wrong_tree():
    reference = make_doc("we can not", heads=[1, 1, 1], deps="nsubj ROOT advmod")
    predicted = make_doc("we cannot", heads=[1, 1], deps="nsubj ROOT")
    assert score((predicted, reference))["dep_uas_punct"] == 0.0
