"""Markov sequence labelling: see system.pxd for its states."""

import numpy as np

from ..engine.system import check_derivation
from ..errors import Errors, JointValueError, check_range

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from ..engine.columns cimport FIRST, InputC
from ..engine.system cimport ArenaC


cdef enum:
    TOKEN
    TAG_1
    TAG_2
    SENTENCE_LENGTH
    MAX_LENGTH = 12  # of sentences, in slots

SKIP = SKIPPED  # for Python


cdef class SequenceSystem(System):
    """The base class of systems that give each token a tag: see `TaggingSystem`."""

    cdef int set_tags(self, tags, order, bint with_boundaries) except -1:
        if not tags:
            raise JointValueError(Errors.J330, source="The data", what="tags")
        check_range("order", order, 0, 2)
        self.tags = tuple(tags)
        self.n_tags = len(self.tags)
        self.order = order
        self.with_boundaries = with_boundaries
        self.set_kinds([self.n_tags] * (2 if with_boundaries else 1))
        self.set_slots("w", "tag-1 tag-2 sentence.length")
        self.can_stream = True
        self.state_size = sizeof(StateC)
        return 0

    cdef void start(self, const InputC* input, void* state) noexcept nogil:
        memset(state, 0, sizeof(StateC))
        self.skip(input, <StateC*>state)

    cdef void skip(self, const InputC* input, StateC* state) noexcept nogil:
        while state.next < input.n_tokens and input.constraints[state.next] == SKIPPED:
            state.before = state.last
            state.last = self.n_actions + 1
            state.next += 1

    cdef bint is_final(self, const InputC* input, const void* state_) noexcept nogil:
        return (<const StateC*>state_).next == input.n_tokens

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef int32_t token = (<const StateC*>state_).next
        if not self.with_boundaries:
            return 1 << CONTINUE
        if token == 0 or input.constraints[token] > 0:
            return 1 << START
        if input.constraints[token] < 0:
            return 1 << CONTINUE
        return 1 << START | 1 << CONTINUE

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        slots[TOKEN] = FIRST + state.next
        slots[TAG_1] = state.last if self.order > 0 else 0
        slots[TAG_2] = state.before if self.order > 1 else 0
        slots[SENTENCE_LENGTH] = min(state.next - state.sentence, MAX_LENGTH) if self.with_boundaries else 0

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        if self.with_boundaries and action >= self.n_tags:
            state.sentence = state.next
        state.before = state.last
        state.last = action + 1
        state.next += 1
        self.skip(input, state)

    cdef int front(self, const void* state) noexcept nogil:
        return (<const StateC*>state).next

    cdef void rebase_state(self, void* state, int n) noexcept nogil:
        # A stream that forgets tokens too early gets wrong results, but reads no invalid memory.
        (<StateC*>state).next = max((<StateC*>state).next - n, 0)
        (<StateC*>state).sentence -= n

    def actions(self, tags, starts=None):
        """Returns the actions (uint16) for tags (None skips a token) and, with boundaries, for whether each token
        starts a sentence, as the first one always does; None if the system lacks a tag."""
        numbers = {tag: number for number, tag in enumerate(self.tags)}
        known = np.array([tag is not None for tag in tags], dtype=bool)
        actions = [0 if tag is None else numbers.get(tag, -1) for tag in tags]
        if -1 in actions:
            return None
        actions = np.array(actions, dtype=np.uint16)
        if self.with_boundaries and len(actions):
            starts = np.array(starts, dtype=bool)
            if starts.shape != actions.shape:
                raise JointValueError(Errors.J001, name="starts", value=starts.shape, allowed=actions.shape)
            starts[0] = True
            actions[starts] += self.n_tags
        return actions[known]

    def build(self, actions):
        """Returns the tags of a complete derivation (uint16), and the starts (bool).

        RAISES ValueError: If the system lacks an action (J314).
        """
        actions = check_derivation(actions, self.n_actions)
        starts = actions >= self.n_tags
        return [self.tags[action] for action in (actions % self.n_tags).tolist()], starts


cdef class TaggingSystem(SequenceSystem):
    """Tags the tokens of a document, given the previous tags, of which features can see `order` (0..2). With
    boundaries, actions also determine which tokens start a sentence: constraints mark tokens that must (1) or must not
    (-1); the first token always does. Tokens with the constraint SKIP get no action.

    RAISES ValueError: If there are no tags (J330), or the order is out of range (J030).
    """

    def __cinit__(self, tags, order=2, with_boundaries=False):
        self.set_tags(tags, order, with_boundaries)

    def __reduce__(self):
        return (TaggingSystem, (self.tags, self.order, self.with_boundaries))
