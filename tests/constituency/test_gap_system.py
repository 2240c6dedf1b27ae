"""The transition system with gaps: every walk builds a tree, and the oracle builds any tree."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.constituency.gap_system import GapSystem, name_actions
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.system import Walk
from spacy_joint.errors import JointValueError

LABELS = ("A", "B", "C")
BINARY = [(prefix + label, side) for label in LABELS for prefix in ("", "@") for side in "LR"]
SYSTEM = GapSystem(LABELS, BINARY, "ROOT")
GAP = 1
QUICK = settings(deadline=None, max_examples=100)
seeds = st.integers(0, 2**32 - 1)


def blank_columns(n_words):
    return Columns(["word"], np.zeros((n_words, 1), dtype=np.uint64))


def walk(n_words, choose):
    walk, actions = Walk(SYSTEM, blank_columns(n_words)), []
    while not walk.is_final:
        actions.append(choose(walk.legal()))
        walk.advance(actions[-1])
        walk.slots()
        walk.collect()
    return np.array(actions, dtype=np.uint16)


@st.composite
def binary_trees(draw):
    """Any binarised tree, continuous or not, as nodes and the number of words."""
    n_words = draw(st.integers(1, 12))
    nodes = []
    roots = []
    for word in range(n_words):
        roots.append(word)
        if draw(st.booleans()):
            nodes.append((draw(st.sampled_from(LABELS)), word, -1, 0))
            roots[-1] = (word, n_words + len(nodes) - 1)
        else:
            roots[-1] = (word, word)
    while len(roots) > 1:
        left = draw(st.integers(0, len(roots) - 2))
        right = draw(st.integers(left + 1, min(left + 3, len(roots) - 1)))
        (first, a), (_, b) = roots[left], roots[right]
        nodes.append((draw(st.sampled_from(LABELS)), a, b, draw(st.integers(0, 1))))
        del roots[right]
        roots[left] = (first, n_words + len(nodes) - 1)
    nodes.append(("ROOT", roots[0][1], -1, 0))
    return n_words, nodes


def unfold(n_words, nodes):
    """A tree as nested tuples, whatever the order of its nodes."""
    made = list(range(n_words))
    for label, first, second, *_ in nodes:
        made.append((label, *(made[child] for child in (first, second) if child >= 0)))
    return made[-1]


@QUICK
@given(binary_trees())
def test_the_oracle_is_legal_and_makes_the_tree(tree):
    n_words, nodes = tree
    actions = SYSTEM.actions(n_words, nodes)
    steps = iter(actions.tolist())
    assert walk(n_words, lambda legal: next(step for step in steps if step in legal)).tolist() == actions.tolist()
    assert unfold(n_words, SYSTEM.build(actions, n_words)) == unfold(n_words, nodes)


@QUICK
@given(st.integers(0, 30), seeds, st.floats(0, 1))
def test_every_walk_ends_in_a_tree(n_words, seed, gaps):
    random = np.random.default_rng(seed)

    def choose(legal):
        return GAP if GAP in legal and random.random() < gaps else int(random.choice(legal))

    nodes = SYSTEM.build(walk(n_words, choose), n_words)
    assert bool(nodes) == bool(n_words)
    if n_words:
        children = [child for _, *below in nodes for child in below if child >= 0]
        assert sorted(children) == list(range(n_words + len(nodes) - 1))
        assert nodes[-1][0] == "ROOT"


def test_what_binarisation_made_is_completed_by_its_own_side():
    walk_ = Walk(SYSTEM, blank_columns(4))
    for name in (("SHIFT",), ("SHIFT",), ("BINARY", "@A", "L"), ("SHIFT",)):
        walk_.advance(SYSTEM.actions_by_name[name])
    legal = set(walk_.legal())
    # The unfinished constituent is s0, and has the head.
    assert SYSTEM.actions_by_name["BINARY", "A", "L"] in legal
    assert SYSTEM.actions_by_name["BINARY", "A", "R"] not in legal


def test_a_long_sentence_takes_a_step_per_word_and_node():
    n_words = 5000
    nodes = [("A", 0, 1, 0)]
    for word in range(2, n_words):
        nodes.append(("A", n_words + word - 2, word, 0))
    nodes.append(("ROOT", n_words + len(nodes) - 1, -1, 0))
    actions = SYSTEM.actions(n_words, nodes)
    assert len(actions) == 2 * n_words
    assert len(SYSTEM.build(actions, n_words)) == n_words


def test_the_order_of_words_decides_which_child_is_left():
    # 0 and 2 are joined first, so the word between them is behind the deque.
    nodes = [("A", 0, 2, 1), ("B", 3, 1, 0), ("ROOT", 4, -1, 0)]
    names = name_actions(3, nodes)
    assert names == [
        ("SHIFT",),
        ("SHIFT",),
        ("SHIFT",),
        ("GAP",),
        ("BINARY", "A", "R"),
        ("BINARY", "B", "R"),
        ("UNARY", "ROOT"),
    ]
    assert SYSTEM.build(SYSTEM.actions(3, nodes), 3) == [("A", 0, 2), ("B", 3, 1), ("ROOT", 4, -1)]


def test_unknown_labels_have_no_actions():
    assert SYSTEM.actions(1, [("X", 0, -1, 0), ("ROOT", 1, -1, 0)]) is None


@pytest.mark.parametrize(
    "nodes", [[], [("A", 0, 1, 0)], [("A", 0, 1, 0), ("ROOT", 0, 2, 0)], [("A", 0, 7, 0)], [("A", -3, 1, 0)]]
)
def test_nodes_that_are_no_tree_are_refused(nodes):
    with pytest.raises(JointValueError, match="J343"):
        SYSTEM.actions(3, nodes)


@pytest.mark.parametrize("path", [[0], [GAP], [0, 0, 2], [0, 0, GAP, GAP], [0, 0, 0, 9999]])
def test_paths_that_are_none_are_refused(path):
    with pytest.raises(JointValueError, match="J314"):
        SYSTEM.build(np.array(path, dtype=np.uint16), 3)


def test_invalid_labels_are_refused():
    with pytest.raises(JointValueError, match="J330"):
        GapSystem(["A"], [], "ROOT")
    with pytest.raises(JointValueError, match="J334"):
        GapSystem([], [("A", "M")], "ROOT")
    with pytest.raises(JointValueError, match="J333"):
        GapSystem([str(number) for number in range(5000)], BINARY, "ROOT")


def test_a_pickled_system_is_the_same():
    again = pickle.loads(pickle.dumps(SYSTEM))
    assert (again.labels, again.n_actions) == (SYSTEM.labels, SYSTEM.n_actions)
