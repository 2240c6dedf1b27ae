"""Beam search against plain Python: scores by their definition, greedy search by hand, all paths of tiny documents."""

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

from .toys import (
    BOUNDED_TAGGING,
    COLUMNS,
    JOINT,
    LATE,
    TAGGING,
    NaiveScores,
    all_kept,
    all_paths,
    fresh_weights,
    path_score,
    random_columns,
    random_values,
    random_weights,
    replay,
    templates_for,
)

QUICK = settings(max_examples=40)
SYSTEMS = st.sampled_from([JOINT, LATE, TAGGING, BOUNDED_TAGGING])
seeds = st.integers(0, 2**32 - 1)


def predict(system, weights, columns, width):
    return Search(system, templates_for(system), width).predict(weights, columns).tolist()


# Results


@QUICK
@given(SYSTEMS, st.integers(1, 12), seeds, st.sampled_from([2, 4, 16]))
def test_only_the_best_of_equal_states_stays(system, n_tokens, seed, width):
    columns, weights = random_columns(n_tokens, seed), random_weights(system, seed)
    search = Search(system, templates_for(system), width)
    found, plain = (search.predict_all(weights, columns, recombine) for recombine in (True, False))
    assert found[0][0].tolist() == predict(system, weights, columns, width)
    assert len({tuple(actions.tolist()) for actions, _ in plain}) == len(plain) >= len(found)
    for scores in ([score for _, score in paths] for paths in (found, plain)):
        assert scores == sorted(scores, reverse=True)


def test_recombination_makes_a_narrow_beam_exact_where_states_are_few():
    # Two tags that look one tag back have two states: beam width 2 holds the best path to each.
    columns, system = random_columns(60, seed=5), TaggingSystem(["a", "b"], order=1)
    weights = random_weights(system, 5)
    found = {}
    for width in (2, 1000):
        search = Search(system, templates_for(system), width)
        found[width] = search.predict_all(weights, columns)[0][1]
    assert found[2] == found[1000]


BIASES = {
    "of an action that does not exist": ("J030", [{-1: 1.0}, {10_000: 1.0}]),
    "that are no numbers": ("J030", [{0: float("nan")}, {0: float("inf")}, {0: (["w.word"], np.array([0.0, np.nan]))}]),
    "of what templates do not read": ("J156", [{0: ([x], np.ones(2))} for x in ("w.style", "x.word", "word", "tag-1")]),
    "of other dimensions": ("J001", [{0: (["w.word"], np.ones((2, 2)))}, {0: ([], np.ones(2))}]),
    "of more than three atoms": ("J001", [{0: (4 * ["w.word"], np.ones((2, 2, 2, 2)))}]),
}


@pytest.mark.parametrize(("code", "biases"), BIASES.values(), ids=BIASES)
def test_invalid_biases_are_refused(code, biases):
    for bias in biases:
        with pytest.raises(ValueError, match=code):
            Search(TAGGING, templates_for(TAGGING), 4, bias)


def test_a_bias_may_depend_on_a_token():
    columns = Columns(COLUMNS, np.array([[1, 1], [2, 1], [3, 1], [2, 2], [9, 1]], dtype=np.uint64))
    weights = random_weights(TAGGING, scale=0.0)
    by_both = np.zeros((3, 3))
    by_both[2, 1] = 1.0
    biases = {2: (["w.word", f"w.{COLUMNS[1]}"], by_both), 1: (["w.word"], np.array([0.0, 0.0, 0.0, 2.0]))}
    assert Search(TAGGING, templates_for(TAGGING), 4, biases).predict(weights, columns).tolist() == [0, 2, 1, 0, 0]


@QUICK
@given(SYSTEMS, st.integers(0, 10), seeds, st.sampled_from([1, 4, 40]), st.sampled_from([1.0, 0.0, -1.0]), st.data())
def test_a_prediction_is_a_legal_path_to_a_final_state_whatever_the_scale(system, n_tokens, seed, width, scale, data):
    constraints = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n_tokens, max_size=n_tokens))
    columns = random_columns(n_tokens, seed, constraints)
    actions = predict(system, random_weights(system, seed, scale=scale), columns, width)
    assert replay(system, columns, actions).is_final


@settings(max_examples=15)
@given(st.sampled_from([(TAGGING, 4), (BOUNDED_TAGGING, 3), (JOINT, 2), (LATE, 2)]), seeds)
def test_a_beam_that_holds_all_paths_finds_the_best(problem, seed):
    system, n_tokens = problem
    weights, columns = random_weights(system, seed), random_columns(n_tokens, seed)
    scores = NaiveScores(system, random_values(n_tokens, seed), weights)
    paths = all_paths(lambda actions: replay(system, columns, actions))
    best = max(path_score(scores, columns, actions) for actions in paths)
    assert path_score(scores, columns, predict(system, weights, columns, 500)) == best


