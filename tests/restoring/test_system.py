"""Restoring text word by word: a case and a mark for each word, unless they are given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.system import Walk
from spacy_joint.restoring.system import ENDS, KEEPS_CASE, KEEPS_MARK, RestoringSystem

from ..engine.toys import replay, walk_at_random

QUICK = settings(max_examples=60)
SYSTEM = RestoringSystem(["lower", "capitalised"], ["", ",", ":"], [".", "?"])
constraint_lists = st.lists(st.integers(0, ENDS | KEEPS_CASE | KEEPS_MARK), max_size=12)


def make_columns(constraints, roots=None):
    n = len(constraints)
    token_info = np.array(roots or [-1] * n, dtype=np.int32).reshape(n, 1)
    return Columns(["word"], np.zeros((n, 1), dtype=np.uint64), np.array(constraints, dtype=np.int8), token_info)


@QUICK
@given(constraint_lists, st.integers(0, 2**32 - 1))
def test_every_walk_decides_what_is_not_given(constraints, seed):
    cases, marks = SYSTEM.build(constraints, walk_at_random(SYSTEM, make_columns(constraints), seed))
    assert [case is None for case in cases] == [bool(given & KEEPS_CASE) for given in constraints]
    assert [mark is None for mark in marks] == [bool(given & KEEPS_MARK) for given in constraints]


@QUICK
@given(constraint_lists, st.integers(0, 2**32 - 1))
def test_all_sentences_and_only_these_end_with_final_marks(constraints, seed):
    _, marks = SYSTEM.build(constraints, walk_at_random(SYSTEM, make_columns(constraints), seed))
    for mark, given_ in zip(marks, constraints, strict=True):
        assert mark is None or (mark in SYSTEM.final) == bool(given_ & ENDS)


@QUICK
@given(constraint_lists, st.integers(0, 2**32 - 1))
def test_decisions_are_recovered_from_their_actions(constraints, seed):
    actions = walk_at_random(SYSTEM, make_columns(constraints), seed)
    assert SYSTEM.actions(constraints, *SYSTEM.build(constraints, actions)).tolist() == actions.tolist()


@pytest.mark.parametrize(
    ("constraints", "actions"),
    [([ENDS], [0, 2]), ([0], [0, 5]), ([0], [2, 0]), ([0, 0], [0, 2]), ([0], [0, 2, 0]), ([0], [9, 2])],
)
def test_illegal_derivations_are_refused(constraints, actions):
    with pytest.raises(ValueError, match=r"\[J314\]"):
        SYSTEM.build(constraints, actions)


@pytest.mark.parametrize(("case", "mark"), [("upper", ","), ("lower", "."), ("lower", None), (None, ",")])
def test_what_is_not_possible_has_no_actions(case, mark):
    with pytest.raises(ValueError, match=r"\[J314\]"):
        SYSTEM.actions([0], [case], [mark])


def test_slots_show_the_sentence_its_root_and_what_has_been_decided():
    columns = make_columns([KEEPS_CASE, 0, ENDS, 0], [1, 1, 1, 3])
    empty = Walk(SYSTEM, columns).slots()["s"]
    slots = replay(SYSTEM, columns, [3, 0, 2, 1]).slots()
    assert (slots["w"] - empty, slots["s"] - empty, slots["root"] - empty) == (2, 0, 1)
    # Its case; that of the word before; the comma, and the words since.
    assert (slots["case"], slots["case-1"], slots["mark"], slots["since"]) == (2, 1, 4, 1)
    assert (slots["position"], slots["length"]) == (2, 2)
    slots = replay(SYSTEM, columns, [3, 0, 2, 1, 5]).slots()
    assert (slots["s"] - empty, slots["mark"], slots["position"]) == (3, 0, 0)


def test_a_document_needs_roots():
    with pytest.raises(ValueError, match=r"\[J046\]"):
        Walk(SYSTEM, Columns(["word"], np.zeros((1, 1), dtype=np.uint64)))


def test_a_system_needs_cases_and_both_kinds_of_marks():
    for arguments in (([], [""], ["."]), (["lower"], [], ["."]), (["lower"], [""], [])):
        with pytest.raises(ValueError, match=r"\[J330\]"):
            RestoringSystem(*arguments)
