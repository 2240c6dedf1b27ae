"""The shift-reduce system: every walk builds hedged trees, and the oracle builds any hedged tree."""

from itertools import pairwise
from operator import itemgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts.training import hedge
from spacy_joint.errors import JointValueError
from spacy_joint.hedges.segments import SegmentSystem
from spacy_joint.hedges.system import HedgeSystem, name_action
from spacy_joint.trees.constituency_trees import parse_trees
from spacy_joint.trees.heads import HeadRules
from spacy_joint.trees.transform import binarise, find_segments, mark_heads

from ..engine.toys import blank_columns, replay, walk_at_random
from ..phrases.binarised import check_rows
from ..trees.strategies import LABELS, trees

QUICK = settings(max_examples=60)
RULES = HeadRules("S left VP\nVP left VB\nNP right NN")
BINARY = [(mark + label, side) for label in LABELS for mark in ("", "@") for side in "LR"]
TYPES = ("G", "NP", "VP", "PP", "OUT")
seeds = st.integers(0, 2**32 - 1)
limits = st.integers(1, 9)
constraint_lists = st.lists(st.sampled_from([-1, 0, 1, 2]), max_size=14)


def make_system(max_span=7, max_unary=8):
    return HedgeSystem(LABELS, BINARY, max_span, max_unary)


def walk(system, columns, seed):
    return walk_at_random(system, columns, seed, check_rows(system, columns))


def find_actions(system, tree):
    return system.actions([binarise(child) for child in mark_heads(tree, RULES).children])


@QUICK
@given(constraint_lists, limits, seeds)
def test_every_walk_ends_in_nested_constituents_within_the_limit(constraints, limit, seed):
    system = make_system(limit, 2)
    found = system.build(walk(system, blank_columns(len(constraints), constraints), seed))
    assert all(0 <= start < end <= len(constraints) and end - start <= limit for _, start, end in found)
    assert found == sorted(found, key=lambda span: (span[1], -span[2]))
    assert not any(first < start < last < end for _, first, last in found for _, start, end in found)


@QUICK
@given(constraint_lists, seeds)
def test_no_constituent_crosses_a_known_boundary(constraints, seed):
    system = make_system(14)
    found = system.build(walk(system, blank_columns(len(constraints), constraints), seed))
    assert not any(constraint > 0 for _, start, end in found for constraint in constraints[start + 1 : end])


@QUICK
@given(trees, limits)
def test_the_oracle_is_legal_and_makes_the_hedged_tree(tree, limit):
    system = make_system(limit)
    hedged = hedge(tree, limit)
    actions = find_actions(system, hedged)
    assert replay(system, blank_columns(len(tree.leaves())), actions).is_final
    assert system.build(actions) == hedged.spans()[1:]


def test_unfinished_nodes_dissolve():
    system = make_system()
    path = system.actions([binarise(mark_heads(read("(NP (NN a) (NN b) (NN c))"), RULES))]).tolist()
    # Without its last step, the noun phrase does not exist.
    assert system.build(np.array([*path[:-2], path[-1]], dtype=np.uint16)) == []


def read(text):
    return next(parse_trees(text))


def test_x_over_x_becomes_x():
    system = HedgeSystem(["NP"], [], 7, 3)
    shift, finish = 0, 1
    assert system.build(np.array([shift, 2, 2, finish], dtype=np.uint16)) == [("NP", 0, 1)]


def test_unknown_labels_have_no_actions():
    assert HedgeSystem(["NP"], [], 7).actions([read("(VP (NN a))")]) is None


def test_unary_chains_that_are_too_long_have_no_actions():
    trees = [read(text) for text in ("(NP (NN a))", "(S (NP (NN a)))")]
    actions = [HedgeSystem(["NP", "S"], [], 7, longest).actions(trees) for longest in (1, 2)]
    assert actions[0] is None and len(actions[1]) == 6


