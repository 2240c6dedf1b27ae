"""Discontinuous shift-reduce with swaps (Versley 2014, Maier 2015). Transitions document Validity and Action.

A state has a stack ... s1 s0 and a queue q0 q1 ... of words; s1 and s0 are joined. There are three ways to join
constituents that are not neighbours:

- `swap`: SWAP-i puts s1, ..., si, which are words, back before the queue;
- `single_swap`: the same with SWAP-1 only, i times;
- `skip_shift` (Maier & Lichte 2016): SKIP-i puts qi on the stack, and leaves q0, ..., qi-1 where they are.

The queue is a chain of the words put back or left, and then all words from `next` on. SWAP and SKIP add as many nodes
as they move words. A sentence has a budget of moved words, so that its length bounds the number of steps linearly.
"""

from bisect import bisect_left

from ..errors import check_choice, check_range
from ..trees.system import SIDES
from .system import find_parents

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from ..engine.buckets cimport bucket
from ..engine.columns cimport FIRST, ROOT, InputC
from ..engine.system cimport ArenaC
from ..trees.system cimport NodeC, clear_slots, node_at
from .system cimport LEFT, N_KINDS, ROOT_LABEL, SHIFT, UNARY, UNARY_ROOT, PhraseSystem


# The kinds of systems, and the names of their moves.
MOVES = {"swap": "SWAP", "single_swap": "SWAP", "skip_shift": "SKIP"}

cdef enum:
    # The longest moves of Alpino and of the Wall Street Journal are of 29 and 31 words.
    MAX_MOVED = 48
    # The budget per word of the sentence. Gold trees of these treebanks need 18.
    MOVES_PER_WORD = 32


cdef struct StateC:
    uint32_t top, queue         # links: s0, and the first word that was put back or left
    int32_t next                # first word that has never left the queue, after those
    int32_t n_stack
    int32_t n_moved
    uint16_t last_action, action_before     # + 1; 0: none


cdef enum:
    # Tokens for templates: heads of constituents, the words at their edges, and the heads of their children.
    S0, S1, S2, S3, Q0, Q1, Q2, Q3
    # `fill_slots` fills these for s0 and s1, in this order.
    S0_FIRST, S0_LAST, S0_LEFT, S0_RIGHT
    S1_FIRST, S1_LAST, S1_LEFT, S1_RIGHT
    # `fill_child_slots` fills these for s0.left, s0.right, s1.left and s1.right.
    S0_LEFT_LEFT, S0_LEFT_RIGHT, S0_RIGHT_LEFT, S0_RIGHT_RIGHT
    S1_LEFT_LEFT, S1_LEFT_RIGHT, S1_RIGHT_LEFT, S1_RIGHT_RIGHT
    N_TOKEN_SLOTS

cdef enum:
    # Categories, i.e. labels or tags of words, and other values.
    S0_LABEL = N_TOKEN_SLOTS
    S1_LABEL, S2_LABEL, S3_LABEL
    S0_LEFT_LABEL, S0_RIGHT_LABEL, S1_LEFT_LABEL, S1_RIGHT_LABEL
    S0_LEFT_LEFT_LABEL, S0_LEFT_RIGHT_LABEL, S0_RIGHT_LEFT_LABEL, S0_RIGHT_RIGHT_LABEL
    S1_LEFT_LEFT_LABEL, S1_LEFT_RIGHT_LABEL, S1_RIGHT_LEFT_LABEL, S1_RIGHT_RIGHT_LABEL
    # Pairs of length and gap length.
    S0_LENGTH, S0_GAP, S1_LENGTH, S1_GAP, S2_LENGTH, S2_GAP, S3_LENGTH, S3_GAP
    S0_GAP_TYPE, S1_GAP_TYPE, S2_GAP_TYPE, S3_GAP_TYPE
    COMMA, COLON, SEMICOLON, N_MARKS
    DISTANCE, N_QUEUED, LAST_ACTION, ACTION_BEFORE
    N_SLOTS

# In the order of the numbers above.
TOKEN_SLOTS = """
    s0 s1 s2 s3 q0 q1 q2 q3
    s0.first s0.last s0.left s0.right s1.first s1.last s1.left s1.right
    s0.left.left s0.left.right s0.right.left s0.right.right s1.left.left s1.left.right s1.right.left s1.right.right
"""
VALUE_SLOTS = """
    s0.label s1.label s2.label s3.label s0.left.label s0.right.label s1.left.label s1.right.label
    s0.left.left.label s0.left.right.label s0.right.left.label s0.right.right.label
    s1.left.left.label s1.left.right.label s1.right.left.label s1.right.right.label
    length(s0) gap(s0) length(s1) gap(s1) length(s2) gap(s2) length(s3) gap(s3)
    gap_type(s0) gap_type(s1) gap_type(s2) gap_type(s3)
    comma colon semicolon marks distance(s1,s0) queued action-1 action-2
"""

# The info of a token: the counts of these in the document up to it.
MARKS = (",", ":", ";")


