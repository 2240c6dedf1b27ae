"""The joint transition system: see system.pxd for its states. Transitions document Validity and Action; the oracle is
in oracle.pyx."""

import numpy as np

from ..engine.system import check_derivation
from ..errors import Errors, JointValueError, check_choice

from libc.stdint cimport INT32_MIN, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from ..engine.buckets cimport bucket
from ..engine.columns cimport FIRST, NOTHING, ROOT, InputC
from ..engine.system cimport ArenaC, Walk, arena_add, arena_node, blank_walk


# The slots for the stack and the buffer.
cdef enum:
    S0, S1, S2, S3, B0, B1, B2
    S0_LEFT, S0_LEFT2, S0_RIGHT, S0_RIGHT2
    S1_LEFT, S1_LEFT2, S1_RIGHT, S1_RIGHT2
    B0_LEFT, B0_RIGHT
    SENTENCE        # the first token of the current sentence
    N_TOKEN_SLOTS

cdef enum:
    S0_LEFT_LABEL = N_TOKEN_SLOTS
    S0_LEFT2_LABEL, S0_RIGHT_LABEL, S0_RIGHT2_LABEL
    S1_LEFT_LABEL, S1_LEFT2_LABEL, S1_RIGHT_LABEL, S1_RIGHT2_LABEL
    S0_N_LEFT, S0_N_RIGHT, S1_N_LEFT, S1_N_RIGHT
    S0_S1_DISTANCE, S0_B0_DISTANCE, SENTENCE_LENGTH, STACK_DEPTH
    B0_FLAG, LAST_ACTION, ACTION_BEFORE
    N_PLAIN_SLOTS

# Slots of guided systems only: the place of the guide's head of an item, and whether one of the guide's dependents of
# it is in the buffer.
cdef enum:
    S0_GUIDE = N_PLAIN_SLOTS
    S1_GUIDE, B0_GUIDE
    S0_AWAITS, S1_AWAITS

# Facts of guided systems.
cdef enum:
    GUIDE_HEAD, GUIDE_LAST
    N_INFO

# The place of the guide's head of an item; 0: there is no item.
cdef enum:
    UNKNOWN = 1
    ITSELF, AT_S0, AT_S1, AT_B0
    BEFORE          # elsewhere before the item
    PASSED          # after the item, before the buffer
    AHEAD           # elsewhere in the buffer


SB_ACTION = SB
# In the order of the numbers above.
TOKEN_SLOTS = """
    s0 s1 s2 s3 b0 b1 b2 s0.left s0.left2 s0.right s0.right2 s1.left s1.left2 s1.right s1.right2
    b0.left b0.right sentence
"""
VALUE_SLOTS = """
    s0.left.label s0.left2.label s0.right.label s0.right2.label
    s1.left.label s1.left2.label s1.right.label s1.right2.label
    s0.n_left s0.n_right s1.n_left s1.n_right distance(s0,s1) distance(s0,b0) sentence.length stack.depth
    b0.flag action-1 action-2
"""
GUIDE_SLOTS = ("guide(s0)", "guide(s1)", "guide(b0)", "awaits(s0)", "awaits(s1)")

cdef enum:
    MAX_CHILDREN = 6    # that are counted


# Used in place of a missing item.
cdef ItemC NO_ITEM
memset(&NO_ITEM, 0, sizeof(ItemC))
NO_ITEM.token = NO_ITEM.left = NO_ITEM.left2 = NO_ITEM.right = NO_ITEM.right2 = -1


cdef inline const ItemC* item_at(const ArenaC* arena, uint32_t number) noexcept nogil:
    return <const ItemC*>arena_node(arena, number)


cdef inline uint64_t row(int32_t token) noexcept nogil:
    """Returns the input row of a token, or of no token (-1)."""
    return <uint64_t>(FIRST + token) if token >= 0 else <uint64_t>NOTHING


cdef inline uint64_t between(int64_t distance) noexcept nogil:
    """Returns the bucket of a distance between tokens, which is negative if the second precedes the first."""
    if distance < 0:
        return 20 + between(-distance)
    # All distances above 24 are equivalent.
    return min(bucket(distance), <uint64_t>10)


cdef inline int32_t front(const InputC* input, const ArenaC* arena, const StateC* state) noexcept nogil:
    """Returns b0, or -1 if the buffer is empty."""
    if state.swapped:
        return item_at(arena, state.swapped).token
    return state.next if state.next < input.n_tokens else -1


cdef inline void fill_child_slots(
    const ItemC* item, uint64_t* tokens, uint64_t* labels, uint64_t* counts
) noexcept nogil:
    """Fills the slots of an item's children."""
    tokens[0], labels[0] = row(item.left), item.left_label
    tokens[1], labels[1] = row(item.left2), item.left2_label
    tokens[2], labels[2] = row(item.right), item.right_label
    tokens[3], labels[3] = row(item.right2), item.right2_label
    counts[0] = item.n_left
    counts[1] = item.n_right


