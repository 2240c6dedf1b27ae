"""Shift-reduce hedges: see system.pxd for the states. Transitions document Validity and Action; the oracle is a
traversal of a binarised tree, see `HedgeSystem.actions`."""

import numpy as np

from ..engine.paths import check_path
from ..errors import Errors, JointValueError
from .transform import TEMPORARY

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from ..engine.columns cimport FIRST, NOTHING, ROOT, InputC
from ..engine.system cimport MAX_KINDS, ArenaC, arena_add, arena_node
from .categories cimport show_category


cdef enum:
    # Tokens for templates: heads of constituents, and words at their edges.
    S0
    S1
    S2
    S3
    B0
    S0_FIRST
    S1_FIRST
    S0_LEFT
    S0_RIGHT
    S1_LEFT
    S1_RIGHT
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
    S0_LEFT_LEFT
    S0_LEFT_RIGHT
    S0_RIGHT_LEFT
    S0_RIGHT_RIGHT
    S1_LEFT_LEFT
    S1_LEFT_RIGHT
    S1_RIGHT_LEFT
    S1_RIGHT_RIGHT
    S0_SPAN
    S1_SPAN
    S0_S1_SPAN
    S0_S2_SPAN
    S0_START
    B0_START
    LAST_ACTION
    ACTION_BEFORE
    N_SLOTS

TOKEN_SLOTS = {
    "s0": S0, "s1": S1, "s2": S2, "s3": S3, "b0": B0, "s0.first": S0_FIRST, "s1.first": S1_FIRST,
    "s0.left": S0_LEFT, "s0.right": S0_RIGHT, "s1.left": S1_LEFT, "s1.right": S1_RIGHT,
}
VALUE_SLOTS = {
    "s0.label": S0_LABEL, "s1.label": S1_LABEL, "s2.label": S2_LABEL, "s3.label": S3_LABEL,
    "s0.left.label": S0_LEFT_LABEL, "s0.right.label": S0_RIGHT_LABEL,
    "s1.left.label": S1_LEFT_LABEL, "s1.right.label": S1_RIGHT_LABEL,
    "s0.left.left": S0_LEFT_LEFT, "s0.left.right": S0_LEFT_RIGHT,
    "s0.right.left": S0_RIGHT_LEFT, "s0.right.right": S0_RIGHT_RIGHT,
    "s1.left.left": S1_LEFT_LEFT, "s1.left.right": S1_LEFT_RIGHT,
    "s1.right.left": S1_RIGHT_LEFT, "s1.right.right": S1_RIGHT_RIGHT,
    "span(s0)": S0_SPAN, "span(s1)": S1_SPAN, "span(s1,s0)": S0_S1_SPAN, "span(s2,s0)": S0_S2_SPAN,
    "s0.boundary": S0_START, "b0.boundary": B0_START, "action-1": LAST_ACTION, "action-2": ACTION_BEFORE,
}
SIDES = ("L", "R")


cdef inline const NodeC* node_at(const ArenaC* arena, uint32_t number) noexcept nogil:
    return <const NodeC*>arena_node(arena, number)


cdef inline uint64_t boundary(const InputC* input, int32_t token) noexcept nogil:
    """The constraint at a token: 1 no start, 2 unknown, 3 start of a sentence, 4 end of document, 5 of a segment."""
    if token >= input.n_tokens:
        return 4
    if token == 0:
        return 3
    return 5 if input.constraints[token] == SEGMENT_START else <uint64_t>(2 + input.constraints[token])


