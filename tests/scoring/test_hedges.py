"""Hedge scores: EVALB's rules for constituents, exact extents for segments."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import SEGMENTS, set_constituents
from spacy_joint.scoring.hedges import score_hedges

WORDS = ["so", ",", "the", "cat", "sleeps", "."]
TAGS = ["RB", ",", "DT", "NN", "VBZ", "."]
GOLD = [("S", 0, 6), ("ADVP", 0, 1), ("NP", 2, 4), ("VP", 4, 5)]


def make_example(found=None, gold=GOLD, segments=None, words=WORDS, spaces=None, starts=None):
    vocab = Vocab()
    reference = Doc(vocab, words=WORDS, tags=TAGS, sent_starts=starts or [True] + [False] * 5)
    if gold is not None:
        set_constituents(reference, gold)
    predicted = Doc(vocab, words=words, spaces=spaces)
    if found is not None:
        set_constituents(predicted, found)
    if segments is not None:
        set_constituents(predicted, segments, SEGMENTS)
    return Example(predicted, reference)


def score(*args, max_span=7, **kwargs):
    return score_hedges([make_example(*args, **kwargs)], max_span=max_span)


SCORES = {
    "all right": (GOLD, 7, {"hedge_p": 1, "hedge_r": 1, "hedge_f": 1, "hedge_exact": 1}),
    "some right": (
        [("NP", 2, 4), ("VP", 4, 5), ("NP", 4, 5)],
        7,
        {"hedge_p": 2 / 3, "hedge_r": 2 / 4, "hedge_exact": 0},
    ),
    "none": ([], 7, {"hedge_r": 0}),
    "punctuation at edges does not count": (
        [("S", 0, 5), ("ADVP", 0, 2), ("NP", 1, 4), ("VP", 4, 6)],
        7,
        {"hedge_f": 1},
    ),
    "nor do constituents of punctuation": ([*GOLD, ("X", 1, 2)], 7, {"hedge_f": 1}),
    "particles are adverbs": ([("S", 0, 6), ("PRT", 0, 1), ("NP", 2, 4), ("VP", 4, 5)], 7, {"hedge_f": 1}),
    "the limit holds for the reference": ([("NP", 2, 4)], 2, {"hedge_r": 1 / 3}),
    "and for the prediction": ([("NP", 2, 4), ("S", 0, 6)], 2, {"hedge_p": 1}),
    "a constituent found twice is correct once": ([*GOLD, ("NP", 2, 4)], 7, {"hedge_p": 4 / 5}),
}


@pytest.mark.parametrize(("found", "max_span", "expected"), SCORES.values(), ids=SCORES)
def test_constituents_are_scored(found, max_span, expected):
    scores = score(found, max_span=max_span)
    assert {name: scores[name] for name in expected} == pytest.approx(expected)


def test_scores_by_label():
    by_label = score([("NP", 2, 4), ("NP", 4, 5)])["hedge_per_type"]
    assert by_label["NP"]["p"] == pytest.approx(1 / 2) and by_label["NP"]["r"] == 1
    assert by_label["VP"]["f"] == 0


def test_exact_counts_sentences():
    starts = [True, False, True, False, False, False]
    gold = [("ADVP", 0, 1), ("NP", 2, 4)]
    assert score([("ADVP", 0, 1)], gold, starts=starts)["hedge_exact"] == 1 / 2


def test_segments_are_compared_with_punctuation():
    gold = GOLD[1:]
    assert score(None, gold, segments=[("G", 0, 2), ("NP", 2, 4), ("G", 4, 6)])["hedge_seg_f"] == 1
    assert score(None, gold, segments=[("G", 0, 2), ("NP", 2, 4), ("G", 4, 5), ("G", 5, 6)])["hedge_seg_p"] == 1 / 2


def test_segments_of_the_reference_end_with_sentences():
    starts = [True, False, False, False, False, True]
    found = [("G", 0, 2), ("NP", 2, 4), ("G", 4, 5), ("G", 5, 6)]
    assert score(None, GOLD[1:], segments=found, starts=starts)["hedge_seg_f"] == 1


def test_tokens_of_both_sides_may_differ():
    words, spaces = ["so,", "the", "cat", "sle", "eps."], [True, True, True, False, False]
    found = [("S", 0, 5), ("ADVP", 0, 1), ("NP", 1, 3), ("VP", 3, 5)]
    assert score(found, words=words, spaces=spaces)["hedge_f"] == 1


def test_missing_annotation_is_not_scored():
    assert score(None)["hedge_f"] is None
    assert score(GOLD)["hedge_seg_f"] is None
    assert score(GOLD, None)["hedge_f"] is None


@pytest.mark.parametrize("factory", ["hedge_chunker", "hedge_segmenter"])
def test_the_scorer_takes_max_span_from_the_component(factory):
    pipe = spacy.blank("en").add_pipe(factory, config={"max_span": 2})
    assert pipe.score([make_example([("NP", 2, 4)])])["hedge_r"] == pytest.approx(1 / 3)
