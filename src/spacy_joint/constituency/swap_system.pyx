"""Discontinuous shift-reduce with swaps: see swap_system.pxd for states. Transitions document Validity and Action."""

from bisect import bisect_left

from ..engine.paths import check_path
from ..errors import Errors, JointValueError
from .phrases import SIDES, find_parents

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from ..engine.buckets cimport bucket
from ..engine.columns cimport FIRST, NOTHING, ROOT, InputC
from ..engine.system cimport ArenaC
from .phrases cimport (
    LEFT,
    LEFT_ROOT,
    LEFT_TEMPORARY,
    N_KINDS,
    RIGHT,
    RIGHT_TEMPORARY,
    SHIFT,
    UNARY,
    UNARY_ROOT,
    NodeC,
    PhraseSystem,
    node_at,
)


# The kinds of systems, and what their moves are called.
MOVES = {"swap": "SWAP", "single_swap": "SWAP", "skip_shift": "SKIP"}

cdef enum:
    # Tokens for templates: heads of constituents, the words at their edges, and the heads of their children.
    S0
    S1
    S2
    S3
    Q0
    Q1
    Q2
    Q3
    # `show` fills these for s0 and s1, in this order.
    S0_FIRST
    S0_LAST
    S0_LEFT
    S0_RIGHT
    S1_FIRST
    S1_LAST
    S1_LEFT
    S1_RIGHT
    # `show_children` fills these for s0.left, s0.right, s1.left and s1.right.
    S0_LEFT_LEFT
    S0_LEFT_RIGHT
    S0_RIGHT_LEFT
    S0_RIGHT_RIGHT
    S1_LEFT_LEFT
    S1_LEFT_RIGHT
    S1_RIGHT_LEFT
    S1_RIGHT_RIGHT
    N_TOKEN_SLOTS

cdef enum:
    # Categories, i.e. labels or tags of words, and other values.
    S0_LABEL = N_TOKEN_SLOTS
    S1_LABEL
    S2_LABEL
    S3_LABEL
    S0_LEFT_LABEL
    S0_RIGHT_LABEL
    S1_LEFT_LABEL
    S1_RIGHT_LABEL
    S0_LEFT_LEFT_LABEL
    S0_LEFT_RIGHT_LABEL
    S0_RIGHT_LEFT_LABEL
    S0_RIGHT_RIGHT_LABEL
    S1_LEFT_LEFT_LABEL
    S1_LEFT_RIGHT_LABEL
    S1_RIGHT_LEFT_LABEL
    S1_RIGHT_RIGHT_LABEL
    # Pairs of length and gap length.
    S0_LENGTH
    S0_GAP
    S1_LENGTH
    S1_GAP
    S2_LENGTH
    S2_GAP
    S3_LENGTH
    S3_GAP
    S0_GAP_TYPE
    S1_GAP_TYPE
    S2_GAP_TYPE
    S3_GAP_TYPE
    COMMA
    COLON
    SEMICOLON
    N_MARKS
    DISTANCE
    N_QUEUED
    LAST_ACTION
    ACTION_BEFORE
    N_SLOTS

GRANDCHILDREN = [f"{node}.{side}.{other}" for node in ("s0", "s1") for side in ("left", "right")
                 for other in ("left", "right")]