@QUICK
@given(SYSTEMS, seeds, st.sampled_from([1, 7]))
def test_the_same_search_gives_the_same_path_again(system, seed, width):
    search, weights, columns = Search(system, templates_for(system), width), random_weights(system), random_columns(9)
    first = search.predict(weights, columns).tolist()
    search.predict(random_weights(system, seed), random_columns(5, seed))
    assert search.predict(weights, columns).tolist() == first


def test_a_search_notices_weights_changed_in_place():
    search, columns, weights = Search(JOINT, templates_for(JOINT), 4), random_columns(12), random_weights(JOINT)
    before = search.predict(weights, columns).tolist()
    weights.averaged[:] = random_weights(JOINT, 1).averaged
    assert before != search.predict(weights, columns).tolist() == predict(JOINT, weights, columns, 4)


def test_another_table_at_the_same_address_is_not_mistaken_for_the_previous_one():
    buffer = random_weights(JOINT, bits=14).averaged
    search, columns = Search(JOINT, templates_for(JOINT), 4), random_columns(12)

    def borrow(bits, width=JOINT.row_width):
        weights = Weights(bits, width)
        weights.set_averaged(buffer[: weights.n_cells], all_kept(weights.bits), 1.0)
        return weights

    for bits in (14, 8, 11):
        weights = borrow(bits)
        assert search.predict(weights, columns).tolist() == predict(JOINT, weights, columns, 4)
    with pytest.raises(ValueError, match="J033"):
        search.predict(borrow(12, JOINT.row_width + 1), columns)
    assert search.predict(weights, columns).tolist() == predict(JOINT, weights, columns, 4)


def test_pruned_features_are_not_used():
    search, columns, weights = Search(JOINT, templates_for(JOINT), 4), random_columns(12), random_weights(JOINT)
    nothing, zeros = np.zeros_like(weights.kept), Weights(12, JOINT.row_width)
    zeros.set_averaged(np.zeros_like(weights.averaged), weights.kept, 1.0)
    search.predict(weights, columns)
    # The same cells; only `kept` has changed.
    weights.set_averaged(weights.averaged, nothing, 1.0)
    assert search.predict(weights, columns).tolist() == predict(JOINT, zeros, columns, 4)


def test_a_long_document_survives_collections_of_the_arena():
    columns = random_columns(6000)
    actions = predict(JOINT, random_weights(JOINT, 3), columns, 6)
    assert replay(JOINT, columns, actions).is_final


@pytest.mark.parametrize("system", [JOINT, LATE, TAGGING, BOUNDED_TAGGING])
@pytest.mark.parametrize("scale", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("width", [1, 8, 200])
def test_scores_that_are_not_numbers_are_refused(system, scale, width):
    for n_tokens in (1, 2, 10):
        with pytest.raises(ValueError, match="J009"):
            predict(system, random_weights(system, scale=scale), random_columns(n_tokens), width)


# Invalid arguments


@pytest.mark.parametrize("width", [0, -1, 1025, 2**31 - 1])
def test_a_width_out_of_range_is_refused(width):
    with pytest.raises(ValueError, match=f"J030.*{width}.*1024"):
        Search(JOINT, templates_for(JOINT), width)


def test_the_widest_beam_is_allowed():
    assert Search(JOINT, templates_for(JOINT), 1024).width == 1024


def test_the_maximum_number_of_actions_can_be_searched():
    system = TaggingSystem([f"tag{i}" for i in range(4096)])
    columns = random_columns(3)
    assert replay(system, columns, predict(system, random_weights(system), columns, 3)).is_final


def test_templates_of_a_system_with_other_labels_are_fine():
    assert Search(TAGGING, templates_for(BOUNDED_TAGGING), 4).width == 4


REFUSED = {
    "too many actions": ("J031.*4100.*4096", lambda: JointSystem(map(str, range(4095)), ["r"], ["root"])),
    "no actions": ("J031", lambda: Search(System(), templates_for(JOINT), 1)),
    "templates with unknown slots": ("J040", lambda: Search(JOINT, templates_for(TAGGING), 4)),
    "templates of a larger system": ("J040", lambda: Search(TAGGING, templates_for(JOINT), 4)),
    "weights for other labels": ("J033", lambda: predict(JOINT, random_weights(TAGGING), random_columns(3), 4)),
    "weights that were not finished": ("J024", lambda: predict(JOINT, fresh_weights(JOINT), random_columns(3), 4)),
}


@pytest.mark.parametrize(("message", "call"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(message, call):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("names", [(), ("word",), ("tag", "word"), ("word", "tag", "more")])
def test_documents_with_other_columns_are_refused(names):
    columns = Columns(names, np.zeros((3, len(names)), dtype=np.uint64))
    with pytest.raises(ValueError, match=r"J034.*word, tag"):
        predict(JOINT, random_weights(JOINT), columns, 4)
