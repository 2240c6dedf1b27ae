"""The joint transition system: see system.pxd for its states. Transitions document Validity and Action; the oracle is
in oracle.pyx."""

import numpy as np

from ..engine.paths import check_path
from ..errors import Errors, JointValueError

from libc.stdint cimport INT32_MIN, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset
from libcpp.vector cimport vector

from ..engine.buckets cimport bucket
from ..engine.columns cimport FIRST, NOTHING, ROOT, InputC
from ..engine.system cimport ArenaC, arena_add, arena_node


cdef enum:
    # What templates see of the stack and the buffer.
    S0
    S1
    S2
    S3
    B0
    B1
    B2
    S0_LEFT
    S0_LEFT2
    S0_RIGHT
    S0_RIGHT2
    S1_LEFT
    S1_LEFT2
    S1_RIGHT
    S1_RIGHT2
    B0_LEFT
    B0_RIGHT
    SENTENCE        # the first token of the current sentence
    N_TOKEN_SLOTS

cdef enum:
    S0_LEFT_LABEL = N_TOKEN_SLOTS
    S0_LEFT2_LABEL
    S0_RIGHT_LABEL
    S0_RIGHT2_LABEL
    S1_LEFT_LABEL
    S1_LEFT2_LABEL
    S1_RIGHT_LABEL
    S1_RIGHT2_LABEL
    S0_N_LEFT
    S0_N_RIGHT
    S1_N_LEFT
    S1_N_RIGHT
    S0_S1_DISTANCE
    S0_B0_DISTANCE
    SENTENCE_LENGTH
    STACK_DEPTH
    B0_FLAG
    LAST_ACTION
    ACTION_BEFORE
    N_PLAIN_SLOTS

cdef enum:
    # Of guided systems only. Where the guide's head of an item is, and whether one of its dependents is in the buffer.
    S0_GUIDE = N_PLAIN_SLOTS
    S1_GUIDE
    B0_GUIDE
    S0_AWAITS
    S1_AWAITS
    N_SLOTS

cdef enum:
    # Facts of guided systems.
    GUIDE_HEAD
    GUIDE_LAST
    N_FACTS

cdef enum:
    # Where the guide's head of an item is; 0: there is no item.
    UNKNOWN = 1
    ITSELF
    AT_S0
    AT_S1
    AT_B0
    BEFORE          # elsewhere before the item
    PASSED          # after the item, before the buffer
    AHEAD           # elsewhere in the buffer

SB_ACTION = SB
TOKEN_SLOTS = {
    "s0": S0, "s1": S1, "s2": S2, "s3": S3, "b0": B0, "b1": B1, "b2": B2,
    "s0.left": S0_LEFT, "s0.left2": S0_LEFT2, "s0.right": S0_RIGHT, "s0.right2": S0_RIGHT2,
    "s1.left": S1_LEFT, "s1.left2": S1_LEFT2, "s1.right": S1_RIGHT, "s1.right2": S1_RIGHT2,
    "b0.left": B0_LEFT, "b0.right": B0_RIGHT, "sentence": SENTENCE,
}
VALUE_SLOTS = {
    "s0.left.label": S0_LEFT_LABEL, "s0.left2.label": S0_LEFT2_LABEL,
    "s0.right.label": S0_RIGHT_LABEL, "s0.right2.label": S0_RIGHT2_LABEL,
    "s1.left.label": S1_LEFT_LABEL, "s1.left2.label": S1_LEFT2_LABEL,
    "s1.right.label": S1_RIGHT_LABEL, "s1.right2.label": S1_RIGHT2_LABEL,
    "s0.n_left": S0_N_LEFT, "s0.n_right": S0_N_RIGHT, "s1.n_left": S1_N_LEFT, "s1.n_right": S1_N_RIGHT,
    "distance(s0,s1)": S0_S1_DISTANCE, "distance(s0,b0)": S0_B0_DISTANCE,
    "sentence.length": SENTENCE_LENGTH, "stack.depth": STACK_DEPTH, "b0.flag": B0_FLAG,
    "action-1": LAST_ACTION, "action-2": ACTION_BEFORE,
}
GUIDE_SLOTS = {
    "guide(s0)": S0_GUIDE, "guide(s1)": S1_GUIDE, "guide(b0)": B0_GUIDE,
    "awaits(s0)": S0_AWAITS, "awaits(s1)": S1_AWAITS,
}
# Counts of children are capped at this value.
cdef enum:
    MAX_CHILDREN = 6