cdef inline uint64_t find_guide_head(const InputC* input, int32_t token, int32_t s0, int32_t s1, int32_t b0,
                                     int32_t next) noexcept nogil:
    """Finds the place of the guide's head of a token. Tokens are -1 if they do not exist."""
    cdef int64_t head
    if token < 0:
        return 0
    head = input.token_info[<int64_t>token * N_INFO + GUIDE_HEAD]
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
    """Returns whether the guide attaches a token of the buffer to this one (2) or not (1); 0 if there is no token."""
    return 0 if token < 0 else 1 + (<int64_t>token + input.token_info[<int64_t>token * N_INFO + GUIDE_LAST] >= next)


def name_arc(token, head, label):
    """Names the action that makes an arc, as in `JointSystem.actions`. A root is its own head."""
    return ("ROOT" if head == token else "LEFT" if head > token else "RIGHT", label)


cdef class JointSystem(System):
    """Builds sentence boundaries and trees of a whole document. Constraints mark tokens that must (1) or must not (-1)
    start a sentence; the first always does. The oracle, and preset boundaries, flag a boundary when its token reaches
    the front of the buffer ("early"), or when the previous sentence has been parsed ("late")."""

    def __cinit__(self, left_labels, right_labels, root_labels, sb_position="early", guided=False):
        if not root_labels or not (left_labels or right_labels):
            raise JointValueError(Errors.J330, source="The data", what="labels of roots and of other arcs")
        check_choice("sb_position", sb_position, ("early", "late"))
        self.left_labels, self.right_labels, self.root_labels = map(tuple, (left_labels, right_labels, root_labels))
        self.early = sb_position == "early"
        self.guided = guided
        self.set_kinds([1, 1, 1, len(self.left_labels), len(self.right_labels), len(self.root_labels)])
        self.set_slots(TOKEN_SLOTS, " ".join((VALUE_SLOTS, *GUIDE_SLOTS)) if guided else VALUE_SLOTS)
        self.n_info = N_INFO if self.guided else 0
        self.can_stream = True
        self.state_size = sizeof(StateC)
        self.node_size = sizeof(ItemC)
        self.n_state_links = 2
        self.n_node_links = 1
        kinds = {"LEFT": self.left_labels, "RIGHT": self.right_labels, "ROOT": self.root_labels}
        arcs = [(kind, label) for kind, labels in kinds.items() for label in labels]
        self.names = (*(None,) * LEFT, *(label for _, label in arcs))
        self.actions = {name: number for number, name in enumerate(["SHIFT", "SB", "SWAP", *arcs])}

    def __reduce__(self):
        settings = (self.left_labels, self.right_labels, self.root_labels, "early" if self.early else "late")
        # Only guided systems have the fifth setting, so the weights of other systems stay valid.
        return (JointSystem, (*settings, True) if self.guided else settings)

    cdef bint is_final(self, const InputC* input, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        return state.next == input.n_tokens and not state.stack and not state.swapped

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef int32_t b0 = front(input, arena, state)
        cdef bint flagged = b0 == state.last_boundary and not state.swapped
        cdef uint64_t kinds = 0
        cdef const ItemC* s0
        cdef bint reduced
        if not state.stack:
            return 1 << SHIFT
        s0 = item_at(arena, state.stack)
        # Whether the stack holds the root and one token.
        reduced = not s0.below
        # A preset boundary is flagged as soon as the oracle would flag it, and no other action is possible before that.
        if b0 >= 0 and not state.swapped and not flagged and input.constraints[b0] > 0:
            if self.early or reduced:
                return 1 << SB
        # SHIFT. Validity: b0 is not the flagged start of the next sentence (or the stack holds only the root, or a
        # swapped token is at the front). Action: move b0 to the stack.
        elif b0 >= 0 and not flagged:
            kinds |= 1 << SHIFT
            # SB. Validity: b0 is new, not swapped, and may start a sentence. Action: flag b0 as the start of one.
            if not state.swapped and b0 > state.last_boundary and input.constraints[b0] >= 0:
                kinds |= 1 << SB
        if reduced:
            # ROOT-ARC. Validity: the sentence is complete: the buffer is empty, or b0 is the flagged start of the next.
            # Action: make s0 the root of its sentence and remove it from the stack.
            if b0 < 0 or flagged:
                kinds |= 1 << ROOT_ARC
            return kinds
        # LEFT-ARC, RIGHT-ARC. Validity: s1 is not the root. Action: attach s1 to s0 (s0 to s1); remove it.
        kinds |= 1 << LEFT | 1 << RIGHT
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
        state.stack = number
        if action >= self.kind_start[RIGHT]:
            new[0] = s1[0]
            attach(new, s0.token, action - self.kind_start[LEFT] + 1)
            return
        new[0] = s0[0]
        new.below = s1.below
        if action == SWAP:
            # A second new item: s1 at the front of the buffer.
            number = arena_add(arena)
            new = <ItemC*>arena_node(arena, number)
            new[0] = s1[0]
            new.below = state.swapped
            state.swapped = number
        else:
            # s1 is to the left of s0 unless they have been swapped.
            attach(new, s1.token, action - self.kind_start[LEFT] + 1)

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
        fill_child_slots(s0, slots + S0_LEFT, slots + S0_LEFT_LABEL, slots + S0_N_LEFT)
        fill_child_slots(s1, slots + S1_LEFT, slots + S1_LEFT_LABEL, slots + S1_N_LEFT)
        slots[S0_B0_DISTANCE] = between(front - s0.token) if state.stack and front >= 0 else 0
        slots[S0_S1_DISTANCE] = between(s0.token - s1.token) if s0.below else 0
        # Once the next sentence is flagged, the start of the current one is no longer known.
        slots[SENTENCE] = row(state.last_boundary)
        if state.last_boundary == state.next and state.next > 0 and state.stack:
            slots[SENTENCE] = NOTHING
        slots[SENTENCE_LENGTH] = between(state.next - state.last_boundary)
        slots[B0_FLAG] = 2 if front < 0 else 3 if state.swapped else 4 if front == state.last_boundary else 1
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

    cdef void rebase_state(self, void* state_, int n) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        # A stream that forgets tokens too early gets wrong results, but reads no invalid memory.
        state.next = max(state.next - n, 0)
        state.last_boundary -= n

    cdef void rebase_node(self, void* node, int n) noexcept nogil:
        cdef ItemC* item = <ItemC*>node
        item.token -= n
        # -1, i.e. no child, is kept.
        item.left -= n if item.left >= 0 else 0
        item.left2 -= n if item.left2 >= 0 else 0
        item.right -= n if item.right >= 0 else 0
        item.right2 -= n if item.right2 >= 0 else 0

    def split(self, actions, max_sentences=None):
        """Splits a derivation, or the rest of an earlier split, after its last finished sentence or `max_sentences`.
        Returns the number of tokens of the sentences, their actions, and the rest (tuple[int, np.ndarray,
        np.ndarray])."""
        actions = check_derivation(actions, self.n_actions)
        ends = np.flatnonzero(actions >= self.kind_start[ROOT_ARC])[:max_sentences] + 1
        end = int(ends.max(initial=0))
        done = actions[:end]
        return int((done == SHIFT).sum() - (done == SWAP).sum()), done, actions[end:]

    def build(self, actions, int n_tokens):
        """Returns the heads (int32; a root is its own), labels and starts (bool) that a complete derivation builds
        (tuple).

        RAISES ValueError: If the derivation is illegal, incomplete, or for a different number of tokens (J314).
        """
        # Each token is shifted and gets an arc.
        actions = check_derivation(actions, self.n_actions, min_length=2 * <Py_ssize_t>n_tokens)
        cdef const uint16_t[::1] derivation = actions
        cdef Walk walk = blank_walk(self, n_tokens)
        heads_array = np.arange(n_tokens, dtype=np.int32)
        starts_array = np.zeros(n_tokens, dtype=bool)
        labels_array = np.zeros(n_tokens, dtype=np.uint16)
        cdef int32_t[::1] heads = heads_array
        cdef uint8_t[::1] starts = starts_array.view(np.uint8)
        cdef uint16_t[::1] labels = labels_array
        cdef StateC state
        cdef const ItemC* s0
        cdef const ItemC* s1
        cdef int action
        cdef Py_ssize_t step
        starts[:1] = True
        for step in range(derivation.shape[0]):
            action = derivation[step]
            state = (<const StateC*>walk.at)[0]
            # A split derivation may also flag the next token, which is outside.
            if action == SB and state.next == n_tokens:
                continue
            if not walk.try_advance(action):
                raise JointValueError(Errors.J314, step=step, n=len(derivation))
            if action == SB:
                starts[state.next] = True
            elif action >= self.kind_start[LEFT]:
                s0 = item_at(&walk.arena, state.stack)
                s1 = item_at(&walk.arena, s0.below)
                if action >= self.kind_start[ROOT_ARC]:
                    labels[s0.token] = action
                elif action >= self.kind_start[RIGHT]:
                    heads[s0.token], labels[s0.token] = s1.token, action
                else:
                    heads[s1.token], labels[s1.token] = s0.token, action
        if not walk.is_final:
            raise JointValueError(Errors.J314, step=len(derivation), n=len(derivation))
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
