"""What learning refuses: illegal gold paths, and other invalid arguments."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.learner import STRATEGIES, Instance, Learner

from . import toys
from .toys import JOINT, PROBLEMS, TAGGING, fresh_weights, make_learner, parsing_problem, random_columns, train

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
        legal = toys.replay(system, columns, actions).is_final
    except ValueError:
        legal = False
    try:
        train(system, [(columns, actions)], update_strategy=update_strategy, width=width)
        accepted = True
    except ValueError:
        accepted = False
    # Early update never sees the rest of the document.
    assert accepted == legal or (accepted and update_strategy == "early")


@pytest.mark.parametrize("actions", [[-1], [65536], ["x"], [None]])
def test_actions_that_are_not_numbers_of_actions_are_refused(actions):
    with pytest.raises((ValueError, OverflowError, TypeError)):
        Instance(random_columns(1), actions)


SETTINGS = {
    r"J040.*update strategy.*dlaso": [{"update_strategy": wrong} for wrong in ("", "DLASO", None, 3)],
    r"J040.*update rule 'adam'.*passive_aggressive": [{"rule": "adam"}],
    "J030.*aggressiveness": [{"aggressiveness": wrong} for wrong in (0, -1.0, float("nan"))],
    "J030.*-3": [{"threads": -3}],
    "J030.*0": [{"threads": 0}, {"width": 0}, {"width": 1025}],
}
ACTIONS = (0, [[0, 0], [0, 0]], np.zeros((0, 3)))
UPDATE_WEIGHTS = ([1.0], [1.0, 1.0, 0.0, 1.0], [1.0, np.inf, 1.0, 1.0], [1.0, -1.0, 1.0, 1.0])
BOUNDARY = [JOINT.actions[name] for name in ("SHIFT", "SHIFT", ("LEFT", "l"), ("ROOT", "root"))]
REFUSED = [
    ("J040", lambda: Learner(fresh_weights(JOINT), JOINT, toys.templates_for(TAGGING), 4)),
    ("J033", lambda: train(JOINT, parsing_problem(), weights=fresh_weights(TAGGING))),
    # Weights that only predict.
    ("J023", lambda: train(JOINT, parsing_problem(), weights=toys.zero_weights(JOINT))),
    # Other columns.
    ("J034", lambda: train(JOINT, [(Columns(toys.COLUMNS[::-1], np.zeros((1, 2))), [0, 6])])),
    # A path through a preset boundary.
    (r"J043.* 4 gold.*step 1", lambda: train(JOINT, [(random_columns(2, constraints=[0, 1]), BOUNDARY)])),
    *((message, partial(make_learner, JOINT, **each)) for message, wrong in SETTINGS.items() for each in wrong),
    # Actions that are no sequence, and weights that are no positive number per action.
    *(("J043", partial(Instance, random_columns(2), actions)) for actions in ACTIONS),
    *(("J001", partial(Instance, random_columns(4), [0] * 4, weights)) for weights in UPDATE_WEIGHTS),
]


@pytest.mark.parametrize(("message", "call"), REFUSED)
def test_what_does_not_fit_is_refused(message, call):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("wrong", [None, "text", ([1], [0])])
def test_values_that_are_not_instances_are_refused(wrong, threads):
    with pytest.raises(TypeError):
        make_learner(JOINT, threads=threads).update([wrong])
