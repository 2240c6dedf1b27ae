"""What learning refuses: illegal gold paths, and other invalid arguments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.learner import STRATEGIES, Instance, Learner

from .toys import (
    COLUMNS,
    JOINT,
    PROBLEMS,
    TAGGING,
    fresh_weights,
    make_learner,
    parsing_problem,
    random_columns,
    replay,
    templates_for,
    train,
    zero_weights,
)

# Illegal gold paths


@pytest.mark.parametrize("update_strategy", ["greedy", "max_violation", "dlaso", "laso"])
@pytest.mark.parametrize("more", [0, 5, 65535])
@pytest.mark.parametrize("name", PROBLEMS)
def test_actions_after_the_end_are_refused(update_strategy, more, name):
    system, problem = PROBLEMS[name]
    for n_more in (1, 9):
        longer = [(columns, [*actions, *[more] * n_more]) for columns, actions in problem[:1]]
        with pytest.raises(ValueError, match="J043"):
            train(system, longer, update_strategy=update_strategy, width=40)


@pytest.mark.parametrize("update_strategy", STRATEGIES)
@pytest.mark.parametrize("action", [7, 4096, 65535])
@pytest.mark.parametrize("system", [JOINT, TAGGING])
def test_action_numbers_out_of_range_are_refused(update_strategy, action, system):
    with pytest.raises(ValueError, match=r"J043.*step 0"):
        train(system, [(random_columns(3), [action, 0, 0])], update_strategy=update_strategy)


def test_a_path_through_a_preset_boundary_is_refused():
    columns = random_columns(2, constraints=[0, 1])
    shift, left, root = JOINT.actions["SHIFT"], JOINT.actions["LEFT", "l"], JOINT.actions["ROOT", "root"]
    with pytest.raises(ValueError, match=r"J043.* 4 gold actions.*step 1"):
        train(JOINT, [(columns, [shift, shift, left, root])])


@settings(max_examples=80)
@given(
    st.sampled_from([JOINT, TAGGING]),
    st.sampled_from(STRATEGIES),
    st.integers(0, 4),
    st.lists(st.one_of(st.integers(0, 8), st.integers(0, 65535)), max_size=14),
    st.sampled_from([1, 4, 40]),
)
def test_exactly_the_legal_paths_are_accepted(system, update_strategy, n_tokens, actions, width):
    columns = random_columns(n_tokens)
    try:
        legal = replay(system, columns, actions).is_final
    except ValueError:
        legal = False
    try:
        train(system, [(columns, actions)], update_strategy=update_strategy, width=width)
        accepted = True
    except ValueError:
        accepted = False
    # Early update never sees the rest of the document.
    assert accepted == legal or (accepted and update_strategy == "early")


@pytest.mark.parametrize("actions", [0, [[0, 0], [0, 0]], np.zeros((0, 3))])
def test_actions_that_are_not_a_sequence_are_refused(actions):
    with pytest.raises(ValueError, match="J043"):
        Instance(random_columns(2), actions)


@pytest.mark.parametrize("actions", [[-1], [65536], ["x"], [None]])
def test_actions_that_are_not_numbers_of_actions_are_refused(actions):
    with pytest.raises((ValueError, OverflowError, TypeError)):
        Instance(random_columns(1), actions)


# Other invalid arguments


@pytest.mark.parametrize("update_weight", [[1.0], [1.0, 1.0, 0.0, 1.0], [1.0, np.inf, 1.0, 1.0], [1.0, -1.0, 1.0, 1.0]])
def test_importance_is_a_positive_number_per_action(update_weight):
    with pytest.raises(ValueError, match="J001"):
        Instance(random_columns(4, 0), [0, 0, 0, 0], update_weight)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        *(({"update_strategy": wrong}, r"J040.*update strategy.*dlaso") for wrong in ("", "DLASO", None, 3)),
        ({"rule": "adam"}, r"J040.*update rule 'adam'.*passive_aggressive"),
        *(({"aggressiveness": wrong}, "J030") for wrong in (0, -1.0, float("nan"))),
        *(({"threads": wrong}, f"J030.*{wrong}") for wrong in (0, -3)),
        *(({"width": wrong}, "J030") for wrong in (0, 1025)),
    ],
)
def test_settings_that_do_not_exist_or_are_out_of_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        make_learner(JOINT, **settings)


REFUSED = {
    "templates of another system": ("J040", lambda: Learner(fresh_weights(JOINT), JOINT, templates_for(TAGGING), 4)),
    "weights of another width": ("J033", lambda: train(JOINT, parsing_problem(), weights=fresh_weights(TAGGING))),
    "weights that only predict": ("J023", lambda: train(JOINT, parsing_problem(), weights=zero_weights(JOINT))),
    "other columns": ("J034", lambda: train(JOINT, [(Columns(COLUMNS[::-1], np.zeros((1, 2))), [0, 6])])),
}


@pytest.mark.parametrize(("code", "call"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(code, call):
    with pytest.raises(ValueError, match=code):
        call()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("wrong", [None, "text", ([1], [0])])
def test_values_that_are_not_instances_are_refused(wrong, threads):
    with pytest.raises(TypeError):
        make_learner(JOINT, threads=threads).update([wrong])