cdef class SwapSystem(PhraseSystem):
    """Continuous and discontinuous constituents: see `PhraseSystem`. s1 ("L") or s0 ("R") has the head. `distances` are
    the numbers of words that moves can pass. Without token info (see MARKS), the slots of marks are 0."""
    cdef readonly str kind
    cdef tuple distances                # i of SWAP-i or SKIP-i, ascending
    cdef bint skips
    cdef int[MAX_MOVED] lengths         # the same
    # By n, the kinds of moves of at most n words.
    cdef uint64_t[MAX_MOVED + 1] moves_up_to

    def __cinit__(self, unary, binary, root, tag_column=-1, distances=(), kind="swap"):
        cdef int i, k, distance
        check_choice("kind of swaps", kind, MOVES)
        for distance in distances:
            check_range("The distance of a move", distance, 1, MAX_MOVED)
        self.kind = kind
        self.skips = kind == "skip_shift"
        self.distances = tuple(sorted(set(distances)))
        self.set_phrases(unary, binary, root, tag_column, (), [(MOVES[kind], i) for i in self.distances])
        for k, distance in enumerate(self.distances):
            self.lengths[k] = distance
            for i in range(distance, MAX_MOVED + 1):
                self.moves_up_to[i] |= <uint64_t>1 << (N_KINDS + k)
        self.set_slots(TOKEN_SLOTS, VALUE_SLOTS)
        self.state_size = sizeof(StateC)
        self.nodes_per_step = MAX_MOVED + 1

    def __reduce__(self):
        cls, settings = super().__reduce__()
        return (cls, (*settings, self.distances, self.kind))

    cdef bint is_final(self, const InputC* input, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        # The root alone is left.
        cdef bint is_root = not state.top or self.action_labels[state.last_action - 1] == ROOT_LABEL
        return is_root and state.next == input.n_tokens and not state.queue and state.n_stack <= 1

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef int64_t n_queue = input.n_tokens - state.next
        cdef int64_t budget = <int64_t>MOVES_PER_WORD * input.n_tokens - state.n_moved
        cdef const NodeC* s0
        cdef const NodeC* s1
        cdef uint64_t kinds = 0
        cdef bint may_shift, has_sister
        if not state.top:
            return 1 << SHIFT
        if state.queue:
            n_queue += node_at(arena, state.queue).n_below
        s0 = node_at(arena, state.top)
        # SHIFT. Validity: there is a next word, and s0 does not wait for its left sister. Action: q0 becomes s0.
        may_shift = not (s0.intermediate and self.action_sides[state.last_action - 1])
        if n_queue and may_shift:
            kinds |= 1 << SHIFT
        # SKIP-i. Validity: as for SHIFT, and there is a qi. Action: qi becomes s0.
        if self.skips and may_shift:
            kinds |= self.moves_up_to[max(0, min(MAX_MOVED, n_queue - 1, budget))]
        # UNARY-X. Validity: s0 is a word. Action: put X above s0.
        if not s0.label:
            kinds |= 1 << UNARY
        # UNARY-root. Validity: s0 covers the sentence. Action: put the root above s0.
        if state.n_stack == 1:
            if not n_queue:
                kinds |= 1 << UNARY_ROOT
            return kinds & self.has_actions
        s1 = node_at(arena, s0.below)
        # SWAP-i. Validity: s0, ..., si are words, each after the next one, and there is another constituent below them.
        # Action: put s1, ..., si back before the queue, in their order.
        if not self.skips:
            kinds |= self.moves_up_to[max(0, min(MAX_MOVED, s0.n_rising - 1, state.n_stack - 2, budget))]
        # LEFT-X and RIGHT-X. Validity: one of s1 and s0 at most is unfinished, and that one has the head; the root
        # covers the sentence; if X is unfinished, it has s2 for a left sister, which is finished, or, if its head is on
        # the left, the next word for a right one. Action: put X above s1 and s0.
        has_sister = state.n_stack > 2 and not node_at(arena, s1.below).intermediate
        # Labels for this side may be missing.
        return self.join(kinds, s1, s0, not n_queue and state.n_stack == 2, has_sister or n_queue > 0, has_sister)

    cdef void dequeue(self, ArenaC* arena, StateC* state, int32_t* words, int n) noexcept nogil:
        """Takes words off the front of the queue."""
        cdef int i
        for i in range(n):
            if state.queue:
                words[i] = node_at(arena, state.queue).head
                state.queue = node_at(arena, state.queue).below
            else:
                words[i] = state.next
                state.next += 1

    cdef void requeue(self, ArenaC* arena, StateC* state, const int32_t* words, int n) noexcept nogil:
        """Puts words before the queue."""
        cdef int i
        state.n_moved += n
        for i in range(n - 1, -1, -1):
            state.queue = self.add_word(arena, words[i], state.queue)

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        cdef int32_t[MAX_MOVED + 1] words
        cdef uint32_t number
        cdef int i, n
        state.action_before = state.last_action
        state.last_action = action + 1
        if action == SHIFT or (self.skips and action >= self.kind_start[N_KINDS]):
            n = 0 if action == SHIFT else self.lengths[action - self.kind_start[N_KINDS]]
            self.dequeue(arena, state, words, n + 1)
            self.requeue(arena, state, words, n)
            state.top = self.add_word(arena, words[n], state.top)
            state.n_stack += 1
        elif action < self.kind_start[LEFT]:
            state.top = self.add_unary(arena, state.top, action)
        elif action < self.kind_start[N_KINDS]:
            number = node_at(arena, state.top).below
            state.top = self.add_binary(arena, number, state.top, node_at(arena, number).below, action)
            state.n_stack -= 1
        else:
            n = self.lengths[action - self.kind_start[N_KINDS]]
            number = node_at(arena, state.top).below
            for i in range(n - 1, -1, -1):
                words[i] = node_at(arena, number).head
                number = node_at(arena, number).below
            self.requeue(arena, state, words, n)
            state.n_stack -= n
            state.top = self.add_word(arena, node_at(arena, state.top).head, number)

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef const NodeC* node
        cdef uint32_t number = state.queue
        cdef int32_t next = state.next, s0_first = 0, s0_head = 0
        cdef int i
        clear_slots(slots, N_TOKEN_SLOTS, N_SLOTS)
        slots[N_QUEUED] = node_at(arena, number).n_below if number else 0
        slots[LAST_ACTION] = state.last_action
        slots[ACTION_BEFORE] = state.action_before
        for i in range(4):
            if number:
                slots[Q0 + i] = FIRST + node_at(arena, number).head
                number = node_at(arena, number).below
            else:
                # The row after the last word is empty.
                slots[Q0 + i] = FIRST + next
                next = min(next + 1, input.n_tokens)
        number = state.top
        for i in range(4):
            if not number:
                slots[S0 + i] = ROOT
                break
            node = node_at(arena, number)
            slots[S0 + i], slots[S0_LABEL + i] = FIRST + node.head, self.category(input, node.label, node.head)
            slots[S0_GAP_TYPE + i] = 1 + node.gap_type
            slots[S0_LENGTH + 2 * i] = 1 + bucket(node.n_words)
            slots[S0_GAP + 2 * i] = 1 + bucket(node.last + 1 - node.first - node.n_words)
            if i < 2:
                self.fill_slots(input, arena, number, slots + S0_FIRST + 4 * i, slots + S0_LEFT_LABEL + 2 * i,
                                slots + S0_LENGTH + 2 * i)
                self.fill_child_slots(input, arena, node.left, slots + S0_LEFT_LEFT + 4 * i,
                                      slots + S0_LEFT_LEFT_LABEL + 4 * i)
                self.fill_child_slots(input, arena, node.right, slots + S0_RIGHT_LEFT + 4 * i,
                                      slots + S0_RIGHT_LEFT_LABEL + 4 * i)
            if i == 0:
                s0_first, s0_head = node.first, node.head
            elif i == 1:
                slots[DISTANCE] = 1 + bucket(max(0, s0_first - node.last))
                self.fill_mark_slots(input, min(node.head, s0_head), max(node.head, s0_head), slots)
            number = node.below

    cdef void fill_mark_slots(self, const InputC* input, int64_t first, int64_t last, uint64_t* slots) noexcept nogil:
        """Fills the slots of the marks between two words."""
        cdef int32_t n, total = 0
        cdef int i
        if input.n_info != N_MARKS - COMMA:
            return
        for i in range(input.n_info):
            n = input.token_info[(last - 1) * input.n_info + i] - input.token_info[first * input.n_info + i]
            slots[COMMA + i] = 1 + (n > 0)
            total += n
        slots[N_MARKS] = 1 + bucket(total)


def name_actions(int n_words, nodes, kind="swap"):
    """Names the actions that build a tree from nodes (see `find_parents`): ("SHIFT",), ("SWAP", distance), ("SKIP",
    distance), ("UNARY", label) or ("BINARY", label, side). None if words are moved further than MAX_MOVED, or too
    often."""
    parents = find_parents(n_words, nodes)
    names = []
    queue = list(range(n_words))
    n_moved = 0
    # Nodes and whether their children come before them.
    waiting = [(len(parents) - 1, False)]
    while waiting:
        number, is_entered = waiting.pop()
        if number < n_words:
            distance = bisect_left(queue, number)
            del queue[distance]
            n_moved += distance
            if distance > MAX_MOVED or n_moved > MOVES_PER_WORD * n_words:
                return None
            if kind == "skip_shift":
                names.append(("SKIP", distance) if distance else ("SHIFT",))
            else:
                names += [("SHIFT",)] * (distance + 1)
                names += [("SWAP", 1)] * distance if kind == "single_swap" else [("SWAP", distance)] * (distance > 0)
            continue
        label, first, second, head = nodes[number - n_words]
        if is_entered:
            names.append(("UNARY", label) if second == -1 else ("BINARY", label, SIDES[head]))
        else:
            waiting += [(number, True), *((child, False) for child in (second, first) if child != -1)]
    return names
