"""Search over orders, compared with brute force by the definition of the score."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.templates import Templates
from spacy_joint.engine.weights import Weights
from spacy_joint.ordering.learner import OrderLearner
from spacy_joint.ordering.system import OrderingSystem, Ranker

SYSTEM = OrderingSystem()
TEMPLATES = Templates(
    "a.word\nb.word\na.word b.word\n\nleft.word right.word\n\nit.word place\nit.word from.left\n\nlast.word head.word",
    ["word"],
    SYSTEM,
)
BITS = 12


def make_weights(seed):
    weights = Weights(BITS, 1)
    averaged = np.random.default_rng(seed).integers(-127, 128, weights.n_cells).astype(np.int8)
    weights.predict_with(averaged, np.full((1 << BITS) // 8, 255, dtype=np.uint8), 1.0)
    return weights


def make_columns(words):
    return Columns(["word"], np.array(words, dtype=np.uint64).reshape(-1, 1))


def rank_all(weights, words):
    """All distinct orders, best first, by scoring each."""
    ranker = Ranker(SYSTEM, TEMPLATES, 1)
    columns = make_columns(words)
    found = {}
    for order in permutations(range(len(words) - 1)):
        found.setdefault(tuple(words[i] for i in order), ranker.score(weights, columns, order))
    return sorted(found.values(), reverse=True)


words_of = st.lists(st.integers(1, 9), min_size=1, max_size=6)


@given(words_of, st.integers(0, 50), st.integers(1, 5))
@settings(deadline=None)
def test_exact_search_finds_the_best_orders(words, seed, n_best):
    weights = make_weights(seed)
    ranked = Ranker(SYSTEM, TEMPLATES, 1).rank(weights, make_columns(words), n_best, exact=True)
    best = rank_all(weights, words)[:n_best]
    assert [score for _, score in ranked] == best
    readings = [tuple(words[i] for i in order) for order, _ in ranked]
    assert len(set(readings)) == len(readings)


@given(st.lists(st.integers(1, 99), min_size=1, max_size=7), st.integers(0, 50))
@settings(deadline=None)
def test_a_beam_that_is_wide_enough_is_exact(words, seed):
    weights, columns = make_weights(seed), make_columns(words)
    ranker = Ranker(SYSTEM, TEMPLATES, 1000)
    assert ranker.rank(weights, columns, 3, exact=False) == ranker.rank(weights, columns, 3, exact=True)


@given(st.lists(st.integers(1, 99), min_size=1, max_size=12), st.integers(0, 50), st.sampled_from([1, 4, 16]))
@settings(deadline=None)
def test_the_score_found_equals_a_recomputed_score(words, seed, width):
    weights, columns = make_weights(seed), make_columns(words)
    ranker = Ranker(SYSTEM, TEMPLATES, width)
    for order, score in ranker.rank(weights, columns, 2):
        assert ranker.score(weights, columns, order) == score


@given(st.lists(st.integers(1, 99), min_size=9, max_size=9), st.integers(0, 9))
@settings(deadline=None, max_examples=20)
def test_a_wider_beam_is_never_worse(words, seed):
    weights, columns = make_weights(seed), make_columns(words)
    exact = Ranker(SYSTEM, TEMPLATES, 1).rank(weights, columns, 1, exact=True)[0][1]
    assert Ranker(SYSTEM, TEMPLATES, 16).rank(weights, columns, 1, exact=False)[0][1] <= exact


def test_more_modifiers_than_bits_are_refused():
    with pytest.raises(ValueError, match=r"\[J355\].*65 modifiers"):
        Ranker(SYSTEM, TEMPLATES, 4).rank(make_weights(0), make_columns(range(1, 67)))


def test_only_orders_have_scores():
    with pytest.raises(ValueError, match=r"\[J356\]"):
        Ranker(SYSTEM, TEMPLATES, 4).score(make_weights(0), make_columns([1, 2, 3]), [0, 0])


def test_a_block_of_templates_describes_one_part():
    mixed = Templates("a.word\nlast.word", ["word"], SYSTEM)
    with pytest.raises(ValueError, match=r"\[J354\].*a, last"):
        Ranker(SYSTEM, mixed, 4)


def test_learning_ranks_the_observed_order_first():
    weights = Weights(BITS, 1)
    weights.learn()
    learner = OrderLearner(weights, SYSTEM, TEMPLATES, 4)
    phrases = [(make_columns([1, 2, 3, 9]), [2, 0, 1]), (make_columns([1, 2, 8]), [0, 1])]
    violations = [learner.update([phrases])["violation"] for _ in range(10)]
    assert violations[0] > 1 and violations[-1] == pytest.approx(0.0, abs=1e-5)
    weights.finish()
    ranker = Ranker(SYSTEM, TEMPLATES, 4)
    assert [ranker.rank(weights, columns)[0][0] for columns, _ in phrases] == [(2, 0, 1), (0, 1)]


def test_an_update_never_makes_the_difference_negative():
    """If the margin is below the share of wrong pairs, the features of the gold order gain exactly the difference."""
    weights = Weights(BITS, 1)
    weights.learn()
    learner = OrderLearner(weights, SYSTEM, TEMPLATES, 4, aggressiveness=100.0)
    phrase = (make_columns([1, 2, 9]), [1, 0])
    assert learner.update([[phrase]])["violation"] == pytest.approx(1.0)
    assert learner.update([[phrase]])["violation"] == pytest.approx(0.0, abs=1e-5)
