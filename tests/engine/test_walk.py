"""Systems and walks in general: the limits of systems, and following paths by hand."""

import pickle

import numpy as np
import pytest

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.system import System, Walk
from spacy_joint.hedges.segments import SegmentSystem
from spacy_joint.hedges.system import HedgeSystem
from spacy_joint.ordering.system import OrderingSystem
from spacy_joint.phrases.gap_system import GapSystem, ShiftReduceSystem
from spacy_joint.phrases.swap_system import MOVES, SwapSystem
from spacy_joint.quotation.system import QuotationSystem
from spacy_joint.restoring.system import RestoringSystem
from spacy_joint.tagging.system import TaggingSystem

from .toys import BOUNDED_TAGGING, JOINT, LATE, TAGGING, random_columns, replay

ALL = [JOINT, LATE, TAGGING, BOUNDED_TAGGING, TaggingSystem(["x", "y"], 0, True), OrderingSystem()]
ALL += [HedgeSystem(["NP"], [("NP", "L")], 5, 2, 3), SegmentSystem(["G", "NP"], 5), QuotationSystem(neighbours=False)]
ALL += [system(["NP"], [("NP", "L"), ("@NP", "R")], "ROOT") for system in (GapSystem, ShiftReduceSystem)]
ALL += [SwapSystem(["NP"], [("NP", "L")], "ROOT", -1, range(1, 13), kind) for kind in MOVES]
ALL += [RestoringSystem(["lower", "capitalised"], ["", ",", ":"], [".", "?"])]


@pytest.mark.parametrize("system", [JOINT, LATE, TAGGING, BOUNDED_TAGGING])
def test_a_final_walk_takes_no_action_and_one_that_was_refused_changes_nothing(system):
    walk = Walk(system, random_columns(0))
    for action in range(system.n_actions):
        with pytest.raises(ValueError, match=r"J005.*\[\]"):
            walk.advance(action)
    walk = Walk(system, random_columns(3))
    before = walk.slots()
    with pytest.raises(ValueError):
        walk.advance(99)
    for action in (None, "0", [0], 2**31, -(2**31) - 1, 2**64):
        with pytest.raises((TypeError, OverflowError)):
            walk.advance(action)
    assert walk.slots() == before
    with pytest.raises(ValueError, match="J006"):
        Walk(System(), random_columns(3))


def test_walks_are_independent_and_keep_their_documents():
    first, second = (Walk(JOINT, random_columns(3)) for _ in range(2))
    first.advance(0)
    assert first.slots() != second.slots()
    walk = Walk(JOINT, Columns(["word"], np.ones((500, 1), dtype=np.uint64), [0] * 500))
    for _ in range(500):
        walk.advance(JOINT.actions["SHIFT"])
    assert JOINT.actions["SHIFT"] not in walk.legal()


def test_walks_of_many_thousand_steps_survive_collections():
    walk = replay(JOINT, random_columns(300), [0] * 200)
    before = walk.slots()
    for _ in range(100):
        walk.collect()
    assert walk.slots() == before
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


@pytest.mark.parametrize("system", ALL, ids=lambda system: type(system).__name__)
def test_a_pickled_system_is_the_same_system(system):
    copy = pickle.loads(pickle.dumps(system))
    assert type(copy) is type(system)
    assert copy.__reduce__() == system.__reduce__()
    assert (copy.n_actions, copy.n_kinds) == (system.n_actions, system.n_kinds)
    assert getattr(copy, "actions_by_name", None) == getattr(system, "actions_by_name", None)
