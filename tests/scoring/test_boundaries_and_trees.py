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


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [(make_doc(""), make_doc(""))],
        [(make_doc("hi you", heads=[0, 0], deps="ROOT vocative"), make_doc("hi you"))],
    ],
)
def test_without_words_or_annotation_of_the_reference_every_score_is_none(pairs):
    assert score(*pairs) == dict.fromkeys(KEYS)


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


RIGHT = {"boundary_p": 1.0, "boundary_r": 1.0, "boundary_f": 1.0}
WRONG = dict.fromkeys(RIGHT, 0.0)
INSIDE = dict.fromkeys(RIGHT, 0.5)
# The words and boundaries of the prediction and of the reference.
BOUNDARIES = {
    "a boundary is a token that begins a sentence": (
        ("a b c d e", {0, 1, 2}),
        ("a b c d e", {0, 2, 3, 4}),
        {"boundary_p": 2 / 3, "boundary_r": 2 / 4, "boundary_f": 4 / 7},
    ),
    "the first token of a document counts": (("a b", {0}), ("a b", {0, 1}), {"boundary_r": 1 / 2}),
    "the sentence may end elsewhere": (("a b c", {0, 1}), ("a b c", {0, 1, 2}), {"boundary_p": 1.0, "sents_p": 0.5}),
    "a prediction without boundaries misses all": (("a b",), ("a b", {0, 1}), WRONG),
    "a document of one token is a sentence": (("bye",), ("bye",), RIGHT),
    "tokens joined in the prediction": (("stop wecant", {0, 1}), ("stop we cant", {0, 1}), RIGHT),
    "tokens joined in the reference": (("stop we cant", {0, 1}), ("stop wecant", {0, 1}), RIGHT),
    "inside a token of the reference": (("stop we cant", {0, 2}), ("stop wecant", {0, 1}), INSIDE),
    "inside a token of the prediction": (("stop wecant", {0, 1}), ("stop we cant", {0, 2}), INSIDE),
    "a sentence begins after whitespace": (("a _ b", {0, 1}), ("a b", {0, 1}), RIGHT),
    "whitespace is no sentence": (("a _ b", {0, 1, 2}), ("a b", {0, 1}), RIGHT),
}


@pytest.mark.parametrize(("predicted", "reference", "expected"), BOUNDARIES.values(), ids=BOUNDARIES)
def test_boundaries_are_scored(predicted, reference, expected):
    found = score((make_doc(*predicted), make_doc(*reference)))
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_boundaries_are_pooled_over_documents():
    exact = make_doc("a b c", {0, 1, 2})
    found = score((exact, exact), (make_doc("d e", {0, 1}), make_doc("d e", {0})))
    assert found["boundary_p"] == pytest.approx(4 / 5)


def test_a_reference_without_boundaries_is_skipped():
    annotated = make_doc("a b", {0, 1})
    found = score((annotated, annotated), (make_doc("c d", {0, 1}), make_doc("c d")))
    assert (found["boundary_p"], found["boundary_r"]) == (1.0, 1.0)


# Trees


# The words, heads and labels of the prediction and of the reference; unlabelled and labelled attachment.
TREES = {
    "a wrong label affects labelled attachment": (
        ("go home", [0, 0], "ROOT obj"),
        ("go home", [0, 0], "ROOT advmod"),
        (1.0, 0.5),
    ),
    "the case of labels does not count": (
        ("go home", [0, 0], "ROOT ADVMOD"),
        ("go home", [0, 0], "root advmod"),
        (1.0, 1.0),
    ),
    "whitespace does not count": (
        ("go _ home", [0, 2, 0], "ROOT punct advmod"),
        ("go _ home", [0, 0, 0], "ROOT dep advmod"),
        (1.0, 1.0),
    ),
    "nor does whitespace of one side": (
        ("go _ home", [0, 0, 0], "ROOT dep advmod"),
        ("go home", [0, 0], "ROOT advmod"),
        (1.0, 1.0),
    ),
    "a token without a counterpart is wrong": (
        ("we cannot", [1, 1], "nsubj ROOT"),
        ("we can not", [1, 1, 1], "nsubj ROOT advmod"),
        (0.0, 0.0),
    ),
}


@pytest.mark.parametrize(("predicted", "reference", "expected"), TREES.values(), ids=TREES)
def test_trees_are_scored(predicted, reference, expected):
    found = score(tuple(make_doc(text, None, heads, deps) for text, heads, deps in (predicted, reference)))
    assert (found["dep_uas_punct"], found["dep_las_punct"]) == expected


def test_reference_tokens_without_label_are_skipped():
    reference = Doc(VOCAB, words=["go", "home"], heads=[0, 0], deps=["ROOT", ""])
    predicted = make_doc("go home", heads=[0, 0], deps="ROOT obj")
    assert score((predicted, reference))["dep_las_punct"] == 1.0


def test_spacys_attachment_scores_leave_punctuation_out_and_ours_count_it():
    reference = make_doc("go on !", heads=[0, 0, 0], deps="ROOT compound:prt punct")
    predicted = make_doc("go on !", heads=[0, 0, 1], deps="ROOT compound:prt punct")
    found = score((predicted, reference))
    assert (found["dep_uas"], found["dep_las"]) == (1.0, 1.0)
    assert (found["dep_uas_punct"], found["dep_las_punct"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
