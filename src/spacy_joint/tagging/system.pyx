"""Markov sequence labelling: see system.pxd for its states."""

import numpy as np

from ..engine.paths import check_path
from ..errors import Errors, JointValueError

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from ..engine.columns cimport FIRST, InputC
from ..engine.system cimport ArenaC


cdef enum:
    TOKEN
    TAG_1
    TAG_2
    SENTENCE_LENGTH
    N_SLOTS

SKIP = SKIPPED  # for Python

# Lengths of sentences are capped at this value.
cdef enum:
    MAX_LENGTH = 12


cdef class TaggingSystem(System):
    """Tags for the tokens of a document, given the previous tags.

    tags (Sequence[str]): The tags.
    order (int): The number of previous tags that features can see, 0..2.
    with_boundaries (bool): Whether actions also determine which tokens start a sentence. If so, the constraints of the
        columns give tokens that must (1) or must not (-1) start a sentence; the first token always does.

    Tokens with the constraint SKIP get no action.
    RAISES ValueError: If there are no tags, or the order is out of range.
    """

    def __init__(self, tags, order=2, with_boundaries=False):
        if not tags:
            raise JointValueError(Errors.J310)
        if not 0 <= order <= 2:
            raise JointValueError(Errors.J311, value=order)
        self.tags = tuple(tags)
        self.order = order
        self.with_boundaries = with_boundaries
        self.set_kinds([len(self.tags), len(self.tags)] if with_boundaries else [len(self.tags)])
        self.n_slots = N_SLOTS
        self.streams = True
        self.state_size = sizeof(StateC)
        self.node_size = sizeof(uint64_t)
        self.n_state_links = 0
        self.n_node_links = 0

    def __reduce__(self):
        return (TaggingSystem, (self.tags, self.order, self.with_boundaries))

    def token_slots(self):
        return {"w": TOKEN}

    def value_slots(self):
        return {"tag-1": TAG_1, "tag-2": TAG_2, "sentence.length": SENTENCE_LENGTH}

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
        if self.with_boundaries and action >= self.kind_start[START]:
            state.sentence = state.next
        state.before = state.last
        state.last = action + 1
        state.next += 1
        self.skip(input, state)

    cdef int front(self, const void* state) noexcept nogil:
        return (<const StateC*>state).next

    cdef void move_back_state(self, void* state, int n) noexcept nogil:
        # A stream that forgets what it needs gets nonsense, but reads nothing that is not there.
        (<StateC*>state).next = max((<StateC*>state).next - n, 0)
        (<StateC*>state).sentence -= n

    def actions(self, tags, starts=None):
        """The actions for the given tags.

        tags (Sequence[str | None]): One tag per token. None skips the token.
        starts (Sequence[bool] | None): Whether each token starts a sentence; required with boundaries. The first
            token always does.
        RETURNS (np.ndarray | None): The actions (uint16); None if the system lacks one of the tags.
        """
        numbers = {tag: number for number, tag in enumerate(self.tags)}
        known = np.array([tag is not None for tag in tags], dtype=bool)
        actions = [0 if tag is None else numbers.get(tag, -1) for tag in tags]
        if -1 in actions:
            return None
        actions = np.array(actions, dtype=np.uint16)
        if self.with_boundaries and len(actions):
            starts = np.array(starts, dtype=bool)
            if starts.shape != actions.shape:
                raise JointValueError(Errors.J313, n_tags=len(actions), shape=starts.shape)
            starts[0] = True
            actions[starts] += len(self.tags)
        return actions[known]

    def build(self, actions):
        """The tags given by a path of actions.

        actions (np.ndarray): A complete path (uint16).
        RETURNS (tuple[list[str], np.ndarray]): The tags, and the starts (bool).
        RAISES ValueError: If the system lacks one of the actions.
        """
        actions = check_path(actions, self.n_actions)
        starts = actions >= len(self.tags)
        return [self.tags[action] for action in (actions % len(self.tags)).tolist()], starts
