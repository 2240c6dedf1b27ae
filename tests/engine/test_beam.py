"""Beam search against plain Python: scores by their definition, greedy search by hand, all paths of tiny documents."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.system import System
from spacy_joint.engine.weights import Weights
from spacy_joint.parsing.system import JointSystem
from spacy_joint.tagging.system import TaggingSystem

from . import toys
from .toys import BOUNDED_TAGGING, JOINT, TAGGING, make_search, predict, random_columns, random_weights, templates_for

QUICK = settings(max_examples=40)
SYSTEMS = st.sampled_from([JOINT, toys.LATE, TAGGING, BOUNDED_TAGGING])
seeds = st.integers(0, 2**32 - 1)


@QUICK
@given(SYSTEMS, st.integers(1, 12), seeds, st.sampled_from([2, 4, 16]))
def test_only_the_best_of_equal_states_stays_and_the_same_search_finds_it_again(system, n_tokens, seed, width):
    columns, weights = random_columns(n_tokens, seed), random_weights(system, seed)
    search = make_search(system, width)
    found, plain = (search.predict_all(weights, columns, recombine) for recombine in (True, False))
    assert found[0][0].tolist() == predict(system, weights, columns, width)
    search.predict(random_weights(system, seed + 1), random_columns(5, seed))
    assert found[0][0].tolist() == search.predict(weights, columns).tolist()
    assert len({tuple(actions.tolist()) for actions, _ in plain}) == len(plain) >= len(found)
    for scores in ([score for _, score in paths] for paths in (found, plain)):
        assert scores == sorted(scores, reverse=True)


def test_recombination_makes_a_narrow_beam_exact_where_states_are_few():
    # Two tags that look one tag back have two states: beam width 2 holds the best path to each.
    columns, system = random_columns(60, seed=5), TaggingSystem(["a", "b"], order=1)
    weights = random_weights(system, 5)
    found = {}
    for width in (2, 1000):
        search = make_search(system, width)
        found[width] = search.predict_all(weights, columns)[0][1]
    assert found[2] == found[1000]


def test_a_bias_may_depend_on_a_token():
    columns = Columns(toys.COLUMNS, np.array([[1, 1], [2, 1], [3, 1], [2, 2], [9, 1]], dtype=np.uint64))
    weights = random_weights(TAGGING, scale=0.0)
    by_both = np.zeros((3, 3))
    by_both[2, 1] = 1.0
    biases = {2: (["w.word", f"w.{toys.COLUMNS[1]}"], by_both), 1: (["w.word"], np.array([0.0, 0.0, 0.0, 2.0]))}
    assert Search(TAGGING, templates_for(TAGGING), 4, biases).predict(weights, columns).tolist() == [0, 2, 1, 0, 0]


@QUICK
@given(SYSTEMS, st.integers(0, 10), seeds, st.sampled_from([1, 4, 40]), st.sampled_from([1.0, 0.0, -1.0]), st.data())
def test_a_prediction_is_a_legal_path_to_a_final_state_whatever_the_scale(system, n_tokens, seed, width, scale, data):
    constraints = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n_tokens, max_size=n_tokens))
    columns = random_columns(n_tokens, seed, constraints)
    actions = predict(system, random_weights(system, seed, scale=scale), columns, width)
    assert toys.replay(system, columns, actions).is_final


@settings(max_examples=15)
@given(st.sampled_from([(TAGGING, 4), (BOUNDED_TAGGING, 3), (JOINT, 2), (toys.LATE, 2)]), seeds)
def test_a_beam_that_holds_all_paths_finds_the_best(problem, seed):
    system, n_tokens = problem
    weights, columns = random_weights(system, seed), random_columns(n_tokens, seed)
    scores = toys.NaiveScores(system, toys.random_values(n_tokens, seed), weights)
    paths = toys.all_paths(lambda actions: toys.replay(system, columns, actions))
    best = max(toys.path_score(scores, columns, actions) for actions in paths)
    assert toys.path_score(scores, columns, predict(system, weights, columns, 500)) == best


def test_a_search_notices_weights_changed_in_place_and_pruned_features():
    search, columns, weights = make_search(JOINT), random_columns(12), random_weights(JOINT)
    before = search.predict(weights, columns).tolist()
    weights.averaged[:] = random_weights(JOINT, 1).averaged
    assert before != search.predict(weights, columns).tolist() == predict(JOINT, weights, columns, 4)
    # The same cells; only `kept` changes.
    weights.set_averaged(weights.averaged, np.zeros_like(weights.kept), 1.0)
    assert search.predict(weights, columns).tolist() == predict(JOINT, toys.zero_weights(JOINT, 12), columns, 4)


def test_another_table_at_the_same_address_is_not_mistaken_for_the_previous_one():
    buffer = random_weights(JOINT, bits=14).averaged
    search, columns = make_search(JOINT), random_columns(12)

    def borrow(bits, width=JOINT.row_width):
        weights = Weights(bits, width)
        weights.set_averaged(buffer[: weights.n_cells], toys.all_kept(weights.bits), 1.0)
        return weights

    for bits in (14, 8, 11):
        weights = borrow(bits)
        assert search.predict(weights, columns).tolist() == predict(JOINT, weights, columns, 4)
    with pytest.raises(ValueError, match="J033"):
        search.predict(borrow(12, JOINT.row_width + 1), columns)
    assert search.predict(weights, columns).tolist() == predict(JOINT, weights, columns, 4)


def test_a_long_document_survives_collections_of_the_arena():
    columns = random_columns(6000)
    actions = predict(JOINT, random_weights(JOINT, 3), columns, 6)
    assert toys.replay(JOINT, columns, actions).is_final


@pytest.mark.parametrize("system", [JOINT, toys.LATE, TAGGING, BOUNDED_TAGGING])
@pytest.mark.parametrize("scale", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("width", [1, 8, 200])
def test_scores_that_are_not_numbers_are_refused(system, scale, width):
    for n_tokens in (1, 2, 10):
        with pytest.raises(ValueError, match="J009"):
            predict(system, random_weights(system, scale=scale), random_columns(n_tokens), width)


def test_the_widest_beam_the_most_actions_and_templates_of_a_system_with_other_labels_are_allowed():
    assert make_search(JOINT, 1024).width == 1024
    assert Search(TAGGING, templates_for(BOUNDED_TAGGING), 4).width == 4
    system, columns = TaggingSystem([f"tag{i}" for i in range(4096)]), random_columns(3)
    assert toys.replay(system, columns, predict(system, random_weights(system), columns, 3)).is_final


BIASES = {
    "of an action that does not exist": ("J030", [{-1: 1.0}, {10_000: 1.0}]),
    "that are no numbers": ("J030", [{0: float("nan")}, {0: float("inf")}, {0: (["w.word"], np.array([0.0, np.nan]))}]),
    "of what templates do not read": ("J156", [{0: ([x], np.ones(2))} for x in ("w.style", "x.word", "word", "tag-1")]),
    "of other dimensions": ("J001", [{0: (["w.word"], np.ones((2, 2)))}, {0: ([], np.ones(2))}]),
    "of more than three atoms": ("J001", [{0: (4 * ["w.word"], np.ones((2, 2, 2, 2)))}]),
}
REFUSED = {
    "too many actions": ("J031.*4100.*4096", lambda: JointSystem(map(str, range(4095)), ["r"], ["root"])),
    "no actions": ("J031", lambda: Search(System(), templates_for(JOINT), 1)),
    "templates with unknown slots": ("J040", lambda: Search(JOINT, templates_for(TAGGING), 4)),
    "templates of a larger system": ("J040", lambda: Search(TAGGING, templates_for(JOINT), 4)),
    "weights for other labels": ("J033", lambda: predict(JOINT, random_weights(TAGGING), random_columns(3), 4)),
    "weights that were not finished": ("J024", lambda: predict(JOINT, toys.fresh_weights(JOINT), random_columns(3), 4)),
    **{
        f"width {width}": (f"J030.*{width}.*1024", partial(Search, JOINT, templates_for(JOINT), width))
        for width in (0, -1, 1025, 2**31 - 1)
    },
    **{
        f"columns {names}": (
            r"J034.*word, tag",
            partial(predict, JOINT, random_weights(JOINT), Columns(names, np.zeros((3, len(names)), np.uint64)), 4),
        )
        for names in ((), ("word",), ("tag", "word"), ("word", "tag", "more"))
    },
    **{
        f"bias {i} {name}": (code, partial(Search, TAGGING, templates_for(TAGGING), 4, bias))
        for name, (code, biases) in BIASES.items()
        for i, bias in enumerate(biases)
    },
}


@pytest.mark.parametrize(("message", "call"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(message, call):
    with pytest.raises(ValueError, match=message):
        call()
