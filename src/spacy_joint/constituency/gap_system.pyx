"""Discontinuous shift-reduce with gaps: see gap_system.pxd for the states. Transitions document Validity and Action."""

from ..engine.paths import check_path
from ..errors import Errors, JointValueError
from .phrases import SIDES, find_parents

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from ..engine.buckets cimport bucket
from ..engine.columns cimport FIRST, NOTHING, ROOT, InputC
from ..engine.system cimport ArenaC, arena_add, arena_node
from .phrases cimport (
    GAP,
    LEFT,
    LEFT_ROOT,
    LEFT_TEMPORARY,
    RIGHT,
    RIGHT_TEMPORARY,
    SHIFT,
    UNARY,
    UNARY_ROOT,
    NodeC,
    PhraseSystem,
    node_at,
)


cdef enum:
    # Tokens for templates: heads of constituents, the words at their edges, and the heads of their children.
    D0
    D1
    D2
    S0
    S1
    S2
    S3
    B0
    # `show` fills these for d0, s0 and s1, in this order.
    D0_FIRST
    D0_LAST
    D0_LEFT
    D0_RIGHT
    S0_FIRST
    S0_LAST
    S0_LEFT
    S0_RIGHT
    S1_FIRST
    S1_LAST
    S1_LEFT
    S1_RIGHT
    N_TOKEN_SLOTS

cdef enum:
    # Categories, i.e. labels or tags of words, and other values.
    D0_LABEL = N_TOKEN_SLOTS
    D1_LABEL
    D2_LABEL
    S0_LABEL
    S1_LABEL
    S2_LABEL
    S3_LABEL
    D0_LEFT_LABEL
    D0_RIGHT_LABEL
    S0_LEFT_LABEL
    S0_RIGHT_LABEL
    S1_LEFT_LABEL
    S1_RIGHT_LABEL
    D0_LENGTH
    D0_GAP
    S0_LENGTH
    S0_GAP
    S1_LENGTH
    S1_GAP
    S2_GAP
    D0_GAP_TYPE
    S0_GAP_TYPE
    S1_GAP_TYPE
    S2_GAP_TYPE
    DISTANCE
    N_GAPS
    LAST_ACTION
    ACTION_BEFORE
    N_SLOTS

TOKEN_SLOTS = {
    "d0": D0, "d1": D1, "d2": D2, "s0": S0, "s1": S1, "s2": S2, "s3": S3, "b0": B0,
    "d0.first": D0_FIRST, "d0.last": D0_LAST, "d0.left": D0_LEFT, "d0.right": D0_RIGHT,
    "s0.first": S0_FIRST, "s0.last": S0_LAST, "s0.left": S0_LEFT, "s0.right": S0_RIGHT,
    "s1.first": S1_FIRST, "s1.last": S1_LAST, "s1.left": S1_LEFT, "s1.right": S1_RIGHT,
}
VALUE_SLOTS = {
    "d0.label": D0_LABEL, "d1.label": D1_LABEL, "d2.label": D2_LABEL,
    "s0.label": S0_LABEL, "s1.label": S1_LABEL, "s2.label": S2_LABEL, "s3.label": S3_LABEL,
    "d0.left.label": D0_LEFT_LABEL, "d0.right.label": D0_RIGHT_LABEL,
    "s0.left.label": S0_LEFT_LABEL, "s0.right.label": S0_RIGHT_LABEL,
    "s1.left.label": S1_LEFT_LABEL, "s1.right.label": S1_RIGHT_LABEL,
    "length(d0)": D0_LENGTH, "gap(d0)": D0_GAP, "length(s0)": S0_LENGTH, "gap(s0)": S0_GAP,
    "length(s1)": S1_LENGTH, "gap(s1)": S1_GAP, "gap(s2)": S2_GAP,
    "gap_type(d0)": D0_GAP_TYPE, "gap_type(s0)": S0_GAP_TYPE, "gap_type(s1)": S1_GAP_TYPE,
    "gap_type(s2)": S2_GAP_TYPE,
    "distance(s0,d0)": DISTANCE, "gaps": N_GAPS, "action-1": LAST_ACTION, "action-2": ACTION_BEFORE,
}


cdef inline uint64_t between(int64_t distance) noexcept nogil:
    """The bucket of a distance between tokens, which is negative if the second precedes the first."""
    return 20 + bucket(-distance) if distance < 0 else bucket(distance)