# Used in place of a missing item.
cdef ItemC NO_ITEM
memset(&NO_ITEM, 0, sizeof(ItemC))
NO_ITEM.token = NO_ITEM.left = NO_ITEM.left2 = NO_ITEM.right = NO_ITEM.right2 = -1


cdef inline const ItemC* item_at(const ArenaC* arena, uint32_t number) noexcept nogil:
    return <const ItemC*>arena_node(arena, number)


cdef inline uint64_t row(int32_t token) noexcept nogil:
    """The input row for a token, or for no token."""
    return <uint64_t>(FIRST + token) if token >= 0 else <uint64_t>NOTHING


cdef inline uint64_t between(int64_t distance) noexcept nogil:
    """The bucket of a distance between tokens, which is negative if the second precedes the first."""
    if distance < 0:
        return 20 + between(-distance)
    # All distances above 24 are equivalent.
    return min(bucket(distance), <uint64_t>10)


cdef inline int32_t front(const InputC* input, const ArenaC* arena, const StateC* state) noexcept nogil:
    """b0, or -1 if the buffer is empty."""
    if state.swapped:
        return item_at(arena, state.swapped).token
    return state.next if state.next < input.n_tokens else -1


cdef inline void show_children(const ItemC* item, uint64_t* tokens, uint64_t* labels, uint64_t* counts) noexcept nogil:
    """Fills the slots of an item's children, in the order of the enums above."""
    tokens[0], labels[0] = row(item.left), item.left_label
    tokens[1], labels[1] = row(item.left2), item.left2_label
    tokens[2], labels[2] = row(item.right), item.right_label
    tokens[3], labels[3] = row(item.right2), item.right2_label
    counts[0] = item.n_left
    counts[1] = item.n_right


cdef inline uint64_t find_guide_head(const InputC* input, int32_t token, int32_t s0, int32_t s1, int32_t b0,
                                     int32_t next) noexcept nogil:
    """Where the guide's head of a token is. Tokens are -1 if they do not exist."""
    cdef int64_t head
    if token < 0:
        return 0
    head = input.facts[<int64_t>token * N_FACTS + GUIDE_HEAD]
    if head == INT32_MIN:
        return UNKNOWN
    head += token
    if head == token:
        return ITSELF
    if head == s0:
        return AT_S0
    if head == s1:
        return AT_S1
    if head == b0:
        return AT_B0
    return BEFORE if head < token else PASSED if head < next else AHEAD


cdef inline uint64_t awaits(const InputC* input, int32_t token, int32_t next) noexcept nogil:
    """Whether the guide attaches a token of the buffer to this one (2) or not (1)."""
    return 0 if token < 0 else 1 + (<int64_t>token + input.facts[<int64_t>token * N_FACTS + GUIDE_LAST] >= next)