cdef class HedgeSystem(System):
    """Constituents of documents, up to a maximum span.

    unary (Sequence[str]): The categories of unary constituents.
    binary (Sequence[tuple[str, str]]): The labels of binary constituents, each with the side of its head, "L" or "R".
    max_span (int): The maximum number of words of a constituent.
    max_unary (int): The maximum length of a unary chain.
    tag_column (int): The column with the category of a single word; -1 if there is none.
    RAISES ValueError: If there are no labels, a limit is out of range, or a side is invalid.

    The constraints of the columns give the known starts of sentences (1) or segments (2), which constituents cannot
    cross, and tokens that are known not to be a start (-1).
    """

    def __init__(self, unary, binary, max_span=7, max_unary=3, tag_column=-1):
        cdef int i, label
        if not unary and not binary:
            raise JointValueError(Errors.J330)
        if max_span < 1:
            raise JointValueError(Errors.J332, value=max_span)
        if not 0 <= max_unary <= MAX_UNARY:
            raise JointValueError(Errors.J340, value=max_unary, most=MAX_UNARY)
        self.unary = tuple(unary)
        self.binary = tuple((label, side) for label, side in binary)
        self.max_span, self.max_unary, self.tag_column = max_span, max_unary, tag_column
        self.labels = tuple(dict.fromkeys([*self.unary, *(label for label, _ in self.binary)]))
        if len(self.labels) >= MAX_LABELS:
            raise JointValueError(Errors.J333, n=len(self.labels), most=MAX_LABELS)
        of_label = {name: number for number, name in enumerate(self.labels, start=1)}
        # Two kinds for each binary category, as long as there are kinds left.
        categories = list(dict.fromkeys(label.lstrip(TEMPORARY) for label, _ in self.binary))
        groups = {name: min(number, (MAX_KINDS - BINARY) // 2 - 1) for number, name in enumerate(categories)}
        kinds = {}
        for name, side in self.binary:
            if side not in SIDES:
                raise JointValueError(Errors.J334, value=side)
            kind = 2 * groups[name.lstrip(TEMPORARY)] + name.startswith(TEMPORARY)
            kinds.setdefault(kind, []).append((name, side))
        self.numbers = {"SHIFT": SHIFT, "FINISH": FINISH}
        action_labels, action_heads = [0, 0], [0, 0]
        for name in self.unary:
            self.numbers["UNARY", name] = len(action_labels)
            action_labels.append(of_label[name])
            action_heads.append(0)
        n_kinds = 2 * (max(groups.values(), default=-1) + 1)
        for kind in range(n_kinds):
            for name, side in kinds.get(kind, ()):
                self.numbers["BINARY", name, side] = len(action_labels)
                action_labels.append(of_label[name])
                action_heads.append(SIDES.index(side))
        self.set_kinds([1, 1, len(self.unary), *(len(kinds.get(kind, ())) for kind in range(n_kinds))])
        self.action_labels = np.array(action_labels, dtype=np.uint16)
        self.action_heads = np.array(action_heads, dtype=np.uint8)
        self.temporary = np.zeros(len(self.labels) + 1, dtype=np.uint8)
        self.finishing = np.zeros(len(self.labels) + 1, dtype=np.uint64)
        self.extending = np.zeros(len(self.labels) + 1, dtype=np.uint64)
        self.all_finishing = self.all_extending = 0
        for kind in kinds:
            if kind % 2:
                self.all_extending |= <uint64_t>1 << (BINARY + <int>kind)
            else:
                self.all_finishing |= <uint64_t>1 << (BINARY + <int>kind)
        for name, label in of_label.items():
            if name.startswith(TEMPORARY):
                self.temporary[label] = 1
                i = BINARY + 2 * <int>groups[name.lstrip(TEMPORARY)]
                self.finishing[label] = self.all_finishing & (<uint64_t>1 << i)
                self.extending[label] = self.all_extending & (<uint64_t>1 << (i + 1))
        self.n_slots = N_SLOTS
        self.state_size = sizeof(StateC)
        self.node_size = sizeof(NodeC)
        self.n_state_links = 1
        self.n_node_links = 3

    def __reduce__(self):
        return (HedgeSystem, (self.unary, self.binary, self.max_span, self.max_unary, self.tag_column))

    def token_slots(self):
        return TOKEN_SLOTS

    def value_slots(self):
        return VALUE_SLOTS

    cdef void start(self, const InputC* input, void* state) noexcept nogil:
        memset(state, 0, sizeof(StateC))

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
        if state.n_unary < self.max_unary and not self.temporary[s0.label]:
            if self.kind_start[UNARY + 1] > self.kind_start[UNARY]:
                kinds |= 1 << UNARY
        if not s0.below or input.constraints[s0.start] > 0:
            return kinds
        # BINARY-X-side. Validity: s1 and s0 together have at most max_span words, there is no known boundary between
        # them, at most one of them is unfinished, and that is an X; if X itself is unfinished, one more word must fit.
        # Action: put X above s1 and s0, with the head of the one on that side.
        s1 = node_at(arena, s0.below)
        span = state.next - s1.start
        if span > self.max_span or (self.temporary[s0.label] and self.temporary[s1.label]):
            return kinds
        unfinished = s0.label if self.temporary[s0.label] else s1.label if self.temporary[s1.label] else 0
        kinds |= self.finishing[unfinished] if unfinished else self.all_finishing
        if span < self.max_span:
            kinds |= self.extending[unfinished] if unfinished else self.all_extending
        return kinds

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        cdef NodeC* new
        cdef const NodeC* s0
        cdef const NodeC* s1
        cdef uint32_t number
        state.action_before = state.last_action
        state.last_action = action + 1
        if action == FINISH:
            state.finished = 1
            return
        number = arena_add(arena)
        new = <NodeC*>arena_node(arena, number)
        new.label = self.action_labels[action]
        if action == SHIFT:
            new.below = state.stack
            new.left = new.right = 0
            new.head = new.start = state.next
            state.next += 1
            state.n_unary = 0
        elif action < self.kind_start[BINARY]:
            s0 = node_at(arena, state.stack)
            new.below = s0.below
            new.left, new.right = state.stack, 0
            new.head, new.start = s0.head, s0.start
            state.n_unary += 1
        else:
            s0 = node_at(arena, state.stack)
            s1 = node_at(arena, s0.below)
            new.below = s1.below
            new.left, new.right = s0.below, state.stack
            new.head, new.start = s0.head if self.action_heads[action] else s1.head, s1.start
            state.n_unary = 0
        state.stack = number

    cdef uint64_t category(self, const InputC* input, const NodeC* node) noexcept nogil:
        return show_category(input, node.label, node.head, self.tag_column)

    cdef void show_children(self, const InputC* input, const ArenaC* arena, const NodeC* node, uint64_t* tokens,
                            uint64_t* labels, uint64_t* below) noexcept nogil:
        """Fills the slots of the children and grandchildren of a constituent, in the order of the enums above."""
        cdef const NodeC* child
        cdef uint32_t[2] children
        cdef int i
        children[0], children[1] = node.left, node.right
        for i in range(2):
            if not children[i]:
                continue
            child = node_at(arena, children[i])
            tokens[i] = FIRST + child.head
            labels[i] = self.category(input, child)
            if child.left:
                below[2 * i] = self.category(input, node_at(arena, child.left))
            if child.right:
                below[2 * i + 1] = self.category(input, node_at(arena, child.right))

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef const NodeC* node
        cdef uint32_t number = state.stack
        cdef int32_t start = 0, width
        cdef int i
        memset(slots, 0, N_SLOTS * sizeof(uint64_t))
        for i in range(N_TOKEN_SLOTS):
            slots[i] = NOTHING
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
            slots[S0_LABEL + i] = self.category(input, node)
            width = min(state.next - node.start, self.max_span + 1)
            if i == 0:
                slots[S0_FIRST] = FIRST + node.start
                slots[S0_START] = boundary(input, node.start)
                slots[S0_SPAN] = width
                self.show_children(input, arena, node, slots + S0_LEFT, slots + S0_LEFT_LABEL, slots + S0_LEFT_LEFT)
            elif i == 1:
                slots[S1_FIRST] = FIRST + node.start
                slots[S0_S1_SPAN] = width
                slots[S1_SPAN] = start - node.start
                self.show_children(input, arena, node, slots + S1_LEFT, slots + S1_LEFT_LABEL, slots + S1_LEFT_LEFT)
            elif i == 2:
                slots[S0_S2_SPAN] = width
            start = node.start
            number = node.below

    def actions(self, trees):
        """The actions that build the given trees.

        trees (Iterable[Tree]): The binarised constituents and tags of a document, left to right.
        RETURNS (np.ndarray | None): The actions (uint16); None if the system lacks one of them.
        """
        numbers = []
        pending = list(trees)[::-1]
        while pending:
            node = pending.pop()
            if isinstance(node, tuple):
                numbers.append(self.numbers.get(node, -1))
            elif node.is_preterminal:
                numbers.append(SHIFT)
            else:
                pending.append(name_action(node))
                pending.extend(reversed(node.children))
        if -1 in numbers:
            return None
        return np.array([*numbers, FINISH] if numbers else [], dtype=np.uint16)

    def build(self, actions):
        """The constituents that a path of actions builds.

        actions (np.ndarray): A complete path (uint16).
        RETURNS (list[tuple[str, int, int]]): The label, first word and end of each, from the outside in, left to right.
        RAISES ValueError: If the path is illegal or incomplete.
        """
        cdef const uint16_t[::1] path = check_path(actions, self.n_actions)
        cdef int next = 0, action
        cdef Py_ssize_t i
        made = []
        starts = []
        if path.shape[0] and path[path.shape[0] - 1] != FINISH:
            raise JointValueError(Errors.J314, step=len(path), n=len(path))
        for i in range(path.shape[0]):
            action = path[i]
            if action == SHIFT:
                starts.append(next)
                next += 1
            elif action >= self.kind_start[UNARY]:
                if len(starts) <= (action >= self.kind_start[BINARY]):
                    raise JointValueError(Errors.J314, step=i, n=len(path))
                if action >= self.kind_start[BINARY]:
                    starts.pop()
                if not self.temporary[self.action_labels[action]]:
                    made.append((starts[len(starts) - 1], -next, -i, self.labels[self.action_labels[action] - 1]))
        constituents = [(label, start, -end) for start, end, _, label in sorted(made)]
        # Collapse X over X.
        return [pair[0] for pair in zip(constituents, [None, *constituents]) if pair[0] != pair[1]]


def name_action(node):
    """The action that builds a node of a binarised tree: ("UNARY", label) or ("BINARY", label, side).

    node (Tree): A node with one or two children and a marked head.
    """
    if len(node.children) == 1:
        return ("UNARY", node.label)
    return ("BINARY", node.label, SIDES[node.head])
