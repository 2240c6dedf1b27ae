"""Search over orders, compared with brute force by the definition of the score."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.templates import Templates
from spacy_joint.engine.weights import Weights
from spacy_joint.ordering.system import OrderingSystem, OrderLearner, Ranker

from ..engine.sharing import call_at_once
from ..engine.toys import TAGGING, fresh_weights, random_weights

SYSTEM = OrderingSystem()
TEMPLATES = Templates(
    "a.word\nb.word\na.word b.word\n\nleft.word right.word\n\nit.word place\nit.word from.left\n\nlast.word head.word",
    ["word"],
    SYSTEM,
)
BITS = 12


def make_columns(words):
    return Columns(["word"], np.array(words, dtype=np.uint64).reshape(-1, 1))


def rank(columns, *arguments, weights=None, **options):
    return Ranker(SYSTEM, TEMPLATES, 4).rank(weights or random_weights(SYSTEM, 0), columns, *arguments, **options)


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
def test_exact_search_finds_the_best_orders(words, seed, n_best):
    weights = random_weights(SYSTEM, seed)
    ranked = Ranker(SYSTEM, TEMPLATES, 1).rank(weights, make_columns(words), n_best, exact=True)
    best = rank_all(weights, words)[:n_best]
    assert [score for _, score in ranked] == best
    readings = [tuple(words[i] for i in order) for order, _ in ranked]
    assert len(set(readings)) == len(readings)


@given(st.lists(st.integers(1, 99), min_size=1, max_size=7), st.integers(0, 50))
def test_a_beam_that_is_wide_enough_is_exact(words, seed):
    weights, columns = random_weights(SYSTEM, seed), make_columns(words)
    ranker = Ranker(SYSTEM, TEMPLATES, 1000)
    assert ranker.rank(weights, columns, 3, exact=False) == ranker.rank(weights, columns, 3, exact=True)


@given(st.lists(st.integers(1, 99), min_size=1, max_size=12), st.integers(0, 50), st.sampled_from([1, 4, 16]))
def test_the_score_found_equals_a_recomputed_score(words, seed, width):
    weights, columns = random_weights(SYSTEM, seed), make_columns(words)
    ranker = Ranker(SYSTEM, TEMPLATES, width)
    for order, score in ranker.rank(weights, columns, 2):
        assert ranker.score(weights, columns, order) == score


@pytest.mark.parametrize(("n_best", "n"), [(2**40, 6), (1, 1), (0, 1), (-5, 1)])
def test_orders_are_as_many_as_there_are_but_one_at_least(n_best, n):
    assert len(rank(make_columns([1, 2, 3, 9]), n_best)) == n


@pytest.mark.parametrize("places", [[0, 0], [0], [0, 1, 2], [1, 2], [-1, 0], [0, 2**31], []])
def test_only_orders_are_learnt(places):
    weights = fresh_weights(SYSTEM, BITS)
    learner = OrderLearner(weights, SYSTEM, TEMPLATES, 4)
    good = (make_columns([1, 2, 9]), [1, 0])
    with pytest.raises(ValueError, match=r"\[J030\].*2 modifiers"):
        learner.update([[good, (make_columns([1, 2, 3]), places)]])
    # Refused before anything was learnt, and free for the next call.
    assert not weights.raw.any() and weights.n_updates == 0
    assert learner.update([[good]])["violation"] > 0


@pytest.mark.parametrize("order", [[0, 0], [0], [0, 1, 2], [1, 2], [-1, 0], []])
def test_an_order_that_is_no_permutation_has_no_score(order):
    with pytest.raises(ValueError, match=r"\[J030\].*2 modifiers"):
        Ranker(SYSTEM, TEMPLATES, 4).score(random_weights(SYSTEM, 0), make_columns([1, 2, 3]), order)


@pytest.mark.parametrize("width", [0, -1, 1025])
def test_a_width_out_of_range_is_refused(width):
    weights = Weights(BITS, 1)
    for make in (lambda: Ranker(SYSTEM, TEMPLATES, width), lambda: OrderLearner(weights, SYSTEM, TEMPLATES, width)):
        with pytest.raises(ValueError, match=r"\[J030\].*1024"):
            make()


FITTING = make_columns([1, 2, 3])
OTHERS = Templates("w.word", ["word"], TAGGING)
REFUSED = {
    "an exact search of many modifiers": ("J030.* is 17", lambda: rank(make_columns(range(1, 19)), exact=True)),
    "more modifiers than bits": ("J002.*65 modifiers", lambda: rank(make_columns(range(1, 67)))),
    "a phrase without even a head": ("J002", lambda: rank(make_columns([]))),
    "other columns": ("J034", lambda: rank(Columns(["tag"], np.ones((3, 1), dtype=np.uint64)))),
    "weights of another system": ("J033", lambda: rank(FITTING, weights=random_weights(TAGGING))),
    "weights that were not finished": ("J024", lambda: rank(FITTING, weights=Weights(BITS, 1))),
    "other templates to rank": ("J040.*slot of the templates", lambda: Ranker(SYSTEM, OTHERS, 4)),
    "other templates to learn": ("J040.*slot of", lambda: OrderLearner(Weights(BITS, 1), SYSTEM, OTHERS, 4)),
    "these templates elsewhere": ("J040.*slot of the templates", lambda: Search(TAGGING, TEMPLATES, 4)),
}


@pytest.mark.parametrize(("message", "call"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(message, call):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("scale", [float("nan"), float("inf")])
def test_scores_that_are_not_numbers_are_refused(scale):
    weights = random_weights(SYSTEM, 0)
    weights.set_averaged(weights.averaged, weights.kept, scale)
    ranker = Ranker(SYSTEM, TEMPLATES, 4)
    for n in (2, 12):
        with pytest.raises(ValueError, match=r"\[J009\]"):
            ranker.rank(weights, make_columns(range(1, n + 2)))
    # Free for the next call.
    assert ranker.rank(random_weights(SYSTEM, 0), make_columns([1, 2, 3]))


def test_a_ranker_is_used_by_one_thread_at_a_time():
    ranker, weights, columns = Ranker(SYSTEM, TEMPLATES, 1000), random_weights(SYSTEM, 0), make_columns(range(1, 66))
    expected = ranker.rank(weights, columns)
    found = call_at_once(*[lambda: ranker.rank(weights, columns)] * 3)
    assert expected in found and "J007" in found and all(result in (expected, "J007") for result in found)


def test_learning_ranks_the_observed_order_first():
    weights = fresh_weights(SYSTEM, BITS)
    learner = OrderLearner(weights, SYSTEM, TEMPLATES, 4)
    phrases = [(make_columns([1, 2, 3, 9]), [2, 0, 1]), (make_columns([1, 2, 8]), [0, 1])]
    violations = [learner.update([phrases])["violation"] for _ in range(10)]
    assert violations[0] > 1 and violations[-1] == pytest.approx(0.0, abs=1e-5)
    weights.finish()
    ranker = Ranker(SYSTEM, TEMPLATES, 4)
    assert [ranker.rank(weights, columns)[0][0] for columns, _ in phrases] == [(2, 0, 1), (0, 1)]


def test_an_update_never_makes_the_difference_negative():
    """If the margin is below the share of wrong pairs, the features of the gold order gain exactly the difference."""
    weights = fresh_weights(SYSTEM, BITS)
    learner = OrderLearner(weights, SYSTEM, TEMPLATES, 4, aggressiveness=100.0)
    phrase = (make_columns([1, 2, 9]), [1, 0])
    assert learner.update([[phrase]])["violation"] == pytest.approx(1.0)
    assert learner.update([[phrase]])["violation"] == pytest.approx(0.0, abs=1e-5)
