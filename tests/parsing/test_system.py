"""The joint transition system against its definition: when transitions are legal, and what walks build."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.engine.system import Walk
from spacy_joint.errors import JointValueError
from spacy_joint.parsing.system import JointSystem

from ..engine.toys import blank_columns, replay
from .strategies import POSITIONS, QUICK, constraint_lists, joint_system, random_walk, seeds

SYSTEM = JointSystem(["l"], ["r"], ["root"])
NAMES = {"sh": "SHIFT", "sb": "SB", "swap": "SWAP", "la": ("LEFT", "l"), "ra": ("RIGHT", "r"), "root": ("ROOT", "root")}
ACTIONS = {short: SYSTEM.actions[name] for short, name in NAMES.items()}
SHORT = {number: short for short, number in ACTIONS.items()}
FIRST_ROW, ROOT_ROW, NOTHING_ROW = 26, 17, 8
ROWS = range(FIRST_ROW, FIRST_ROW + 4)


def numbers(actions):
    return [ACTIONS[short] for short in actions.split()]


def after(actions, n_tokens=4, constraints=None, system=SYSTEM):
    return replay(system, blank_columns(n_tokens, constraints), numbers(actions))


def legal(actions, n_tokens=4, constraints=None, system=SYSTEM):
    return {SHORT[action] for action in after(actions, n_tokens, constraints, system).legal()}


# Legal transitions


@pytest.mark.parametrize(
    ("actions", "n_tokens", "expected"),
    [
        # The first action can only be SHIFT; then there may be a boundary, but not after the last token.
        ("", 0, ""),
        ("", 4, "sh"),
        ("sh", 4, "sh sb"),
        ("", 1, "sh"),
        ("sh", 1, "root"),
        ("sh root", 1, ""),
        # Two tokens on the stack can be joined either way or swapped.
        ("sh sh", 4, "sh sb la ra swap"),
        # Before a flagged boundary, which is not flagged twice, the sentence is reduced.
        ("sh sh sb", 4, "la ra swap"),
        ("sh sh sb la", 4, "root"),
        ("sh sb root", 4, "sh"),
        ("sh sb root sh", 4, "sh sb"),
        # The root arc waits for a boundary or the end of the document, and until one token is left.
        ("sh sh la", 4, "sh sb"),
        ("sh sh la", 2, "root"),
        ("sh sh", 2, "la ra swap"),
        # No boundary is flagged while something swapped is in front, which can be shifted after a flag, too.
        ("sh sh swap", 4, "sh"),
        ("sh sh sb swap", 4, "sh"),
        # Tokens that were swapped are not swapped back.
        ("sh sh swap sh", 4, "sh sb la ra"),
        ("sh sh sb swap sh", 4, "la ra"),
    ],
)
def test_transitions_are_legal_by_their_definition(actions, n_tokens, expected):
    assert legal(actions, n_tokens) == set(expected.split())


@pytest.mark.parametrize(("left", "right", "arc"), [(["x"], [], ("LEFT", "x")), ([], ["x"], ("RIGHT", "x"))])
def test_a_system_without_labels_in_one_direction_offers_arcs_in_the_other_only(left, right, arc):
    system = JointSystem(left, right, ["root"])
    walk = replay(system, blank_columns(2), [system.actions["SHIFT"]] * 2)
    assert walk.legal() == [system.actions["SWAP"], system.actions[arc]]


def test_an_illegal_action_is_refused_and_the_error_lists_legal_ones():
    with pytest.raises(ValueError, match=r"J005.*Action 1 .*\[0\]"):
        Walk(SYSTEM, blank_columns(2)).advance(ACTIONS["sb"])


@pytest.mark.parametrize("action", [-1, 6, 65535, 2**31 - 1])
def test_an_action_that_does_not_exist_is_refused(action):
    with pytest.raises(ValueError, match="J005"):
        Walk(SYSTEM, blank_columns(2)).advance(action)


# Preset boundaries


@pytest.mark.parametrize(
    ("position", "actions", "constraints", "expected"),
    [
        # A preset boundary is never shifted over.
        ("early", "sh", [0, 1, 0, 0], "sb"),
        ("late", "sh", [0, 1, 0, 0], "sb"),
        # It is flagged before anything else if early, and once the sentence is reduced if late.
        ("early", "sh sh", [0, 0, 1, 0], "sb"),
        ("late", "sh sh", [0, 0, 1, 0], "la ra swap"),
        ("late", "sh sh la", [0, 0, 1, 0], "sb"),
        # It does not stop a swapped token.
        ("early", "sh sh sb swap", [0, 0, 1, 0], "sh"),
        # No boundary is flagged where it is forbidden, but the first token starts a sentence.
        ("early", "sh", [0, -1, 0, 0], "sh"),
        ("early", "", [-1, 0, 0, 0], "sh"),
    ],
)
def test_preset_boundaries_restrict_transitions(position, actions, constraints, expected):
    system = JointSystem(["l"], ["r"], ["root"], position)
    assert legal(actions, constraints=constraints, system=system) == set(expected.split())


@QUICK
@given(constraint_lists, seeds, st.sampled_from(POSITIONS))
def test_every_walk_keeps_preset_boundaries(constraints, seed, position):
    system = joint_system(position)
    actions = random_walk(system, blank_columns(len(constraints), constraints), seed)
    _, _, starts = system.build(actions, len(constraints))
    for token, constraint in enumerate(constraints[1:], 1):
        assert constraint == 0 or starts[token] == (constraint == 1)


# Results of walks


def assert_forest(heads, starts):
    """Contiguous trees with one root each, their heads inside."""
    bounds = [*np.flatnonzero(starts), len(heads)]
    assert not len(heads) or bounds[0] == 0
    for begin, end in pairwise(bounds):
        sentence = range(begin, end)
        roots = [token for token in sentence if heads[token] == token]
        assert len(roots) == 1
        for token in sentence:
            for _ in sentence:
                token = heads[token]
                assert token in sentence
            assert token == roots[0]


@QUICK
@given(constraint_lists | st.integers(0, 14).map(lambda n: [0] * n), seeds, st.sampled_from(POSITIONS))
def test_every_walk_ends_in_contiguous_trees_with_one_root(constraints, seed, position):
    system, n_tokens = joint_system(position), len(constraints)
    actions = random_walk(system, blank_columns(n_tokens, constraints), seed)
    heads, labels, starts = system.build(actions, n_tokens)
    assert len(heads) == len(labels) == len(starts) == n_tokens
    assert_forest(heads, starts)


@QUICK
@given(st.integers(0, 12), seeds)
def test_a_walk_flags_no_token_twice(n_tokens, seed):
    system = joint_system()
    actions = random_walk(system, blank_columns(n_tokens), seed)
    _, _, starts = system.build(actions, n_tokens)
    assert actions.count(1) == max(int(starts.sum()) - 1, 0)


@QUICK
@given(constraint_lists, seeds, st.sampled_from(POSITIONS))
def test_collecting_the_arena_has_no_visible_effect(constraints, seed, position):
    def collect(walk):
        before = (walk.slots(), walk.legal(), walk.is_final)
        walk.collect()
        assert (walk.slots(), walk.legal(), walk.is_final) == before

    system, columns = joint_system(position), blank_columns(len(constraints), constraints)
    assert random_walk(system, columns, seed, collect) == random_walk(system, columns, seed)


SLOTS = {
    "rows of the stack and the buffer": ("sh sh", {"s0": ROWS[1], "s1": ROWS[0], "b0": ROWS[2], "b1": ROWS[3]}),
    "the root is below the stack, and nothing below the root": ("sh", {"s1": ROOT_ROW, "s2": NOTHING_ROW}),
    "there is nothing after the buffer": ("sh sh", {"b1": ROWS[3], "b2": NOTHING_ROW}),
    "swapped tokens move to the front of the buffer": ("sh sh swap", {"s0": ROWS[1], "b0": ROWS[0], "b1": ROWS[2]}),
    "a left arc makes a leftmost child with its label": (
        "sh sh la",
        {"s0": ROWS[1], "s0.left": ROWS[0], "s0.left.label": 1, "s0.n_left": 1, "s0.n_right": 0},
    ),
    "a right arc makes a rightmost child with its label": (
        "sh sh ra",
        {"s0": ROWS[0], "s0.right": ROWS[1], "s0.right.label": 2, "s0.n_left": 0, "s0.n_right": 1},
    ),
    "the previous child becomes the second outermost": ("sh sh ra sh ra", {"s0.right": ROWS[2], "s0.right2": ROWS[1]}),
    "children of a swapped token are seen in the buffer": ("sh sh ra sh swap", {"b0": ROWS[0], "b0.right": ROWS[1]}),
    "a right arc after a swap makes a left child": (
        "sh sh swap sh ra",
        {"s0": ROWS[1], "s0.left": ROWS[0], "s0.n_left": 1},
    ),
    "the last two actions are seen": ("sh sh la", {"action-1": ACTIONS["la"] + 1, "action-2": ACTIONS["sh"] + 1}),
}


@pytest.mark.parametrize(("actions", "expected"), SLOTS.values(), ids=SLOTS)
def test_slots_of_templates(actions, expected):
    assert expected.items() <= after(actions).slots().items()


def test_the_flag_distinguishes_open_empty_swapped_and_flagged_buffers():
    flags = [after(actions).slots()["b0.flag"] for actions in ("sh", "sh sh sh sh", "sh sh swap", "sh sb")]
    assert len(set(flags)) == 4


@QUICK
@given(constraint_lists, seeds)
def test_token_slots_never_leave_the_rows_of_the_document(constraints, seed):
    names = joint_system().token_slots.keys()

    def check(walk):
        # Templates never look at a final state.
        slots = {} if walk.is_final else walk.slots()
        for name in names & slots.keys():
            row = slots[name]
            assert row in (NOTHING_ROW, ROOT_ROW) or FIRST_ROW <= row < FIRST_ROW + len(constraints)

    random_walk(joint_system(), blank_columns(len(constraints), constraints), seed, check)


def test_slots_have_distinct_numbers():
    numbers = [*SYSTEM.token_slots.values(), *SYSTEM.value_slots.values()]
    assert sorted(numbers) == list(range(SYSTEM.n_slots))


# Setup


@pytest.mark.parametrize("labels", [([], [], ["root"]), (["l"], ["r"], []), ([], [], [])])
def test_labels_for_arcs_and_for_roots_are_required(labels):
    with pytest.raises(ValueError, match="J330"):
        JointSystem(*labels)


def test_actions_are_numbered_without_gaps():
    system = joint_system()
    assert sorted(system.actions.values()) == list(range(system.n_actions))


def test_hundreds_of_labels_are_supported():
    labels = [f"label{i}" for i in range(500)]
    system = JointSystem(labels, labels, labels)
    heads, _, starts = system.build(random_walk(system, blank_columns(10), 1), 10)
    assert_forest(heads, starts)


@QUICK
@given(st.lists(st.integers(-1, SYSTEM.n_actions) | st.sampled_from([0, 1, 2, 2**16]), max_size=12), st.integers(-1, 6))
def test_any_path_is_built_or_refused(path, n_tokens):
    try:
        heads, labels, _ = SYSTEM.build(path, n_tokens)
        assert len(heads) == len(labels) == n_tokens
    except JointValueError as error:
        assert error.code == "J314"


@pytest.mark.parametrize("n_tokens", [-1, 0, 2, 2**31 - 1])
def test_a_path_for_another_number_of_tokens_is_refused(n_tokens):
    path = [SYSTEM.actions[name] for name in ("SHIFT", ("ROOT", "root"))]
    assert len(SYSTEM.build(path, 1)[0]) == 1
    with pytest.raises(ValueError, match="J314"):
        SYSTEM.build(path, n_tokens)
