"""Scores of single spans, against their definition: what the actions of a span score, less leaving its tokens out."""

import gc
from itertools import combinations

import numpy as np
import pytest

from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.templates import Templates
from spacy_joint.quotation.candidates import SpanScorer
from spacy_joint.quotation.system import TOKEN_INFO, QuotationSystem
from spacy_joint.tagging.system import TaggingSystem

from ..engine.sharing import call_at_once
from ..engine.toys import random_weights

SYSTEM = QuotationSystem(neighbours=False)
TEMPLATES = Templates("w.word\nw-1.word w.word\n\nplace\nlength b.word\n\nwhole\nsentences w.word", ["word"], SYSTEM)
OTHER = TaggingSystem(["x"])
BITS = 12

# The number of tokens of a sentence.
PERIOD = 10


def make_weights(seed=0, scale=0.37, system=SYSTEM, bits=BITS):
    return random_weights(system, seed, bits, scale)


def make_columns(n):
    """A document of sentences of ten tokens, which repeats itself; without cues, marks and trees."""
    tokens = np.arange(n)
    token_info = np.full((n, len(TOKEN_INFO)), -1, dtype=np.int32)
    for name, values in {
        "sentence": tokens // PERIOD,
        "sentence.first": tokens // PERIOD * PERIOD,
        "sentence.last": np.minimum(tokens // PERIOD * PERIOD + PERIOD, n) - 1,
        "paragraph": 0,
        "word.next": tokens,
        "word.before": tokens,
        "is.mark": 0,
        **{name: 0 for name in TOKEN_INFO if name.startswith("n.")},
    }.items():
        token_info[:, TOKEN_INFO.index(name)] = values
    words = 1 + tokens[:, None] % PERIOD * 7 % 5
    return Columns(["word"], words.astype(np.uint64), None, token_info)


def all_spans(n):
    return list(combinations(range(n), 2))


def score_by_search(weights, columns, spans):
    """The scores of spans by the scores of whole paths, which a beam that holds them all gives."""
    search = Search(SYSTEM, TEMPLATES, 1024)
    paths = search.predict_all(weights, columns, recombine=False)
    totals = {tuple(SYSTEM.build(path)): total for path, total in paths}
    return [totals[(span,)] - totals[()] for span in spans]


@pytest.mark.parametrize("seed", range(4))
def test_the_score_of_a_span_is_what_it_adds_to_the_score_of_a_document(seed):
    weights, columns = make_weights(seed), make_columns(8)
    spans = all_spans(8)
    found = SpanScorer(SYSTEM, TEMPLATES, weights, columns).score_spans(spans)
    np.testing.assert_allclose(found, score_by_search(weights, columns, spans), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("scale", [0.37, 1e-3, 1.0])
def test_a_span_scores_the_same_wherever_it_stands(scale):
    n = 500_000
    weights = make_weights(3, scale)
    scorer = SpanScorer(SYSTEM, TEMPLATES, weights, make_columns(n))
    # The first sentence has no left neighbour.
    spans = [(begin, end) for begin in range(10, 14) for end in (begin + 1, begin + 3, begin + 12)]
    first = scorer.score_spans(spans)
    for shift in (1000, n // 2, n - 100):
        moved = scorer.score_spans([(begin + shift, end + shift) for begin, end in spans])
        np.testing.assert_allclose(moved, first, rtol=1e-6, atol=1e-6 * scale)


@pytest.mark.parametrize("span", [(0, 0), (3, 2), (-1, 2), (4, 6), (6, 7), (2**31 - 2, 2**31 - 1), (-(2**31), 3)])
def test_impossible_spans_are_refused(span):
    scorer = SpanScorer(SYSTEM, TEMPLATES, make_weights(), make_columns(6))
    with pytest.raises(ValueError, match=r"\[J320\]"):
        scorer.score_spans([(0, 1), span])
    for other in (("0", 1), (None, 1), (0,), 3):
        with pytest.raises((TypeError, ValueError)):
            scorer.score_spans([other])
    # Free for the next call.
    assert len(scorer.score_spans([(0, 1)])) == 1


@pytest.mark.parametrize(("n", "longest"), [(0, 100), (1, 100), (30, -(2**31)), (30, -1), (30, 0), (30, 1)])
def test_no_span_is_shorter_than_two_tokens(n, longest):
    scorer = SpanScorer(SYSTEM, TEMPLATES, make_weights(), make_columns(n))
    assert scorer.score_spans([]) == []
    assert [array.tolist() for array in scorer.find(1e9, longest)] == [[], [], []]


@pytest.mark.parametrize("longest", [2, 5, 2**31 - 1])
def test_spans_found_are_those_that_no_token_more_or_less_makes_better(longest):
    n = 30
    scorer = SpanScorer(SYSTEM, TEMPLATES, make_weights(1), make_columns(n))
    begins, ends, scores = (array.tolist() for array in scorer.find(1e9, longest))
    found = {(begin, end): score for begin, end, score in zip(begins, ends, scores, strict=True)}
    expected = {}
    for begin in range(n - 1):
        ends = range(begin + 1, min(begin + longest, n))
        scores = scorer.score_spans([(begin, end) for end in ends])
        for i, (end, score) in enumerate(zip(ends, scores, strict=True)):
            neighbours = scores[max(i - 1, 0) : i] + scores[i + 1 : i + 2]
            if score > 0 and score >= max(neighbours, default=0):
                expected[begin, end] = score
    assert found == expected and found


def test_scores_are_those_of_the_weights_that_it_was_made_with():
    weights, columns, spans = make_weights(0, bits=20), make_columns(200), [(i, i + 5) for i in range(100)]
    scorer = SpanScorer(SYSTEM, TEMPLATES, weights, columns)
    expected = scorer.score_spans(spans)
    for seed in range(1, 6):
        other = make_weights(seed, bits=20)
        weights.set_averaged(other.averaged, other.kept, other.scale)
        del other
        gc.collect()
        assert scorer.score_spans(spans) == expected
    del weights
    gc.collect()
    assert scorer.score_spans(spans) == expected


def test_a_scorer_is_used_by_one_thread_at_a_time():
    scorer = SpanScorer(SYSTEM, TEMPLATES, make_weights(), make_columns(3000))
    expected = [array.tolist() for array in scorer.find(1e9, 300)]
    found = call_at_once(*[lambda: [array.tolist() for array in scorer.find(1e9, 300)]] * 3)
    assert expected in found and "J007" in found and all(result in (expected, "J007") for result in found)


def test_templates_weights_and_columns_of_another_system_are_refused():
    others = Templates("w.word", ["word"], OTHER)
    tags = Columns(["tag"], np.ones((3, 1), dtype=np.uint64), None, np.zeros((3, len(TOKEN_INFO)), dtype=np.int32))
    for templates, weights, columns, code in (
        (others, make_weights(), make_columns(5), "J040"),
        (TEMPLATES, make_weights(system=OTHER), make_columns(5), "J033"),
        (TEMPLATES, make_weights(), tags, "J034"),
    ):
        with pytest.raises(ValueError, match=code):
            SpanScorer(SYSTEM, templates, weights, columns)
