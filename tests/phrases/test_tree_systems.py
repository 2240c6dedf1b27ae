"""All systems that build whole trees: every walk builds a tree, and the oracle builds any tree that it should."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.system import System
from spacy_joint.errors import JointValueError
from spacy_joint.phrases.gap_system import GapSystem, ShiftReduceSystem
from spacy_joint.phrases.swap_system import MOVES, SwapSystem
from spacy_joint.tagging.system import SequenceSystem
from spacy_joint.trees.system import TreeSystem

from .binarised import BINARY, LABELS, binary_trees, find_actions, unfold, walk

SWAP_SYSTEMS = {kind: SwapSystem(LABELS, BINARY, "ROOT", -1, range(1, 13), kind) for kind in MOVES}
DISCONTINUOUS = {"gap": GapSystem(LABELS, BINARY, "ROOT"), **SWAP_SYSTEMS}
SYSTEMS = {**DISCONTINUOUS, "shift_reduce": ShiftReduceSystem(LABELS, BINARY, "ROOT")}
MOVING = {"GAP", "SWAP", "SKIP"}
QUICK = settings(max_examples=60)
seeds = st.integers(0, 2**32 - 1)
each_system = pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)


def change_labels(system, unary, binary):
    """A system with other labels."""
    return type(system)(unary, binary, *system.__reduce__()[1][2:])


def check_oracle(system, n_words, nodes):
    actions = find_actions(system, n_words, nodes)
    steps = iter(actions.tolist())
    taken = walk(system, n_words, lambda legal: next(step for step in steps if step in legal))
    assert taken.tolist() == actions.tolist()
    assert unfold(n_words, system.build(actions, n_words)) == unfold(n_words, nodes)


@pytest.mark.parametrize("system", DISCONTINUOUS.values(), ids=DISCONTINUOUS)
@QUICK
@given(tree=binary_trees())
def test_the_oracle_is_legal_and_makes_any_tree(system, tree):
    check_oracle(system, *tree)


@QUICK
@given(tree=binary_trees(reach=1))
def test_shift_reduce_makes_any_continuous_tree(tree):
    check_oracle(SYSTEMS["shift_reduce"], *tree)


def test_shift_reduce_makes_no_discontinuous_tree():
    assert find_actions(SYSTEMS["shift_reduce"], 3, [("A", 0, 2, 1), ("B", 3, 1, 0), ("ROOT", 4, -1, 0)]) is None


@each_system
@QUICK
@given(n_words=st.integers(0, 30), seed=seeds, share=st.floats(0, 1))
def test_every_walk_ends_in_a_tree(system, n_words, seed, share):
    random = np.random.default_rng(seed)
    moves = {number for name, number in system.actions_by_name.items() if name[0] in MOVING}

    def choose(legal):
        preferred = sorted(moves.intersection(legal))
        return int(random.choice(preferred if preferred and random.random() < share else legal))

    nodes = system.build(walk(system, n_words, choose), n_words)
    assert bool(nodes) == bool(n_words)
    if n_words:
        children = [child for _, *below in nodes for child in below if child >= 0]
        assert sorted(children) == list(range(n_words + len(nodes) - 1))
        assert nodes[-1][0] == "ROOT"


@each_system
@pytest.mark.parametrize("binary", [[("A", "L")], [("@A", "R")], [("@A", "L")], [("ROOT", "R")]])
def test_every_walk_ends_whatever_labels_there_are(system, binary):
    poor = change_labels(system, [], binary)
    random = np.random.default_rng(0)
    for n_words in (1, 2, 9):
        nodes = poor.build(walk(poor, n_words, lambda legal: int(random.choice(legal))), n_words)
        assert nodes[-1][0] == "ROOT"


@each_system
def test_a_long_sentence_takes_a_step_per_word_and_node(system):
    n_words = 5000
    nodes = [("A", 0, 1, 0)]
    for word in range(2, n_words):
        nodes.append(("A", n_words + word - 2, word, 0))
    nodes.append(("ROOT", n_words + len(nodes) - 1, -1, 0))
    actions = find_actions(system, n_words, nodes)
    assert len(actions) == 2 * n_words
    assert len(system.build(actions, n_words)) == n_words


@each_system
def test_unknown_labels_have_no_actions(system):
    assert find_actions(system, 1, [("X", 0, -1, 0), ("ROOT", 1, -1, 0)]) is None


@each_system
@pytest.mark.parametrize(
    "nodes", [[], [("A", 0, 1, 0)], [("A", 0, 1, 0), ("ROOT", 0, 2, 0)], [("A", 0, 7, 0)], [("A", -3, 1, 0)]]
)
def test_nodes_that_are_no_tree_are_refused(system, nodes):
    with pytest.raises(JointValueError, match="J343"):
        find_actions(system, 3, nodes)


@each_system
@pytest.mark.parametrize(
    "names",
    [
        [("SHIFT",)],
        [("UNARY", "A")],
        [("SHIFT",)] * 4,
        [("SHIFT",), ("SHIFT",), ("UNARY", "ROOT")],
        [("SHIFT",), ("BINARY", "A", "L")],
        *([("SHIFT",)] * n + [(move, 1)] for n in range(3) for move in ("SWAP", "SKIP")),
        *([("SHIFT",)] * n + [("GAP",)] * 2 for n in range(3)),
        [("SHIFT",), ("SHIFT",), ("BINARY", "A", "L"), ("SHIFT",), ("SWAP", 1)],
        [("BEYOND",)],
    ],
)
def test_paths_that_are_none_are_refused(system, names):
    path = [system.actions_by_name.get(name, 9999) for name in names]
    with pytest.raises(JointValueError, match="J314"):
        system.build(np.array(path, dtype=np.uint16), 3)


@each_system
@pytest.mark.parametrize("n_words", [2, 2**31 - 1])
def test_a_path_for_more_words_is_refused(system, n_words):
    with pytest.raises(JointValueError, match="J314"):
        system.build(np.array([system.actions_by_name[("SHIFT",)]], dtype=np.uint16), n_words)


@each_system
@pytest.mark.parametrize(
    ("unary", "binary", "code"),
    [([], [], "J330"), ([str(number) for number in range(5000)], BINARY, "J031"), ([], [("A", "M")], "J040")],
    ids=["none", "too many", "other sides"],
)
def test_invalid_labels_are_refused(system, unary, binary, code):
    with pytest.raises(JointValueError, match=code):
        change_labels(system, unary, binary)


@pytest.mark.parametrize("base", [System, SequenceSystem, TreeSystem])
@pytest.mark.parametrize("duplicate", [copy.copy, pickle.dumps])
def test_base_classes_are_not_copied(base, duplicate):
    with pytest.raises(TypeError, match="cannot pickle"):
        duplicate(base())
