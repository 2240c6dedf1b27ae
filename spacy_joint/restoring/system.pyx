"""Restoring text word by word: see system.pxd for its states."""

import numpy as np

from ..engine.system import check_derivation
from ..errors import Errors, JointValueError

from libc.stdint cimport int32_t, uint16_t, uint64_t
from libc.string cimport memset

from ..engine.columns cimport FIRST, NOTHING, InputC
from ..engine.system cimport ArenaC


cdef enum:
    WORD
    SENTENCE
    ROOT
    CASE_NOW
    CASE_BEFORE
    LAST_MARK
    SINCE
    POSITION
    LENGTH
    MAX_SINCE = 8
    MAX_POSITION = 4

ENDS, KEEPS_CASE, KEEPS_MARK = FINAL, CASE_GIVEN, MARK_GIVEN  # for Python


cdef class RestoringSystem(System):
    """Cases of words and marks after them: `inside` sentences, of which the first is "no mark", and `final` ones. The
    constraints of the columns are sums of ENDS, KEEPS_CASE and KEEPS_MARK.

    RAISES ValueError: If there are no cases or no marks of one kind (J330).
    """

    def __cinit__(self, cases, inside, final):
        if not (cases and inside and final):
            raise JointValueError(Errors.J330, source="The data", what="marks at the ends of sentences")
        self.cases, self.inside, self.final = tuple(cases), tuple(inside), tuple(final)
        self.set_kinds([len(self.cases), len(self.inside), len(self.final)])
        self.set_slots("w s root", "case case-1 mark since position length")
        self.n_info = 1
        self.state_size = sizeof(StateC)

    def __reduce__(self):
        return (RestoringSystem, (self.cases, self.inside, self.final))

    cdef void start(self, const InputC* input, void* state) noexcept nogil:
        memset(state, 0, sizeof(StateC))
        self.skip(input, <StateC*>state)

    cdef void skip(self, const InputC* input, StateC* state) noexcept nogil:
        while state.next < input.n_tokens:
            if not state.decides_mark:
                if not input.constraints[state.next] & CASE_GIVEN:
                    return
                self.take_case(state, self.n_actions + 1)
            if not input.constraints[state.next] & MARK_GIVEN:
                return
            self.take_mark(input, state, self.n_actions + 1)

    cdef void take_case(self, StateC* state, uint16_t case) noexcept nogil:
        state.case_now = case
        state.decides_mark = True

    cdef void take_mark(self, const InputC* input, StateC* state, uint16_t mark) noexcept nogil:
        if input.constraints[state.next] & FINAL:
            state.sentence = state.next + 1
            state.mark = state.since = 0
        elif mark != self.kind_start[INSIDE] + 1 and mark <= self.n_actions:
            state.mark, state.since = mark, 0
        else:
            state.since = min(state.since + 1, MAX_SINCE)
        state.next += 1
        state.case_before, state.case_now = state.case_now, 0
        state.decides_mark = False

    cdef bint is_final(self, const InputC* input, const void* state) noexcept nogil:
        return (<const StateC*>state).next >= input.n_tokens

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        if not state.decides_mark:
            return 1 << CASE
        return 1 << END if input.constraints[state.next] & FINAL else 1 << INSIDE

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef int32_t root = input.token_info[state.next * input.n_info]
        cdef int32_t position = state.next - state.sentence
        slots[WORD] = FIRST + state.next
        slots[SENTENCE] = FIRST + state.sentence
        slots[ROOT] = FIRST + root if 0 <= root < input.n_tokens else NOTHING
        slots[CASE_NOW] = state.case_now
        slots[CASE_BEFORE] = state.case_before
        slots[LAST_MARK] = state.mark
        slots[SINCE] = state.since
        slots[POSITION] = min(position, MAX_POSITION)
        # In growing bins: 0, 1, 2, 3, 4-5, 6-8, 9-14, 15-24, 25 or more.
        slots[LENGTH] = (
            position if position < 4 else 4 if position < 6 else 5 if position < 9 else 6 if position < 15
            else 7 if position < 25 else 8
        )

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        if state.decides_mark:
            self.take_mark(input, state, action + 1)
        else:
            self.take_case(state, action + 1)
        self.skip(input, state)

    def actions(self, constraints, cases, marks):
        """Returns the actions (uint16) that set the cases and marks of words (strings; given ones are ignored).
        RAISES ValueError: If the system lacks one, or a mark is at the wrong place (J314)."""
        constraints, cases, marks = list(constraints), list(cases), list(marks)
        if not len(constraints) == len(cases) == len(marks):
            raise JointValueError(Errors.J314, step=0, n=len(cases))
        first = {kind: {name: self.kind_start[kind] + i for i, name in enumerate(names)}
                 for kind, names in enumerate((self.cases, self.inside, self.final))}
        actions = []
        for given, case, mark in zip(constraints, cases, marks):
            if not given & CASE_GIVEN:
                actions.append(first[CASE].get(case, self.n_actions))
            if not given & MARK_GIVEN:
                actions.append(first[END if given & FINAL else INSIDE].get(mark, self.n_actions))
        return check_derivation(actions, self.n_actions)

    def build(self, constraints, actions):
        """Returns the cases and marks of words (two lists of strings; None where given) by a complete derivation.
        RAISES ValueError: If an action is not legal, or some are missing (J314)."""
        actions = check_derivation(actions, self.n_actions)
        names = list(self.cases + self.inside + self.final)
        constraints = np.asarray(constraints, dtype=np.int8)
        has_case, has_mark = constraints & CASE_GIVEN == 0, constraints & MARK_GIVEN == 0
        kinds = np.stack([np.zeros_like(constraints), np.where(constraints & FINAL, END, INSIDE)], axis=1)
        taken = np.stack([has_case, has_mark], axis=1)
        starts = np.array([self.kind_start[kind] for kind in range(4)])
        if taken.sum() != len(actions):
            raise JointValueError(Errors.J314, step=min(taken.sum(), len(actions)), n=len(actions))
        if len(wrong := np.flatnonzero(np.searchsorted(starts, actions, side="right") - 1 != kinds[taken])):
            raise JointValueError(Errors.J314, step=int(wrong[0]), n=len(actions))
        decided = np.full(taken.shape, None, dtype=object)
        decided[taken] = [names[action] for action in actions.tolist()]
        return decided[:, 0].tolist(), decided[:, 1].tolist()
