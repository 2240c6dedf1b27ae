"""Systems and walks in general: the limits of systems, and following paths by hand."""

import numpy as np
import pytest

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.system import System, Walk

from .toys import BOUNDED_TAGGING, JOINT, LATE, TAGGING, random_columns, replay


def test_a_system_without_actions_cannot_be_walked():
    with pytest.raises(ValueError, match="J006"):
        Walk(System(), random_columns(3))


@pytest.mark.parametrize("system", [JOINT, LATE, TAGGING, BOUNDED_TAGGING])
def test_a_final_walk_takes_no_action(system):
    walk = Walk(system, random_columns(0))
    for action in range(system.n_actions):
        with pytest.raises(ValueError, match=r"J005.*\[\]"):
            walk.advance(action)


@pytest.mark.parametrize("system", [JOINT, TAGGING])
def test_an_action_that_was_refused_changes_nothing(system):
    walk = Walk(system, random_columns(3))
    before = walk.slots()
    with pytest.raises(ValueError):
        walk.advance(99)
    assert walk.slots() == before


@pytest.mark.parametrize("action", [None, "0", [0], 2**31, -(2**31) - 1, 2**64])
def test_an_action_that_is_not_a_machine_integer_is_refused(action):
    with pytest.raises((TypeError, OverflowError)):
        Walk(JOINT, random_columns(3)).advance(action)


def test_walks_of_the_same_system_are_independent():
    first, second = (Walk(JOINT, random_columns(3)) for _ in range(2))
    first.advance(0)
    assert first.slots() != second.slots()


def test_a_walk_keeps_its_document():
    walk = Walk(JOINT, Columns(["word"], np.ones((500, 1), dtype=np.uint64), [0] * 500))
    for _ in range(500):
        walk.advance(JOINT.actions["SHIFT"])
    assert JOINT.actions["SHIFT"] not in walk.legal()


def test_collecting_frees_unreachable_nodes_however_often():
    walk = replay(JOINT, random_columns(300), [0] * 200)
    before = walk.slots()
    for _ in range(100):
        walk.collect()
    assert walk.slots() == before


def test_walks_of_many_thousand_steps_survive_collections():
    n = 20_000
    walk = Walk(JOINT, random_columns(n))
    walk.advance(0)
    left = JOINT.actions["LEFT", "l"]
    for token in range(1, n):
        walk.advance(0)
        walk.advance(left)
        if token % 1000 == 0:
            walk.collect()
    assert walk.legal() == [JOINT.actions["ROOT", "root"]]