@pytest.mark.parametrize("n_labels", [20, 40, 100])
def test_more_categories_than_kinds_share_them(n_labels):
    names = [f"X{number}" for number in range(n_labels)]
    system = HedgeSystem(names, [(mark + name, "L") for name in names for mark in ("", "@")], 9, 1)
    assert system.n_kinds <= 64
    for seed in range(5):
        found = system.build(walk(system, blank_columns(12), seed))
        assert all(end - start <= 9 for _, start, end in found)


@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("J330", lambda: HedgeSystem([], [])),
        ("J030", lambda: HedgeSystem(["NP"], [], 2**31 - 1)),
        # More than a state can count.
        *(("J030", lambda max_unary=max_unary: make_system(max_unary=max_unary)) for max_unary in (-1, 256)),
        ("J031", lambda: SegmentSystem([str(number) for number in range(70)])),
        ("J040", lambda: HedgeSystem(["NP"], [("NP", "up")])),
    ],
)
def test_settings_out_of_range_are_refused(code, make):
    with pytest.raises(ValueError, match=code):
        make()


def test_actions_are_named_after_their_results():
    tree = binarise(mark_heads(read("(NP (DT a) (JJ b) (NN c))"), RULES))
    names = [name_action(node) for node in tree.nodes() if node.children]
    assert sorted(names, key=itemgetter(1)) == [("BINARY", "@NP", "R"), ("BINARY", "NP", "R")]


# Segments


def read_segments(system, actions):
    labels, starts = system.build(actions)
    return [(labels[start], start, end) for start, end in pairwise([*np.flatnonzero(starts).tolist(), len(labels)])]


@QUICK
@given(constraint_lists, limits, seeds)
def test_every_walk_makes_valid_segments(constraints, limit, seed):
    system = SegmentSystem(TYPES, limit)
    actions = walk(system, blank_columns(len(constraints), constraints), seed)
    segments = read_segments(system, actions)
    labels, _ = system.build(actions)
    for kind, start, end in segments:
        assert set(labels[start:end]) == {kind}
        assert kind == "G" or 2 <= end - start <= limit
        assert not any(constraint > 0 for constraint in constraints[start + 1 : end])
    for (kind, _, end), (other, _, _) in pairwise(segments):
        assert (kind, other) != ("G", "G") or constraints[end] >= 0


@QUICK
@given(trees, limits)
def test_segments_of_any_tree_are_legal(tree, limit):
    system = SegmentSystem(TYPES, limit)
    segments = find_segments(hedge(tree, limit).spans()[1:], len(tree.leaves()))
    labels = [kind for kind, start, end in segments for _ in range(start, end)]
    starts = [place == start for _, start, end in segments for place in range(start, end)]
    actions = system.actions(labels, starts)
    assert replay(system, blank_columns(len(labels)), actions).is_final
    assert read_segments(system, actions) == segments


@QUICK
@given(constraint_lists, seeds)
def test_segments_without_types_may_begin_anywhere(constraints, seed):
    system = SegmentSystem(["SEGMENT"], 3)
    actions = walk(system, blank_columns(len(constraints), constraints), seed)
    _, starts = system.build(actions)
    assert all(starts[token] for token, constraint in enumerate(constraints) if token == 0 or constraint > 0)


@given(st.lists(st.integers(-2, make_system().n_actions + 2) | st.sampled_from([0, 1, 2**16, 2**40]), max_size=20))
def test_any_path_is_built_or_refused(path):
    try:
        make_system().build(path)
    except JointValueError as error:
        assert error.code == "J314"


@pytest.mark.parametrize("path", [[0], [0, 2], [2, 1], [0, -1, 1], [0, 10**5, 1], [0.5], None])
def test_invalid_paths_are_refused(path):
    with pytest.raises(ValueError, match="J314"):
        make_system().build(path)


def test_a_missing_tag_column_gives_no_category():
    walk = replay(HedgeSystem(LABELS, BINARY, tag_column=10**8), blank_columns(2), [0])
    assert walk.slots()["s0.label"] == 0
