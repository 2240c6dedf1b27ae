"""The joint transition system against its definition: when transitions are legal, and what walks build."""

import pickle
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


def numbers(actions):
    return [ACTIONS[short] for short in actions.split()]


def after(actions, n_tokens=4, constraints=None, system=SYSTEM):
    return replay(system, blank_columns(n_tokens, constraints), numbers(actions))


def legal(actions, n_tokens=4, constraints=None, system=SYSTEM):
    return {SHORT[action] for action in after(actions, n_tokens, constraints, system).legal()}


# Legal transitions


def test_the_first_action_can_only_be_shift():
    assert legal("") == {"sh"}


def test_a_lone_token_on_the_stack_allows_only_shift_and_boundary():
    assert legal("sh") == {"sh", "sb"}


def test_two_tokens_on_the_stack_can_be_joined_either_way_or_swapped():
    assert legal("sh sh") == {"sh", "sb", "la", "ra", "swap"}


def test_shift_is_blocked_before_a_flagged_boundary():
    assert legal("sh sh sb") == {"la", "ra", "swap"}


def test_shift_is_the_only_action_once_the_sentence_before_a_flagged_boundary_is_reduced():
    assert legal("sh sb root") == {"sh"}


def test_a_boundary_is_not_flagged_twice():
    assert "sb" not in legal("sh sh sb la")


def test_the_next_boundary_may_follow_at_once():
    assert legal("sh sb root sh") == {"sh", "sb"}


def test_the_root_arc_waits_for_a_boundary():
    assert "root" not in legal("sh sh la")
    assert legal("sh sh la sb") == {"root"}


def test_the_root_arc_needs_no_boundary_at_the_end_of_the_document():
    assert legal("sh sh la", n_tokens=2) == {"root"}


def test_the_root_arc_waits_until_one_token_is_left():
    assert "root" not in legal("sh sh", n_tokens=2)


def test_a_boundary_cannot_be_flagged_while_something_swapped_is_in_front():
    assert legal("sh sh swap") == {"sh"}


def test_shift_is_allowed_again_when_a_swap_follows_the_flag():
    assert legal("sh sh sb swap") == {"sh"}
    assert legal("sh sh sb swap sh") == {"la", "ra"}


def test_tokens_that_were_swapped_are_not_swapped_back():
    assert "swap" not in legal("sh sh swap sh")


def test_the_last_token_of_a_document_cannot_be_followed_by_a_boundary():
    assert "sb" not in legal("sh", n_tokens=1)


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


def test_an_empty_document_is_final_at_once():
    walk = Walk(SYSTEM, blank_columns(0))
    assert walk.is_final and walk.legal() == []


def test_a_document_of_one_token_has_one_path():
    walk = Walk(SYSTEM, blank_columns(1))
    walk.advance(ACTIONS["sh"])
    assert walk.legal() == [ACTIONS["root"]]
    walk.advance(ACTIONS["root"])
    assert walk.is_final


# Preset boundaries


@pytest.mark.parametrize("position", POSITIONS)
def test_a_preset_boundary_is_never_shifted_over(position):
    system = JointSystem(["l"], ["r"], ["root"], position)
    assert legal("sh", constraints=[0, 1, 0, 0], system=system) == {"sb"}


def test_early_preset_boundaries_are_flagged_before_anything_else():
    assert legal("sh sh", constraints=[0, 0, 1, 0]) == {"sb"}


def test_late_preset_boundaries_wait_until_the_sentence_is_reduced():
    late = JointSystem(["l"], ["r"], ["root"], "late")
    assert legal("sh sh", constraints=[0, 0, 1, 0], system=late) == {"la", "ra", "swap"}
    assert legal("sh sh la", constraints=[0, 0, 1, 0], system=late) == {"sb"}


def test_a_preset_boundary_does_not_stop_a_swapped_token():
    assert legal("sh sh sb swap", constraints=[0, 0, 1, 0]) == {"sh"}


def test_no_boundary_is_flagged_where_it_is_forbidden():
    assert legal("sh", constraints=[0, -1, 0, 0]) == {"sh"}


def test_the_first_token_starts_a_sentence_even_if_forbidden():
    assert legal("", constraints=[-1, 0, 0, 0]) == {"sh"}


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
@given(st.integers(0, 14), seeds, st.sampled_from(POSITIONS))
def test_every_walk_ends_in_contiguous_trees_with_one_root(n_tokens, seed, position):
    system = joint_system(position)
    heads, labels, starts = system.build(random_walk(system, blank_columns(n_tokens), seed), n_tokens)
    assert len(heads) == len(labels) == len(starts) == n_tokens
    assert_forest(heads, starts)