cdef class GapSystem(PhraseSystem):
    """Continuous and discontinuous constituents of a sentence.

    unary (Sequence[str]): The labels of unary constituents, which are over words only.
    binary (Sequence[tuple[str, str]]): The labels of binary constituents, each with the child that has their head: "L"
        for s0, "R" for d0.
    root (str): The label of all trees' roots.
    tag_column (int): The column with the category of a single word; -1 if there is none.
    RAISES ValueError: If there are no binary labels, too many labels, or a side is invalid.
    """

    def __cinit__(self):
        self.n_slots = N_SLOTS
        self.state_size = sizeof(StateC)
        self.n_state_links = 2
        self.nodes_per_step = MAX_GAPS + 1

    def __init__(self, unary, binary, root, tag_column=-1):
        gaps = () if isinstance(self, ShiftReduceSystem) else [("GAP",)]
        self.set_labels(unary, binary, root, tag_column, gaps, ())

    def __reduce__(self):
        return (type(self), (self.unary, self.binary, self.root, self.tag_column))

    def token_slots(self):
        return TOKEN_SLOTS

    def value_slots(self):
        return VALUE_SLOTS

    cdef void start(self, const InputC* input, void* state) noexcept nogil:
        memset(state, 0, sizeof(StateC))

    cdef bint is_final(self, const InputC* input, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        if state.next < input.n_tokens or state.mid:
            return False
        # The root alone is left.
        return not state.top or self.action_labels[state.last_action - 1] == self.root_label

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef bint ended = state.next == input.n_tokens
        cdef const NodeC* d0
        cdef const NodeC* s0
        cdef uint64_t kinds = 0
        cdef int32_t n_others
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
        if s0.below and state.n_gaps < MAX_GAPS and (not d0.temporary or node_at(arena, s0.below).n_finished):
            kinds |= 1 << GAP
        # LEFT-X and RIGHT-X. Validity: one of d0 and s0 at most is unfinished, and that one has the head; the root
        # covers the sentence; if X is unfinished, a finished constituent or a word is left for it. Action: put X above
        # s0 and d0, and what is left of the deque on the stack.
        kinds |= self.joining(s0, d0, ended and d0.n_below == 2)
        n_others = d0.n_finished - (not d0.temporary) - (not s0.temporary)
        if n_others or not ended:
            kinds |= (kinds >> LEFT & 1) << LEFT_TEMPORARY | (kinds >> RIGHT & 1) << RIGHT_TEMPORARY
        kinds &= self.has_actions
        if not kinds:
            # Two unfinished constituents with nothing within reach: glue them.
            kinds = (<uint64_t>1 << LEFT | <uint64_t>1 << RIGHT | <uint64_t>1 << LEFT_ROOT) & self.has_actions
        return kinds

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
        cdef uint32_t[MAX_GAPS] jumped
        cdef uint32_t number = node_at(arena, state.top).below
        cdef uint32_t below = node_at(arena, state.mid).below
        cdef int i, n_jumped = 0
        # Without s0, their chain is another one.
        while number != state.mid:
            jumped[n_jumped] = number
            n_jumped += 1
            number = node_at(arena, number).below
        for i in range(n_jumped - 1, -1, -1):
            number = arena_add(arena)
            (<NodeC*>arena_node(arena, number))[0] = node_at(arena, jumped[i])[0]
            self.put(arena, number, below)
            below = number
        return below

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef const NodeC* node
        cdef uint32_t number = state.top
        cdef int32_t d0_first = 0
        cdef int i
        memset(slots, 0, N_SLOTS * sizeof(uint64_t))
        for i in range(N_TOKEN_SLOTS):
            slots[i] = NOTHING
        slots[B0] = FIRST + state.next
        slots[N_GAPS] = state.n_gaps
        slots[LAST_ACTION] = state.last_action
        slots[ACTION_BEFORE] = state.action_before
        for i in range(3):
            if number == state.mid:
                break
            node = node_at(arena, number)
            slots[D0 + i], slots[D0_LABEL + i] = FIRST + node.head, self.category(input, node)
            if i == 0:
                d0_first = node.first
                slots[D0_GAP_TYPE] = 1 + node.gap_type
                self.show(input, arena, node, slots + D0_FIRST, slots + D0_LEFT_LABEL, slots + D0_LENGTH)
            number = node.below
        number = state.mid
        for i in range(4):
            if not number:
                slots[S0 + i] = ROOT
                break
            node = node_at(arena, number)
            slots[S0 + i], slots[S0_LABEL + i] = FIRST + node.head, self.category(input, node)
            if i < 3:
                slots[S0_GAP_TYPE + i] = 1 + node.gap_type
            if i == 0:
                self.show(input, arena, node, slots + S0_FIRST, slots + S0_LEFT_LABEL, slots + S0_LENGTH)
                slots[DISTANCE] = 1 + between(d0_first - node.last)
            elif i == 1:
                self.show(input, arena, node, slots + S1_FIRST, slots + S1_LEFT_LABEL, slots + S1_LENGTH)
            elif i == 2:
                slots[S2_GAP] = 1 + bucket(node.last + 1 - node.first - node.n_words)
            number = node.below

    def actions(self, int n_words, nodes):
        """The actions that build a binarised tree: see `name_actions`.

        RETURNS (np.ndarray | None): The actions (uint16); None if the system lacks one of them, or if a sister is
            further away than MAX_GAPS.
        RAISES ValueError: If the nodes are not a tree.
        """
        return self.number_actions(name_actions(n_words, nodes))

    def build(self, actions, int n_words):
        """The binarised tree that a path of actions builds.

        actions (np.ndarray): A complete path (uint16).
        n_words (int): The number of words.
        RETURNS (list[tuple[str, int, int]]): The nodes above words, children first, the root last: the label and the
            children, in the order of their first words. See `actions`.
        RAISES ValueError: If the path is illegal or incomplete.
        """
        path = check_path(actions, self.n_actions, least=n_words).tolist()
        nodes = []
        firsts = list(range(n_words))
        stack = []
        deque = []
        next = 0
        for step, action in enumerate(path):
            valid = True
            if action == SHIFT:
                valid = next < n_words and len(deque) <= 1
                stack += deque
                deque = [next]
                next += 1
            elif action < self.kind_start[UNARY]:
                valid = len(deque) > 0 and len(stack) > 1
                if valid:
                    deque.insert(0, stack.pop())
            elif action < self.kind_start[LEFT]:
                valid = len(deque) == 1
                if valid:
                    nodes.append((self.labels[self.action_labels[action] - 1], deque[0], -1))
                    firsts.append(firsts[deque[0]])
                    deque = [n_words + len(nodes) - 1]
            else:
                valid = len(deque) > 0 and len(stack) > 0
                if valid:
                    children = sorted((stack.pop(), deque.pop()), key=firsts.__getitem__)
                    nodes.append((self.labels[self.action_labels[action] - 1], *children))
                    firsts.append(firsts[children[0]])
                    stack += deque
                    deque = [n_words + len(nodes) - 1]
            if not valid:
                raise JointValueError(Errors.J314, step=step, n=len(path))
        if next < n_words or stack or (n_words and not nodes):
            raise JointValueError(Errors.J314, step=len(path), n=len(path))
        return nodes


cdef class ShiftReduceSystem(GapSystem):
    """Continuous constituents of a sentence: `GapSystem` without GAP, and with the same settings."""


def name_actions(int n_words, nodes):
    """The actions that build a binarised tree: ("SHIFT",), ("GAP",), ("UNARY", label) or ("BINARY", label, side).

    n_words (int): The number of words.
    nodes (Sequence[tuple[str, int, int, int]]): The nodes above words: see `find_parents`.
    RETURNS (list[tuple] | None): The names; None if a sister is further away than MAX_GAPS.
    RAISES ValueError: If the nodes are not a tree.
    """
    parents = find_parents(n_words, nodes)
    names = [("SHIFT",)]
    stack = []
    on_stack = set()
    newest, next = 0, 1
    while newest != len(parents) - 1:
        parent = parents[newest]
        label, first, second, head = nodes[parent - n_words]
        sister = second if newest == first else first
        if second == -1:
            names.append(("UNARY", label))
            newest = parent
        elif sister in on_stack:
            n_gaps = 0
            while stack[-1 - n_gaps] != sister:
                n_gaps += 1
            if n_gaps > MAX_GAPS:
                return None
            names += [("GAP",)] * n_gaps
            names.append(("BINARY", label, SIDES[(first, second)[head] == newest]))
            del stack[len(stack) - 1 - n_gaps]
            on_stack.remove(sister)
            newest = parent
        else:
            stack.append(newest)
            on_stack.add(newest)
            names.append(("SHIFT",))
            newest, next = next, next + 1
    return names
