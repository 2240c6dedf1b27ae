"""Shift-reduce parsing of constituents up to a maximum span: a document is parsed directly into a sequence of hedges.

A state is a stack of constituents and the position of the next word. The stack is the result when all words are read.
Constituents are binary, built outwards from their heads (transform.py): unfinished ones have labels with an @, and are
replaced by their children if they are never finished. They have at most `max_span` words and cross no known boundary.
Kinds of actions, in the order of their numbers: SHIFT, FINISH, UNARY-X; then, for each binary category X, BINARY-X-side
and BINARY-@X-side. If there are more categories than kinds (see MAX_KINDS), the last ones share kinds.
Transitions document Validity and Action.
"""

from itertools import groupby

import numpy as np

from ..engine.system import check_derivation
from ..errors import Errors, JointValueError, check_range
from ..trees.system import SIDES
from ..trees.transform import INTERMEDIATE
from .segments import MAX_SPAN

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ..engine.columns cimport FIRST, ROOT, InputC
from ..engine.system cimport MAX_KINDS, ArenaC, Walk, replay
from ..trees.system cimport NodeC, TreeSystem, clear_slots, node_at


cdef enum:
    SHIFT
    FINISH
    UNARY
    BINARY          # the first of the binary kinds

cdef enum:
    MAX_LABELS = 1024
    MAX_UNARY = 255         # fits the counter of a state
    SEGMENT_START = 2       # a constraint; 1 is the start of a sentence


cdef struct StateC:
    uint32_t stack          # link
    int32_t next            # first token not yet shifted
    uint16_t last_action, action_before     # + 1; 0: none
    uint8_t n_unary         # the number of successive UNARY actions on s0
    uint8_t finished
    uint16_t unused         # no unnamed padding, since equal states must have equal bytes


cdef enum:
    # Tokens for templates: heads of constituents, and words at their edges.
    S0, S1, S2, S3, B0
    S0_FIRST, S1_FIRST
    S0_LEFT, S0_RIGHT, S1_LEFT, S1_RIGHT
    N_TOKEN_SLOTS

cdef enum:
    # Categories, i.e. labels or tags of words, and other values.
    S0_LABEL = N_TOKEN_SLOTS
    S1_LABEL, S2_LABEL, S3_LABEL
    S0_LEFT_LABEL, S0_RIGHT_LABEL, S1_LEFT_LABEL, S1_RIGHT_LABEL
    S0_LEFT_LEFT, S0_LEFT_RIGHT, S0_RIGHT_LEFT, S0_RIGHT_RIGHT
    S1_LEFT_LEFT, S1_LEFT_RIGHT, S1_RIGHT_LEFT, S1_RIGHT_RIGHT
    S0_SPAN, S1_SPAN, S0_S1_SPAN, S0_S2_SPAN
    S0_START, B0_START, LAST_ACTION, ACTION_BEFORE
    N_SLOTS

# In the order of the numbers above.
TOKEN_SLOTS = "s0 s1 s2 s3 b0 s0.first s1.first s0.left s0.right s1.left s1.right"
VALUE_SLOTS = """
    s0.label s1.label s2.label s3.label s0.left.label s0.right.label s1.left.label s1.right.label
    s0.left.left s0.left.right s0.right.left s0.right.right s1.left.left s1.left.right s1.right.left s1.right.right
    span(s0) span(s1) span(s1,s0) span(s2,s0) s0.boundary b0.boundary action-1 action-2
"""


cdef inline uint64_t boundary(const InputC* input, int32_t token) noexcept nogil:
    """Returns the kind of a boundary: 1 none, 2 unknown, 3 start of a sentence, 4 end of the document, 5 start of a
    segment."""
    if token >= input.n_tokens:
        return 4
    if token == 0:
        return 3
    return 5 if input.constraints[token] == SEGMENT_START else <uint64_t>(2 + input.constraints[token])


