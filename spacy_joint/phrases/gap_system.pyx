"""Discontinuous shift-reduce after Coavoux & Crabbe (2017). Transitions document Validity and Action.

A state has a stack ... s1 s0 and a deque ... d1 d0, whose newest constituent d0 is one side of every reduction. GAP
puts s0 behind the deque, so that d0 can be reduced with a constituent further down; a reduction puts the constituents
jumped over back on the stack. Stack and deque are one chain, d0 -> d1 -> ... -> s0 -> s1 -> ..., in which `mid` is s0,
so that only reductions copy constituents. Continuous shift-reduce (Sagae & Lavie 2005) is the same without GAP.
"""

from ..trees.system import SIDES
from .system import find_parents

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t

from ..engine.buckets cimport bucket
from ..engine.columns cimport FIRST, ROOT, InputC
from ..engine.system cimport ArenaC, arena_add, arena_node
from ..trees.system cimport NodeC, clear_slots, node_at
from .system cimport GAP, LEFT, ROOT_LABEL, SHIFT, UNARY, UNARY_ROOT, PhraseSystem


cdef enum:
    # The longest run of gaps in Alpino is 7.
    MAX_GAPS = 12


cdef struct StateC:
    uint32_t top, mid           # links: d0 and s0
    int32_t next                # first token not yet shifted
    uint16_t last_action, action_before     # + 1; 0: none
    uint16_t n_gaps             # since the last other action
    uint16_t unused             # no unnamed padding, since equal states must have equal bytes


cdef enum:
    # Tokens for templates: heads of constituents, the words at their edges, and the heads of their children.
    D0, D1, D2, S0, S1, S2, S3, B0
    # `fill_slots` fills these for d0, s0 and s1, in this order.
    D0_FIRST, D0_LAST, D0_LEFT, D0_RIGHT
    S0_FIRST, S0_LAST, S0_LEFT, S0_RIGHT
    S1_FIRST, S1_LAST, S1_LEFT, S1_RIGHT
    N_TOKEN_SLOTS

cdef enum:
    # Categories, i.e. labels or tags of words, and other values.
    D0_LABEL = N_TOKEN_SLOTS
    D1_LABEL, D2_LABEL, S0_LABEL, S1_LABEL, S2_LABEL, S3_LABEL
    D0_LEFT_LABEL, D0_RIGHT_LABEL, S0_LEFT_LABEL, S0_RIGHT_LABEL, S1_LEFT_LABEL, S1_RIGHT_LABEL
    D0_LENGTH, D0_GAP, S0_LENGTH, S0_GAP, S1_LENGTH, S1_GAP, S2_GAP
    D0_GAP_TYPE, S0_GAP_TYPE, S1_GAP_TYPE, S2_GAP_TYPE
    DISTANCE, N_GAPS, LAST_ACTION, ACTION_BEFORE
    N_SLOTS

# In the order of the numbers above.
TOKEN_SLOTS = """
    d0 d1 d2 s0 s1 s2 s3 b0
    d0.first d0.last d0.left d0.right s0.first s0.last s0.left s0.right s1.first s1.last s1.left s1.right
"""
VALUE_SLOTS = """
    d0.label d1.label d2.label s0.label s1.label s2.label s3.label
    d0.left.label d0.right.label s0.left.label s0.right.label s1.left.label s1.right.label
    length(d0) gap(d0) length(s0) gap(s0) length(s1) gap(s1) gap(s2)
    gap_type(d0) gap_type(s0) gap_type(s1) gap_type(s2)
    distance(s0,d0) gaps action-1 action-2
"""