cdef class JointSystem(System):
    """Sentence boundaries and trees of a whole document.

    left_labels (Sequence[str]): The labels of arcs from right to left.
    right_labels (Sequence[str]): The labels of arcs from left to right.
    root_labels (Sequence[str]): The labels of sentence roots.
    sb_position (str): "early": a boundary is flagged when its token reaches the front of the buffer; "late": when the
        previous sentence has been parsed. This affects the oracle and when preset boundaries are flagged.
    guided (bool): Whether the columns have the facts of a guide, see system.pxd, and templates its slots.
    RAISES ValueError: If there are no labels for roots or for other arcs, or `sb_position` is invalid.

    The constraints of the columns give tokens that must (1) or must not (-1) start a sentence. The first token always
    does.
    """

    def __init__(self, left_labels, right_labels, root_labels, sb_position="early", guided=False):
        if not root_labels or not (left_labels or right_labels):
            raise JointValueError(Errors.J300)
        if sb_position not in ("early", "late"):
            raise JointValueError(Errors.J301, value=sb_position)
        self.left_labels, self.right_labels, self.root_labels = map(tuple, (left_labels, right_labels, root_labels))
        self.early = sb_position == "early"
        self.guided = guided
        self.set_kinds([1, 1, 1, len(self.left_labels), len(self.right_labels), len(self.root_labels)])
        self.n_slots = N_SLOTS if self.guided else N_PLAIN_SLOTS
        self.n_facts = N_FACTS if self.guided else 0
        self.streams = True
        self.state_size = sizeof(StateC)
        self.node_size = sizeof(ItemC)
        self.n_state_links = 2
        self.n_node_links = 1
        self.names = (None,) * LEFT + self.left_labels + self.right_labels + self.root_labels
        self.numbers = {"SHIFT": SHIFT, "SB": SB, "SWAP": SWAP}
        for name, kind, labels in (
            ("LEFT", LEFT, self.left_labels), ("RIGHT", RIGHT, self.right_labels), ("ROOT", ROOT_ARC, self.root_labels)
        ):
            for i, label in enumerate(labels):
                self.numbers[name, label] = self.kind_start[kind] + i

    def __reduce__(self):
        settings = (self.left_labels, self.right_labels, self.root_labels, "early" if self.early else "late")
        # The weights of systems without a guide depend on these four only.
        return (JointSystem, (*settings, True) if self.guided else settings)

    @property
    def actions(self):
        """The numbers of the actions "SHIFT", "SB", "SWAP" and ("LEFT" | "RIGHT" | "ROOT", label) (dict)."""
        return dict(self.numbers)

    def token_slots(self):
        return TOKEN_SLOTS

    def value_slots(self):
        return {**VALUE_SLOTS, **GUIDE_SLOTS} if self.guided else VALUE_SLOTS

    cdef void start(self, const InputC* input, void* state) noexcept nogil:
        memset(state, 0, sizeof(StateC))

    cdef bint is_final(self, const InputC* input, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        return state.next == input.n_tokens and not state.stack and not state.swapped

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef int32_t b0 = front(input, arena, state)
        cdef bint flagged = b0 == state.last_boundary and not state.swapped
        cdef bint reduced       # whether the stack holds the root and one token
        cdef uint64_t kinds = 0
        cdef const ItemC* s0
        if not state.stack:
            return 1 << SHIFT
        s0 = item_at(arena, state.stack)
        reduced = not s0.below
        # A preset boundary is flagged as soon as the oracle would flag it, and no other action is possible before that.
        if b0 >= 0 and not state.swapped and not flagged and input.constraints[b0] > 0:
            if self.early or reduced:
                return 1 << SB
        # SHIFT. Validity: b0 is not the flagged start of the next sentence (or the stack holds only the root, or a
        # swapped token is at the front). Action: move b0 to the stack.
        elif b0 >= 0 and not flagged:
            kinds |= 1 << SHIFT
            # SB. Validity: b0 is after the last boundary, has not been swapped, and may start a sentence.
            # Action: flag b0 as the start of a sentence.
            if not state.swapped and b0 > state.last_boundary and input.constraints[b0] >= 0:
                kinds |= 1 << SB
        if reduced:
            # ROOT-ARC. Validity: the sentence is complete: the buffer is empty, or b0 is the flagged start of the next.
            # Action: make s0 the root of its sentence and remove it from the stack.
            if b0 < 0 or flagged:
                kinds |= 1 << ROOT_ARC
            return kinds
        # LEFT-ARC. Validity: s1 is not the root. Action: attach s1 to s0 and remove it from the stack.
        # RIGHT-ARC. Validity: s1 is not the root. Action: attach s0 to s1 and remove it from the stack.
        if self.kind_start[LEFT + 1] > self.kind_start[LEFT]:
            kinds |= 1 << LEFT
        if self.kind_start[RIGHT + 1] > self.kind_start[RIGHT]:
            kinds |= 1 << RIGHT
        # SWAP. Validity: s1 is not the root and precedes s0 in the document. Action: move s1 back to the buffer.
        if item_at(arena, s0.below).token < s0.token:
            kinds |= 1 << SWAP
        return kinds

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        cdef ItemC* new
        cdef const ItemC* s0
        cdef const ItemC* s1
        cdef uint32_t number
        state.action_before = state.last_action
        state.last_action = action + 1
        if action == SB:
            state.last_boundary = state.next
            return
        number = arena_add(arena)
        new = <ItemC*>arena_node(arena, number)
        if action == SHIFT:
            if state.swapped:
                new[0] = item_at(arena, state.swapped)[0]
                state.swapped = new.below
            else:
                memset(new, 0, sizeof(ItemC))
                new.token = state.next
                new.left = new.left2 = new.right = new.right2 = -1
                state.next += 1
            new.below = state.stack
            state.stack = number
            return
        s0 = item_at(arena, state.stack)
        if action >= self.kind_start[ROOT_ARC]:
            arena.used -= 1
            state.stack = s0.below
            return
        s1 = item_at(arena, s0.below)
        if action == SWAP:
            # Two new items: s0 on the stack without s1 below, and s1 at the front of the buffer.
            new[0] = s0[0]
            new.below = s1.below
            state.stack = number
            number = arena_add(arena)
            new = <ItemC*>arena_node(arena, number)
            new[0] = s1[0]
            new.below = state.swapped
            state.swapped = number
        elif action < self.kind_start[RIGHT]:
            new[0] = s0[0]
            new.below = s1.below
            # s1 is to the left of s0 unless they have been swapped.
            attach(new, s1.token, action - self.kind_start[LEFT] + 1)
            state.stack = number
        else:
            new[0] = s1[0]
            attach(new, s0.token, action - self.kind_start[LEFT] + 1)
            state.stack = number

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        # Every slot is written exactly once: clearing them first would double the cost.
        cdef const StateC* state = <const StateC*>state_
        cdef const ItemC* s0 = item_at(arena, state.stack) if state.stack else &NO_ITEM
        cdef const ItemC* s1 = item_at(arena, s0.below) if s0.below else &NO_ITEM
        cdef const ItemC* s2 = item_at(arena, s1.below) if s1.below else &NO_ITEM
        cdef const ItemC* b0 = &NO_ITEM
        cdef const ItemC* item
        cdef int32_t next = state.next
        cdef int32_t front
        cdef uint32_t number = state.swapped
        cdef int i
        for i in range(3):
            if number:
                item = item_at(arena, number)
                if i == 0:
                    b0 = item
                slots[B0 + i] = row(item.token)
                number = item.below
            elif next < input.n_tokens:
                slots[B0 + i] = row(next)
                next += 1
            else:
                slots[B0 + i] = NOTHING
        front = -1 if slots[B0] == NOTHING else <int32_t>slots[B0] - FIRST
        slots[B0_LEFT] = row(b0.left)
        slots[B0_RIGHT] = row(b0.right)
        # The root is below the lowest item; there is nothing below the root.
        slots[S0] = row(s0.token) if state.stack else <uint64_t>ROOT
        slots[S1] = row(s1.token) if s0.below else <uint64_t>ROOT if state.stack else <uint64_t>NOTHING
        slots[S2] = row(s2.token) if s1.below else <uint64_t>ROOT if s0.below else <uint64_t>NOTHING
        slots[S3] = (
            row(item_at(arena, s2.below).token) if s2.below else <uint64_t>ROOT if s1.below else <uint64_t>NOTHING
        )
        slots[STACK_DEPTH] = (state.stack != 0) + (s0.below != 0) + (s1.below != 0) + (s2.below != 0)
        show_children(s0, slots + S0_LEFT, slots + S0_LEFT_LABEL, slots + S0_N_LEFT)
        show_children(s1, slots + S1_LEFT, slots + S1_LEFT_LABEL, slots + S1_N_LEFT)
        slots[S0_B0_DISTANCE] = between(front - s0.token) if state.stack and front >= 0 else 0
        slots[S0_S1_DISTANCE] = between(s0.token - s1.token) if s0.below else 0
        # Once the next sentence is flagged, the start of the current one is no longer known.
        slots[SENTENCE] = row(state.last_boundary)
        if state.last_boundary == state.next and state.next > 0 and state.stack:
            slots[SENTENCE] = NOTHING
        slots[SENTENCE_LENGTH] = between(state.next - state.last_boundary)
        slots[B0_FLAG] = 1 + (
            1 if front < 0 else 2 if state.swapped else 3 if front == state.last_boundary else 0
        )
        slots[LAST_ACTION] = state.last_action
        slots[ACTION_BEFORE] = state.action_before
        if self.guided:
            slots[S0_GUIDE] = find_guide_head(input, s0.token, s0.token, s1.token, front, state.next)
            slots[S1_GUIDE] = find_guide_head(input, s1.token, s0.token, s1.token, front, state.next)
            slots[B0_GUIDE] = find_guide_head(input, front, s0.token, s1.token, front, state.next)
            slots[S0_AWAITS] = awaits(input, s0.token, state.next)
            slots[S1_AWAITS] = awaits(input, s1.token, state.next)

    cdef int front(self, const void* state) noexcept nogil:
        return (<const StateC*>state).next + B2 - B0

    cdef void move_back_state(self, void* state_, int n) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        # A stream that forgets what it needs gets nonsense, but reads nothing that is not there.
        state.next = max(state.next - n, 0)
        state.last_boundary -= n

    cdef void move_back_node(self, void* node, int n) noexcept nogil:
        cdef ItemC* item = <ItemC*>node
        item.token -= n
        # -1, i.e. no child, is kept.
        if item.left >= 0:
            item.left -= n
        if item.left2 >= 0:
            item.left2 -= n
        if item.right >= 0:
            item.right -= n
        if item.right2 >= 0:
            item.right2 -= n

    def split(self, actions, max_sentences=None):
        """Splits a path after its last finished sentence.

        actions (np.ndarray): A path (uint16) from the start, or the rest of an earlier split.
        max_sentences (int | None): The maximum number of sentences to take. None takes all.
        RETURNS (tuple[int, np.ndarray, np.ndarray]): The number of tokens of these sentences, their actions, and the
            rest.
        """
        actions = check_path(actions, self.n_actions)
        ends = np.flatnonzero(actions >= self.kind_start[ROOT_ARC])[:max_sentences] + 1
        end = int(ends.max(initial=0))
        done = actions[:end]
        return int((done == SHIFT).sum() - (done == SWAP).sum()), done, actions[end:]

    def build(self, actions, int n_tokens):
        """The trees and boundaries that a path of actions builds.

        actions (np.ndarray): A complete path (uint16) for n_tokens.
        n_tokens (int): The number of tokens of the document.
        RETURNS (tuple[np.ndarray, list[str], np.ndarray]): The heads (int32; a root is its own head), the labels, and
            the starts (bool).
        RAISES ValueError: If the path is illegal, incomplete, or for a different number of tokens.
        """
        # Each token is shifted and gets an arc.
        actions = check_path(actions, self.n_actions, least=2 * <Py_ssize_t>n_tokens)
        cdef const uint16_t[::1] path = actions
        heads_array = np.arange(max(n_tokens, 0), dtype=np.int32)
        starts_array = np.zeros(max(n_tokens, 0), dtype=bool)
        labels_array = np.zeros(max(n_tokens, 0), dtype=np.uint16)
        cdef int32_t[::1] heads = heads_array
        cdef uint8_t[::1] starts = starts_array.view(np.uint8)
        cdef uint16_t[::1] labels = labels_array
        cdef vector[int32_t] stack, swapped
        cdef int32_t next = 0, s0, s1
        cdef int action
        cdef Py_ssize_t i
        if n_tokens > 0:
            starts[0] = True
        for i in range(path.shape[0]):
            action = path[i]
            if action == SHIFT:
                if not swapped.empty():
                    stack.push_back(swapped.back())
                    swapped.pop_back()
                elif next >= n_tokens:
                    raise JointValueError(Errors.J314, step=i, n=len(path))
                else:
                    stack.push_back(next)
                    next += 1
                continue
            if action == SB:
                # A split path may also flag the next token, which is outside.
                if next < n_tokens:
                    starts[next] = True
                continue
            if stack.size() < 2 if action < self.kind_start[ROOT_ARC] else stack.size() != 1:
                raise JointValueError(Errors.J314, step=i, n=len(path))
            s0 = stack.back()
            stack.pop_back()
            if action >= self.kind_start[ROOT_ARC]:
                labels[s0] = action
                continue
            s1 = stack.back()
            stack.pop_back()
            if action == SWAP:
                swapped.push_back(s1)
                stack.push_back(s0)
            elif action < self.kind_start[RIGHT]:
                heads[s1] = s0
                labels[s1] = action
                stack.push_back(s0)
            else:
                heads[s0] = s1
                labels[s0] = action
                stack.push_back(s1)
        if next != n_tokens or not stack.empty() or not swapped.empty():
            raise JointValueError(Errors.J314, step=len(path), n=len(path))
        return heads_array, [self.names[number] for number in labels_array.tolist()], starts_array


cdef inline void attach(ItemC* head, int32_t child, uint16_t label) noexcept nogil:
    """Makes `child` the outermost child on its side: except for swapped children, later arcs reach further out."""
    if child < head.token:
        head.left2, head.left2_label = head.left, head.left_label
        head.left, head.left_label = child, label
        head.n_left = min(head.n_left + 1, MAX_CHILDREN)
    else:
        head.right2, head.right2_label = head.right, head.right_label
        head.right, head.right_label = child, label
        head.n_right = min(head.n_right + 1, MAX_CHILDREN)
