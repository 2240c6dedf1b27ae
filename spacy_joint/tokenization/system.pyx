"""Word segmentation: see system.pxd for its states."""

import numpy as np

from ..engine.system import check_derivation
from ..errors import Errors, JointValueError

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from ..engine.columns cimport FIRST, InputC
from ..engine.system cimport ArenaC
from ..engine.templates cimport mix


cdef enum:
    CHARACTER, FIRST_CHARACTER, WORD, BEFORE, LENGTH, LAST

cdef enum:
    MAX_LENGTH = 24     # longer words have this length

SKIP = SKIPPED  # for Python
JOIN = JOINING


cdef inline uint64_t extend(const InputC* input, const StateC* state) noexcept nogil:
    """Returns the hash of the word up to and including the next character."""
    return mix(state.word + <uint64_t>input.token_info[state.next] + 1)


cdef class SegmentationSystem(System):
    """The words of a text, as sequences of characters. The constraints of the columns are 0 for characters of words,
    SKIP for whitespace that is never part of a word, and JOIN for whitespace that may be inside a word; it must neither
    be the last character nor precede whitespace. Words with the same info are the same word."""

    def __cinit__(self):
        self.set_kinds([1] * N_ACTIONS)
        self.set_slots("w f", "word before length last")
        self.n_info = 1
        self.state_size = sizeof(StateC)

    def __reduce__(self):
        return (SegmentationSystem, ())

    cdef void start(self, const InputC* input, void* state) noexcept nogil:
        memset(state, 0, sizeof(StateC))
        self.skip(input, <StateC*>state)

    cdef void skip(self, const InputC* input, StateC* state) noexcept nogil:
        while state.next < input.n_tokens and input.constraints[state.next] == SKIPPED:
            state.next += 1
            state.first = state.next

    cdef bint is_final(self, const InputC* input, const void* state) noexcept nogil:
        return (<const StateC*>state).next == input.n_tokens

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef bint is_inside = state.word != 0
        cdef int32_t following = state.next + 1
        if input.constraints[state.next] == JOINING:
            return 1 << INSIDE if is_inside else 1 << OUTSIDE
        if following == input.n_tokens or input.constraints[following] == SKIPPED:
            return 1 << END if is_inside else 1 << SINGLE
        return 1 << END | 1 << INSIDE if is_inside else 1 << SINGLE | 1 << BEGIN

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        slots[CHARACTER] = FIRST + state.next
        slots[FIRST_CHARACTER] = FIRST + state.first
        slots[WORD] = extend(input, state)
        slots[BEFORE] = state.before
        slots[LENGTH] = min(state.next - state.first + 1, MAX_LENGTH)
        slots[LAST] = state.last

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        if action == BEGIN or action == INSIDE:
            state.word = extend(input, state) | 1
        elif action != OUTSIDE:
            state.before = extend(input, state)
            state.word = 0
        state.next += 1
        if state.word == 0:
            state.first = state.next
        state.last = action + 1
        self.skip(input, state)

    def actions(self, begins, ends, constraints):
        """Returns the actions (uint16), one per character that is not skipped, given whether each character is the
        first, and the last, of a word. RAISES ValueError: If the numbers of characters differ (J001)."""
        if not begins.shape == ends.shape == constraints.shape:
            raise JointValueError(Errors.J001, name="begins", value=begins.shape, allowed=constraints.shape)
        is_outside = np.cumsum(begins) == np.cumsum(ends) - ends
        actions = np.full(len(begins), INSIDE, dtype=np.uint16)
        actions[begins] = BEGIN
        actions[ends] = END
        actions[begins & ends] = SINGLE
        actions[is_outside] = OUTSIDE
        return actions[constraints != SKIPPED]

    def build(self, actions):
        """Returns whether each character that is not skipped is the first, and the last, of a word by a derivation."""
        actions = check_derivation(actions, N_ACTIONS)
        return (actions == BEGIN) | (actions == SINGLE), (actions == END) | (actions == SINGLE)