cdef class GapSystem(PhraseSystem):
    """Continuous and discontinuous constituents: see `PhraseSystem`. s0 ("L") or d0 ("R") has the head."""

    def __cinit__(self, unary, binary, root, tag_column=-1):
        gaps = () if isinstance(self, ShiftReduceSystem) else [("GAP",)]
        self.set_phrases(unary, binary, root, tag_column, gaps, ())
        self.set_slots(TOKEN_SLOTS, VALUE_SLOTS)
        self.state_size = sizeof(StateC)
        self.nodes_per_step = MAX_GAPS + 1

    cdef bint is_final(self, const InputC* input, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        # The root alone is left.
        cdef bint is_root = not state.top or self.action_labels[state.last_action - 1] == ROOT_LABEL
        return is_root and state.next == input.n_tokens and not state.mid

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef bint ended = state.next == input.n_tokens
        cdef const NodeC* d0
        cdef const NodeC* s0
        cdef uint64_t kinds = 0
        cdef bint opens
        if not state.top:
            return 1 << SHIFT
        d0 = node_at(arena, state.top)
        # SHIFT. Validity: there is a next word, and no gap is open. Action: put d0 on the stack; the word becomes d0.
        if not ended and not state.n_gaps:
            kinds |= 1 << SHIFT
        # UNARY-X. Validity: d0 is a word that has just been shifted. Action: put X above d0.
        if state.last_action == SHIFT + 1:
            kinds |= 1 << UNARY
        if not state.mid:
            # UNARY-root. Validity: d0 covers the sentence. Action: put the root above d0.
            if ended and d0.n_below == 1:
                kinds |= 1 << UNARY_ROOT
            return kinds & self.has_actions
        s0 = node_at(arena, state.mid)
        # GAP. Validity: there is an s1, and d0 or something below s0 is finished. Action: s0 becomes the last of the
        # deque.
        if s0.below and state.n_gaps < MAX_GAPS and (not d0.intermediate or node_at(arena, s0.below).n_finished):
            kinds |= 1 << GAP
        # LEFT-X and RIGHT-X. Validity: one of d0 and s0 at most is unfinished, and that one has the head; the root
        # covers the sentence; if X is unfinished, a finished constituent or a word is left for it. Action: put X above
        # s0 and d0, and the rest of the deque on the stack.
        opens = not ended or d0.n_finished > (not d0.intermediate) + (not s0.intermediate)
        # Two unfinished constituents with nothing within reach are glued.
        return self.join(kinds, s0, d0, ended and d0.n_below == 2, opens, opens)

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        cdef uint32_t below
        state.action_before = state.last_action
        state.last_action = action + 1
        if action == SHIFT:
            state.mid = state.top
            state.top = self.add_word(arena, state.next, state.top)
            state.next += 1
        elif action < self.kind_start[UNARY]:
            state.mid = node_at(arena, state.mid).below
            state.n_gaps += 1
        elif action < self.kind_start[LEFT]:
            state.top = self.add_unary(arena, state.top, action)
        else:
            below = self.flush_deque(arena, state)
            state.top = self.add_binary(arena, state.mid, state.top, below, action)
            state.mid = below
            state.n_gaps = 0

    cdef uint32_t flush_deque(self, ArenaC* arena, const StateC* state) noexcept nogil:
        """Puts the deque without d0 on the stack without s0, and returns the top of the stack."""
        cdef uint32_t[MAX_GAPS] jumped
        cdef uint32_t number = node_at(arena, state.top).below
        cdef uint32_t below = node_at(arena, state.mid).below
        cdef int i, n_jumped = 0
        # Without s0, the constituents jumped over are a new chain.
        while number != state.mid:
            jumped[n_jumped] = number
            n_jumped += 1
            number = node_at(arena, number).below
        for i in range(n_jumped - 1, -1, -1):
            number = arena_add(arena)
            (<NodeC*>arena_node(arena, number))[0] = node_at(arena, jumped[i])[0]
            self.push(arena, number, below)
            below = number
        return below

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef const NodeC* node
        cdef uint32_t number = state.top
        cdef int32_t d0_first = 0, distance
        cdef int i
        clear_slots(slots, N_TOKEN_SLOTS, N_SLOTS)
        slots[B0] = FIRST + state.next
        slots[N_GAPS] = state.n_gaps
        slots[LAST_ACTION] = state.last_action
        slots[ACTION_BEFORE] = state.action_before
        for i in range(3):
            if number == state.mid:
                break
            node = node_at(arena, number)
            slots[D0 + i], slots[D0_LABEL + i] = FIRST + node.head, self.category(input, node.label, node.head)
            if i == 0:
                d0_first = node.first
                slots[D0_GAP_TYPE] = 1 + node.gap_type
                self.fill_slots(input, arena, number, slots + D0_FIRST, slots + D0_LEFT_LABEL, slots + D0_LENGTH)
            number = node.below
        number = state.mid
        for i in range(4):
            if not number:
                slots[S0 + i] = ROOT
                break
            node = node_at(arena, number)
            slots[S0 + i], slots[S0_LABEL + i] = FIRST + node.head, self.category(input, node.label, node.head)
            if i < 3:
                slots[S0_GAP_TYPE + i] = 1 + node.gap_type
            if i < 2:
                self.fill_slots(input, arena, number, slots + S0_FIRST + 4 * i, slots + S0_LEFT_LABEL + 2 * i,
                                slots + S0_LENGTH + 2 * i)
            if i == 0:
                # Negative if d0 begins before s0 ends.
                distance = d0_first - node.last
                slots[DISTANCE] = 21 + bucket(-distance) if distance < 0 else 1 + bucket(distance)
            elif i == 2:
                slots[S2_GAP] = 1 + bucket(node.last + 1 - node.first - node.n_words)
            number = node.below


cdef class ShiftReduceSystem(GapSystem):
    """Continuous constituents of a sentence: `GapSystem` without GAP, and with the same settings."""


def name_actions(int n_words, nodes):
    """Names the actions that build a tree from nodes (see `find_parents`): ("SHIFT",), ("GAP",), ("UNARY", label) or
    ("BINARY", label, side). None if a sister is further away than MAX_GAPS."""
    parents = find_parents(n_words, nodes)
    names = [("SHIFT",)]
    stack = []
    newest, next = 0, 1
    while newest != len(parents) - 1:
        parent = parents[newest]
        label, first, second, head = nodes[parent - n_words]
        sister = second if newest == first else first
        if second == -1:
            names.append(("UNARY", label))
            newest = parent
        elif sister in stack:
            n_gaps = len(stack) - 1 - stack.index(sister)
            if n_gaps > MAX_GAPS:
                return None
            names += [("GAP",)] * n_gaps
            names.append(("BINARY", label, SIDES[(first, second)[head] == newest]))
            stack.remove(sister)
            newest = parent
        else:
            stack.append(newest)
            names.append(("SHIFT",))
            newest, next = next, next + 1
    return names