TOKEN_SLOTS = {
    "s0": S0, "s1": S1, "s2": S2, "s3": S3, "q0": Q0, "q1": Q1, "q2": Q2, "q3": Q3,
    "s0.first": S0_FIRST, "s0.last": S0_LAST, "s0.left": S0_LEFT, "s0.right": S0_RIGHT,
    "s1.first": S1_FIRST, "s1.last": S1_LAST, "s1.left": S1_LEFT, "s1.right": S1_RIGHT,
    **{name: S0_LEFT_LEFT + i for i, name in enumerate(GRANDCHILDREN)},
}
VALUE_SLOTS = {
    "s0.label": S0_LABEL, "s1.label": S1_LABEL, "s2.label": S2_LABEL, "s3.label": S3_LABEL,
    "s0.left.label": S0_LEFT_LABEL, "s0.right.label": S0_RIGHT_LABEL,
    "s1.left.label": S1_LEFT_LABEL, "s1.right.label": S1_RIGHT_LABEL,
    **{f"{name}.label": S0_LEFT_LEFT_LABEL + i for i, name in enumerate(GRANDCHILDREN)},
    **{f"length(s{i})": S0_LENGTH + 2 * i for i in range(4)},
    **{f"gap(s{i})": S0_GAP + 2 * i for i in range(4)},
    **{f"gap_type(s{i})": S0_GAP_TYPE + i for i in range(4)},
    "comma": COMMA, "colon": COLON, "semicolon": SEMICOLON, "marks": N_MARKS, "distance(s1,s0)": DISTANCE,
    "queued": N_QUEUED, "action-1": LAST_ACTION, "action-2": ACTION_BEFORE,
}


# The facts of a token: how many of each of these are in the document up to it.
MARKS = (",", ":", ";")


