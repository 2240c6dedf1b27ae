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


def test_all_right():
    scores = score(GOLD)
    assert scores["hedge_p"] == scores["hedge_r"] == scores["hedge_f"] == scores["hedge_exact"] == 1


def test_precision_and_recall():
    scores = score([("NP", 2, 4), ("VP", 4, 5), ("NP", 4, 5)])
    assert scores["hedge_p"] == pytest.approx(2 / 3)
    assert scores["hedge_r"] == pytest.approx(2 / 4)
    assert scores["hedge_exact"] == 0


def test_punctuation_does_not_count():
    assert score([("S", 0, 5), ("ADVP", 0, 2), ("NP", 1, 4), ("VP", 4, 6)])["hedge_f"] == 1
    assert score([*GOLD, ("X", 1, 2)])["hedge_f"] == 1


def test_particles_are_adverbs():
    assert score([("S", 0, 6), ("PRT", 0, 1), ("NP", 2, 4), ("VP", 4, 5)])["hedge_f"] == 1


def test_constituents_above_the_limit_are_not_scored():
    assert score([("NP", 2, 4)], max_span=2)["hedge_r"] == pytest.approx(1 / 3)
    assert score([("NP", 2, 4), ("S", 0, 6)], max_span=2)["hedge_p"] == 1


def test_a_constituent_found_twice_is_correct_once():
    assert score([*GOLD, ("NP", 2, 4)])["hedge_p"] == pytest.approx(4 / 5)


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
    assert score([])["hedge_r"] == 0


@pytest.mark.parametrize("factory", ["hedge_chunker", "hedge_segmenter"])
def test_the_scorer_takes_max_span_from_the_component(factory):
    pipe = spacy.blank("en").add_pipe(factory, config={"max_span": 2})
    assert pipe.score([make_example([("NP", 2, 4)])])["hedge_r"] == pytest.approx(1 / 3)