@QUICK
@given(constraint_lists, seeds, st.sampled_from(POSITIONS))
def test_every_walk_under_presets_ends_in_contiguous_trees_with_one_root(constraints, seed, position):
    system = joint_system(position)
    heads, _, starts = system.build(
        random_walk(system, blank_columns(len(constraints), constraints), seed), len(constraints)
    )
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


# Slots of templates


def test_token_slots_show_rows_of_the_stack_and_the_buffer():
    slots = after("sh sh").slots()
    assert [slots[name] - FIRST_ROW for name in ("s0", "s1", "b0", "b1")] == [1, 0, 2, 3]


def test_the_root_is_below_the_stack_and_nothing_is_below_the_root():
    slots = after("sh").slots()
    assert (slots["s1"], slots["s2"]) == (ROOT_ROW, NOTHING_ROW)


def test_there_is_nothing_after_the_buffer():
    slots = after("sh sh", n_tokens=3).slots()
    assert (slots["b0"], slots["b1"], slots["b2"]) == (FIRST_ROW + 2, NOTHING_ROW, NOTHING_ROW)


def test_swapped_tokens_move_to_the_front_of_the_buffer():
    slots = after("sh sh swap").slots()
    assert [slots[name] - FIRST_ROW for name in ("s0", "b0", "b1")] == [1, 0, 2]


def test_a_left_arc_appears_as_leftmost_child_with_its_label():
    slots = after("sh sh la").slots()
    assert (slots["s0"], slots["s0.left"]) == (FIRST_ROW + 1, FIRST_ROW)
    assert (slots["s0.left.label"], slots["s0.n_left"], slots["s0.n_right"]) == (1, 1, 0)


def test_a_right_arc_appears_as_rightmost_child_with_its_label():
    slots = after("sh sh ra").slots()
    assert (slots["s0"], slots["s0.right"]) == (FIRST_ROW, FIRST_ROW + 1)
    assert (slots["s0.right.label"], slots["s0.n_left"], slots["s0.n_right"]) == (2, 0, 1)


def test_the_previous_child_becomes_the_second_outermost():
    slots = after("sh sh ra sh ra").slots()
    assert (slots["s0.right"], slots["s0.right2"]) == (FIRST_ROW + 2, FIRST_ROW + 1)


def test_children_of_a_swapped_token_are_seen_in_the_buffer():
    slots = after("sh sh ra sh swap").slots()
    assert (slots["b0"], slots["b0.right"]) == (FIRST_ROW, FIRST_ROW + 1)


def test_a_right_arc_after_a_swap_makes_a_left_child():
    slots = after("sh sh swap sh ra").slots()
    assert (slots["s0"], slots["s0.left"], slots["s0.n_left"]) == (FIRST_ROW + 1, FIRST_ROW, 1)


def test_the_flag_distinguishes_open_empty_swapped_and_flagged_buffers():
    flags = [after(actions).slots()["b0.flag"] for actions in ("sh", "sh sh sh sh", "sh sh swap", "sh sb")]
    assert len(set(flags)) == 4


def test_the_last_two_actions_are_seen():
    slots = after("sh sh la").slots()
    assert (slots["action-1"], slots["action-2"]) == (ACTIONS["la"] + 1, ACTIONS["sh"] + 1)


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


# Building from actions


def test_building_gives_heads_labels_and_starts():
    heads, labels, starts = SYSTEM.build(np.array(numbers("sh sh sb la root sh sh ra root"), dtype=np.uint16), 4)
    assert heads.tolist() == [1, 1, 2, 2]
    assert labels == ["l", "root", "root", "r"]
    assert starts.tolist() == [True, False, True, False]


# Setup


@pytest.mark.parametrize("labels", [([], [], ["root"]), (["l"], ["r"], []), ([], [], [])])
def test_labels_for_arcs_and_for_roots_are_required(labels):
    with pytest.raises(ValueError, match="J330"):
        JointSystem(*labels)


@pytest.mark.parametrize("position", ["", "Early", None, 1])
def test_an_unknown_position_of_boundaries_is_refused(position):
    with pytest.raises(ValueError, match="J040"):
        JointSystem(["l"], ["r"], ["root"], position)


def test_actions_are_numbered_without_gaps():
    system = joint_system()
    assert sorted(system.actions.values()) == list(range(system.n_actions))


@pytest.mark.parametrize("position", POSITIONS)
def test_a_pickled_system_is_the_same_system(position):
    system = joint_system(position)
    copy = pickle.loads(pickle.dumps(system))
    assert (copy.actions, copy.early) == (system.actions, system.early)


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