cdef class SwapSystem(PhraseSystem):
    """Continuous and discontinuous constituents of a sentence.

    unary (Sequence[str]): The labels of unary constituents, which are over words only.
    binary (Sequence[tuple[str, str]]): The labels of binary constituents, each with the child that has their head: "L"
        for s1, "R" for s0.
    root (str): The label of all trees' roots.
    tag_column (int): The column with the category of a single word; -1 if there is none.
    distances (Sequence[int]): How many words a move can pass.
    kind (str): "swap", "single_swap" or "skip_shift".
    RAISES ValueError: If there are no binary labels, too many labels, or a side, a distance or the kind is invalid.

    Documents may have facts: see MARKS. Without them, the slots of marks are 0.
    """

    def __init__(self, unary, binary, root, tag_column=-1, distances=(), kind="swap"):
        cdef int i, distance
        if kind not in MOVES:
            raise JointValueError(Errors.J040, what="kind of swaps", name=kind, known=", ".join(MOVES))
        for distance in distances:
            if not 1 <= distance <= MAX_MOVED:
                raise JointValueError(Errors.J571, value=distance, most=MAX_MOVED)
        self.kind = kind
        self.skips = kind == "skip_shift"
        self.distances = tuple(sorted(set(distances)))
        self.set_labels(unary, binary, root, tag_column, (), [(MOVES[kind], i) for i in self.distances])
        for i, distance in enumerate(self.distances):
            self.lengths[i] = distance
        for i in range(MAX_MOVED + 1):
            self.moves_up_to[i] = 0
            for k, distance in enumerate(self.distances):
                if distance <= i:
                    self.moves_up_to[i] |= <uint64_t>1 << (N_KINDS + <int>k)
        self.n_slots = N_SLOTS
        self.state_size = sizeof(StateC)
        self.n_state_links = 2
        self.nodes_per_step = MAX_MOVED + 1

    def __reduce__(self):
        return (SwapSystem, (self.unary, self.binary, self.root, self.tag_column, self.distances, self.kind))

    def token_slots(self):
        return TOKEN_SLOTS

    def value_slots(self):
        return VALUE_SLOTS

    cdef void start(self, const InputC* input, void* state) noexcept nogil:
        memset(state, 0, sizeof(StateC))

    cdef bint is_final(self, const InputC* input, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        if state.next < input.n_tokens or state.queue or state.n_stack > 1:
            return False
        # The root alone is left.
        return not state.top or self.action_labels[state.last_action - 1] == self.root_label

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef int64_t n_queue = input.n_tokens - state.next
        cdef int64_t budget = <int64_t>MOVES_PER_WORD * input.n_tokens - state.n_moved
        cdef const NodeC* s0
        cdef const NodeC* s1
        cdef uint64_t kinds = 0
        cdef bint may_shift
        if not state.top:
            return 1 << SHIFT
        if state.queue:
            n_queue += node_at(arena, state.queue).n_below
        s0 = node_at(arena, state.top)
        # SHIFT. Validity: there is a next word, and s0 does not wait for its left sister. Action: q0 becomes s0.
        may_shift = not (s0.temporary and self.action_sides[state.last_action - 1])
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
        kinds |= self.joining(s1, s0, not n_queue and state.n_stack == 2)
        if state.n_stack > 2 and not node_at(arena, s1.below).temporary:
            kinds |= (kinds >> LEFT & 1) << LEFT_TEMPORARY | (kinds >> RIGHT & 1) << RIGHT_TEMPORARY
        elif n_queue:
            kinds |= (kinds >> LEFT & 1) << LEFT_TEMPORARY
        kinds &= self.has_actions
        if not kinds:
            # Labels for this side are missing: take any.
            kinds = (<uint64_t>1 << LEFT | <uint64_t>1 << RIGHT | <uint64_t>1 << LEFT_ROOT) & self.has_actions
        return kinds

    cdef void take(self, ArenaC* arena, StateC* state, int32_t* words, int n, int n_back) noexcept nogil:
        cdef int i
        for i in range(n):
            if state.queue:
                words[i] = node_at(arena, state.queue).head
                state.queue = node_at(arena, state.queue).below
            else:
                words[i] = state.next
                state.next += 1
        self.put_back(arena, state, words, n_back)

    cdef void put_back(self, ArenaC* arena, StateC* state, const int32_t* words, int n) noexcept nogil:
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
        if action == SHIFT:
            self.take(arena, state, words, 1, 0)
            state.top = self.add_word(arena, words[0], state.top)
            state.n_stack += 1
        elif action < self.kind_start[LEFT]:
            state.top = self.add_unary(arena, state.top, action)
        elif action < self.kind_start[N_KINDS]:
            number = node_at(arena, state.top).below
            state.top = self.add_binary(arena, number, state.top, node_at(arena, number).below, action)
            state.n_stack -= 1
        elif self.skips:
            n = self.lengths[action - self.kind_start[N_KINDS]]
            self.take(arena, state, words, n + 1, n)
            state.top = self.add_word(arena, words[n], state.top)
            state.n_stack += 1
        else:
            n = self.lengths[action - self.kind_start[N_KINDS]]
            number = node_at(arena, state.top).below
            for i in range(n - 1, -1, -1):
                words[i] = node_at(arena, number).head
                number = node_at(arena, number).below
            self.put_back(arena, state, words, n)
            state.n_stack -= n
            state.top = self.add_word(arena, node_at(arena, state.top).head, number)

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef const NodeC* node
        cdef uint32_t number = state.queue
        cdef int32_t next = state.next, s0_first = 0, s0_head = 0
        cdef int i
        memset(slots, 0, N_SLOTS * sizeof(uint64_t))
        for i in range(N_TOKEN_SLOTS):
            slots[i] = NOTHING
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
            slots[S0 + i], slots[S0_LABEL + i] = FIRST + node.head, self.category(input, node)
            slots[S0_GAP_TYPE + i] = 1 + node.gap_type
            slots[S0_LENGTH + 2 * i] = 1 + bucket(node.n_words)
            slots[S0_GAP + 2 * i] = 1 + bucket(node.last + 1 - node.first - node.n_words)
            if i < 2:
                self.show(input, arena, node, slots + S0_FIRST + 4 * i, slots + S0_LEFT_LABEL + 2 * i,
                          slots + S0_LENGTH + 2 * i)
                if node.left:
                    self.show_children(input, arena, node_at(arena, node.left), slots + S0_LEFT_LEFT + 4 * i,
                                       slots + S0_LEFT_LEFT_LABEL + 4 * i)
                if node.right:
                    self.show_children(input, arena, node_at(arena, node.right), slots + S0_RIGHT_LEFT + 4 * i,
                                       slots + S0_RIGHT_LEFT_LABEL + 4 * i)
            if i == 0:
                s0_first, s0_head = node.first, node.head
            elif i == 1:
                slots[DISTANCE] = 1 + bucket(max(0, s0_first - node.last))
                self.show_marks(input, min(node.head, s0_head), max(node.head, s0_head), slots)
            number = node.below

    cdef void show_marks(self, const InputC* input, int64_t first, int64_t last, uint64_t* slots) noexcept nogil:
        """Fills the slots of the marks between two words."""
        cdef int32_t n, total = 0
        cdef int i
        if input.n_facts != N_MARKS - COMMA:
            return
        for i in range(input.n_facts):
            n = input.facts[(last - 1) * input.n_facts + i] - input.facts[first * input.n_facts + i]
            slots[COMMA + i] = 1 + (n > 0)
            total += n
        slots[N_MARKS] = 1 + bucket(total)

    def actions(self, int n_words, nodes):
        """The actions that build a binarised tree: see `name_actions`.

        RETURNS (np.ndarray | None): The actions (uint16); None if the system lacks one of them, or if words are moved
            too far or too often.
        RAISES ValueError: If the nodes are not a tree.
        """
        return self.number_actions(name_actions(n_words, nodes, self.kind))

    def build(self, actions, int n_words):
        """The binarised tree that a path of actions builds: see `GapSystem.build`."""
        path = check_path(actions, self.n_actions, least=n_words).tolist()
        nodes = []
        firsts = list(range(n_words))
        stack = []
        # The next word comes last.
        queue = list(range(n_words - 1, -1, -1))
        for step, action in enumerate(path):
            distance = self.distances[action - self.kind_start[N_KINDS]] if action >= self.kind_start[N_KINDS] else 0
            if action == SHIFT or (distance and self.skips):
                valid = distance < len(queue)
                if valid:
                    stack.append(queue.pop(len(queue) - 1 - distance))
            elif distance:
                valid = distance + 1 < len(stack) and max(stack[len(stack) - 1 - distance :]) < n_words
                if valid:
                    fetched = stack.pop()
                    queue += [stack.pop() for _ in range(distance)]
                    stack.append(fetched)
            elif action < self.kind_start[LEFT]:
                valid = len(stack) > 0
                if valid:
                    child = stack.pop()
                    nodes.append((self.labels[self.action_labels[action] - 1], child, -1))
                    firsts.append(firsts[child])
                    stack.append(n_words + len(nodes) - 1)
            else:
                valid = len(stack) > 1
                if valid:
                    children = sorted((stack.pop(), stack.pop()), key=firsts.__getitem__)
                    nodes.append((self.labels[self.action_labels[action] - 1], *children))
                    firsts.append(firsts[children[0]])
                    stack.append(n_words + len(nodes) - 1)
            if not valid:
                raise JointValueError(Errors.J314, step=step, n=len(path))
        if queue or len(stack) > 1 or (n_words and not nodes):
            raise JointValueError(Errors.J314, step=len(path), n=len(path))
        return nodes


def name_actions(int n_words, nodes, kind="swap"):
    """The actions that build a binarised tree: ("SHIFT",), ("SWAP", distance), ("SKIP", distance), ("UNARY", label) or
    ("BINARY", label, side).

    n_words (int): The number of words.
    nodes (Sequence[tuple[str, int, int, int]]): The nodes above words: see `find_parents`.
    kind (str): The kind of the system.
    RETURNS (list[tuple] | None): The names; None if words are moved further than MAX_MOVED, or more often than
        MOVES_PER_WORD times on average.
    RAISES ValueError: If the nodes are not a tree.
    """
    parents = find_parents(n_words, nodes)
    firsts = list(range(n_words))
    for _, first, second, _ in nodes:
        firsts.append(min(firsts[first], firsts[second]) if second != -1 else firsts[first])
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
        if second == -1:
            children = [first]
        else:
            children = sorted((first, second), key=firsts.__getitem__)
        if is_entered:
            of_head = (first, second)[head]
            names.append(("UNARY", label) if second == -1 else ("BINARY", label, SIDES[children.index(of_head)]))
        else:
            waiting.append((number, True))
            waiting += [(child, False) for child in reversed(children)]
    return names