cdef class HedgeSystem(TreeSystem):
    """Builds constituents of at most `max_span` words, with unary chains of at most `max_unary`. Labels and the tag
    column are as in `PhraseSystem`. Constraints mark known starts of sentences (1) or segments (2), which constituents
    cannot cross, and tokens that are not starts (-1)."""
    cdef int max_span
    cdef int max_unary
    # Kinds for pairs of constituents, by the label of the one that is intermediate; 0: neither is.
    cdef uint64_t[::1] finishing, extending

    def __cinit__(self, unary, binary, max_span=7, max_unary=3, tag_column=-1):
        cdef int label, kind
        if not unary and not binary:
            raise JointValueError(Errors.J330, source="The data", what="constituents")
        check_range("max_span", max_span, 1, MAX_SPAN)
        check_range("max_unary", max_unary, 0, MAX_UNARY)
        self.max_span, self.max_unary = max_span, max_unary
        self.set_labels(unary, binary, (), MAX_LABELS, tag_column)
        # Two kinds for each binary category, as long as there are kinds left.
        kind_of = {}
        for name, _ in self.binary:
            kind_of.setdefault(name.lstrip(INTERMEDIATE), BINARY + 2 * min(len(kind_of), (MAX_KINDS - BINARY) // 2 - 1))
        kinds = [[] for _ in range(max(kind_of.values(), default=BINARY - 2) + 2)]
        kinds[SHIFT], kinds[FINISH] = [("SHIFT",)], [("FINISH",)]
        kinds[UNARY] = [("UNARY", name) for name in self.unary]
        for name, side in self.binary:
            kinds[kind_of[name.lstrip(INTERMEDIATE)] + name.startswith(INTERMEDIATE)].append(("BINARY", name, side))
        self.set_actions(kinds)
        self.finishing = np.zeros(len(self.labels) + 1, dtype=np.uint64)
        self.extending = np.zeros(len(self.labels) + 1, dtype=np.uint64)
        for label, name in enumerate([None, *self.labels]):
            for whole, kind in kind_of.items():
                if name is None or (name.startswith(INTERMEDIATE) and name.lstrip(INTERMEDIATE) == whole):
                    self.finishing[label] |= self.has_actions & (<uint64_t>1 << kind)
                    self.extending[label] |= self.has_actions & (<uint64_t>2 << kind)
        self.set_slots(TOKEN_SLOTS, VALUE_SLOTS)
        self.state_size = sizeof(StateC)
        self.n_state_links = 1

    def __reduce__(self):
        return (HedgeSystem, (self.unary, self.binary, self.max_span, self.max_unary, self.tag_column))

    cdef bint is_final(self, const InputC* input, const void* state) noexcept nogil:
        return (<const StateC*>state).finished or not input.n_tokens

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef const NodeC* s0
        cdef const NodeC* s1
        cdef uint64_t kinds
        cdef int32_t span
        cdef uint16_t unfinished
        # SHIFT. Validity: there is a next word. Action: move it to the stack.
        # FINISH. Validity: there is no next word. Action: end with the stack as the result.
        kinds = 1 << SHIFT if state.next < input.n_tokens else 1 << FINISH
        if not state.stack:
            return kinds
        s0 = node_at(arena, state.stack)
        # UNARY-X. Validity: s0 is finished, and its unary chain is not too long. Action: put X above s0.
        if state.n_unary < self.max_unary and not s0.intermediate:
            kinds |= self.has_actions & 1 << UNARY
        if not s0.below or input.constraints[s0.first] > 0:
            return kinds
        # BINARY-X-side. Validity: s1 and s0 together have at most max_span words, there is no known boundary between
        # them, at most one of them is unfinished, and that one is an @X; if X itself is unfinished, one more word must
        # fit. Action: put X above s1 and s0, with the head of the one on that side.
        s1 = node_at(arena, s0.below)
        span = state.next - s1.first
        if span > self.max_span or (s0.intermediate and s1.intermediate):
            return kinds
        unfinished = s0.label if s0.intermediate else s1.label if s1.intermediate else 0
        return kinds | self.finishing[unfinished] | (self.extending[unfinished] if span < self.max_span else 0)

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        cdef uint32_t lower
        state.action_before = state.last_action
        state.last_action = action + 1
        if action == FINISH:
            state.finished = 1
        elif action == SHIFT:
            state.stack = self.add_word(arena, state.next, state.stack)
            state.next += 1
            state.n_unary = 0
        elif action < self.kind_start[BINARY]:
            state.stack = self.add_unary(arena, state.stack, action)
            state.n_unary += 1
        else:
            lower = node_at(arena, state.stack).below
            state.stack = self.add_binary(arena, lower, state.stack, node_at(arena, lower).below, action)
            state.n_unary = 0

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef const NodeC* node
        cdef uint32_t number = state.stack
        cdef int32_t width
        cdef uint64_t[2] heads      # of grandchildren, which templates cannot use
        cdef int i
        clear_slots(slots, N_TOKEN_SLOTS, N_SLOTS)
        slots[B0] = FIRST + state.next
        slots[B0_START] = boundary(input, state.next)
        slots[LAST_ACTION] = state.last_action
        slots[ACTION_BEFORE] = state.action_before
        for i in range(4):
            if not number:
                slots[S0 + i] = ROOT
                break
            node = node_at(arena, number)
            slots[S0 + i] = FIRST + node.head
            slots[S0_LABEL + i] = self.category(input, node.label, node.head)
            width = min(state.next - node.first, self.max_span + 1)
            if i < 2:
                slots[S0_FIRST + i] = FIRST + node.first
                self.fill_child_slots(input, arena, number, slots + S0_LEFT + 2 * i, slots + S0_LEFT_LABEL + 2 * i)
                self.fill_child_slots(input, arena, node.left, heads, slots + S0_LEFT_LEFT + 4 * i)
                self.fill_child_slots(input, arena, node.right, heads, slots + S0_RIGHT_LEFT + 4 * i)
            if i == 0:
                slots[S0_START] = boundary(input, node.first)
                slots[S0_SPAN] = width
            elif i == 1:
                slots[S0_S1_SPAN] = width
                slots[S1_SPAN] = node.n_words
            elif i == 2:
                slots[S0_S2_SPAN] = width
            number = node.below

    def actions(self, trees):
        """Returns the actions (uint16) that build the binarised constituents and tags of a document; None if one is
        missing, or a unary chain is too long."""
        # From right to left, each node before its children: the reverse of the derivation.
        names, pending = [], list(trees)
        while pending:
            node = pending.pop()
            names.append(name_action(node))
            pending.extend(node.children)
        if find_longest_chain(names) > self.max_unary:
            return None
        return self.number_actions([*reversed(names), ("FINISH",)] if names else [])

    def build(self, actions):
        """Returns the constituents that a sequence of complete derivations (J314) builds, ordered as by
        `Tree.spans`."""
        derivation = check_derivation(actions, self.n_actions)
        cdef Walk walk
        cdef const NodeC* node
        cdef uint32_t number
        cdef int first = 0
        made = []
        for part in np.split(derivation, np.flatnonzero(derivation == FINISH) + 1):
            walk = replay(self, part, np.count_nonzero(part == SHIFT))
            for number in range(1, walk.arena.used):
                node = node_at(&walk.arena, number)
                if node.label and not node.intermediate:
                    last = first + node.last
                    made.append((first + node.first, -last, -len(made), self.labels[node.label - 1]))
            first += walk.columns.c.n_tokens
        constituents = [(label, start, 1 - last) for start, last, _, label in sorted(made)]
        # Collapse X over X.
        return [pair[0] for pair in zip(constituents, [None, *constituents]) if pair[0] != pair[1]]


def name_action(node):
    """Names the action that builds a node of a binarised tree: ("SHIFT",), ("UNARY", label) or ("BINARY", label,
    side)."""
    if node.is_preterminal:
        return ("SHIFT",)
    if len(node.children) == 1:
        return ("UNARY", node.label)
    return ("BINARY", node.label, SIDES[node.head])


def find_longest_chain(names):
    """Finds the length of the longest unary chain, given the names of the actions that build nodes in preorder, in
    which a unary node is followed by its child, or the reverse."""
    return max((sum(chain) for _, chain in groupby(name[0] == "UNARY" for name in names)), default=0)
