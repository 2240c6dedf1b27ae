"""Discontinuous shift-reduce with separate labels: see merge_system.pxd for the states. Transitions document Validity
and Action."""

from ..engine.paths import check_path
from ..errors import Errors, JointValueError
from .phrases import SIDES, find_parents
from .transform import TEMPORARY

from libc.stdint cimport uint32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport ArenaC, arena_add, arena_node
from .gap_system cimport MAX_GAPS, GapSystem, StateC
from .phrases cimport GAP, N_KINDS, SHIFT, UNARY, NodeC, node_at


# Kinds of actions besides SHIFT, GAP and UNARY-X.
cdef enum:
    MERGE = N_KINDS
    NO_LABEL
    LABEL
    LABEL_ROOT
    N_MERGE_KINDS

# The actions that a label, or its absence, must follow.
UNLABELLED = ("SHIFT", "MERGE")


cdef class MergeSystem(GapSystem):
    """Continuous and discontinuous constituents of a sentence.

    unary (Sequence[str]): The labels of unary constituents, which are over words only.
    branching (Sequence[str]): The labels of constituents with several children.
    root (str): The label of all trees' roots.
    tag_column (int): The column with the category of a single word; -1 if there is none.
    RAISES ValueError: If there are no labels, or too many.
    """

    def __init__(self, unary, branching, root, tag_column=-1):
        self.unary, self.branching, self.binary = tuple(unary), tuple(branching), ()
        if not self.unary and not self.branching:
            raise JointValueError(Errors.J330)
        kinds = [[] for _ in range(N_MERGE_KINDS)]
        kinds[SHIFT], kinds[GAP], kinds[NO_LABEL] = [("SHIFT",)], [("GAP",)], [("NO-LABEL",)]
        kinds[MERGE] = [("MERGE", side) for side in SIDES]
        kinds[UNARY] = [("UNARY", name) for name in self.unary if name != root]
        kinds[LABEL] = [("LABEL", name) for name in self.branching if name != root]
        kinds[LABEL_ROOT] = [("LABEL", root)]
        self.set_actions(kinds, [root, *self.unary, *self.branching], root, tag_column)

    def __reduce__(self):
        return (MergeSystem, (self.unary, self.branching, self.root, self.tag_column))

    cdef bint awaits_label(self, const StateC* state) noexcept nogil:
        cdef int action = state.last_action - 1
        return action == SHIFT or self.kind_start[MERGE] <= action < self.kind_start[NO_LABEL]

    cdef bint is_final(self, const InputC* input, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        return state.next == input.n_tokens and not state.mid and not self.awaits_label(state)

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef bint ended = state.next == input.n_tokens
        cdef const NodeC* d0
        cdef uint64_t kinds = 0
        if not state.top:
            return 1 << SHIFT
        d0 = node_at(arena, state.top)
        if self.awaits_label(state):
            # UNARY-X. Validity: d0 has just been shifted. Action: put X above d0.
            # LABEL-X. Validity: d0 has just been merged. Action: d0 is finished, with the label X.
            kinds |= <uint64_t>1 << (LABEL if d0.temporary else UNARY)
            if ended and not state.mid:
                # LABEL-root. Validity: d0 covers the sentence. Action: as LABEL-X.
                kinds |= <uint64_t>1 << LABEL_ROOT
            elif not (ended and d0.temporary):
                # NO-LABEL. Validity: d0 is a word, or there are further words for it. Action: none.
                kinds |= <uint64_t>1 << NO_LABEL
            kinds &= self.has_actions
            # Without labels, everything is left for the root.
            return kinds or <uint64_t>1 << NO_LABEL
        # SHIFT. Validity: there is a next word, and no gap is open. Action: put d0 on the stack; the word becomes d0.
        if not ended and not state.n_gaps:
            kinds |= 1 << SHIFT
        # MERGE-L and MERGE-R. Validity: d0 is finished, and there is an s0. Action: put an unfinished constituent above
        # s0 and d0, or, if s0 is unfinished, add d0 to it; put what is left of the deque on the stack.
        if state.mid and (not d0.temporary or ended):
            kinds |= <uint64_t>1 << MERGE
            # GAP. Validity: as for MERGE, and there is an s1. Action: s0 becomes the last of the deque.
            if node_at(arena, state.mid).below and state.n_gaps < MAX_GAPS:
                kinds |= 1 << GAP
        return kinds

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        cdef uint32_t lower = state.mid, upper = state.top
        cdef NodeC* new
        if action < self.kind_start[NO_LABEL]:
            GapSystem.advance(self, input, arena, state, action)
            if action >= self.kind_start[MERGE]:
                self.finish_merge(arena, lower, upper, <NodeC*>arena_node(arena, state.top), self.action_sides[action])
            return
        state.action_before = state.last_action
        state.last_action = action + 1
        if action >= self.kind_start[LABEL]:
            state.top = arena_add(arena)
            new = <NodeC*>arena_node(arena, state.top)
            new[0] = node_at(arena, upper)[0]
            new.label = self.action_labels[action]
            new.temporary = False
            self.put(arena, state.top, new.below)

    cdef void finish_merge(self, ArenaC* arena, uint32_t lower, uint32_t upper, NodeC* new, bint side) noexcept nogil:
        cdef const NodeC* a = node_at(arena, lower)
        cdef const NodeC* b = node_at(arena, upper)
        cdef uint32_t a_left = a.left if a.temporary else lower
        cdef uint32_t a_right = a.right if a.temporary else lower
        cdef uint32_t b_left = b.left if b.temporary else upper
        cdef uint32_t b_right = b.right if b.temporary else upper
        new.label = b.label if side else a.label
        new.temporary = True
        new.left = a_left if a.first < b.first else b_left
        new.right = b_right if node_at(arena, a_right).first < node_at(arena, b_right).first else a_right

    cdef uint64_t category(self, const InputC* input, const NodeC* node) noexcept nogil:
        # That of an unfinished constituent is its head's, and differs from that of the head.
        return GapSystem.category(self, input, node) ^ (<uint64_t>node.temporary << 63)

    def actions(self, int n_words, nodes):
        """The actions that build a binarised tree: see `name_actions`.

        RETURNS (np.ndarray | None): The actions (uint16); None if the system lacks one of them, or if a constituent is
            further away than MAX_GAPS.
        RAISES ValueError: If the nodes are not a tree.
        """
        return self.number_actions(name_actions(n_words, nodes))

    def build(self, actions, int n_words):
        """The binarised tree that a path of actions builds: see `GapSystem.build`.

        Merges without a label make nodes with the label TEMPORARY.
        """
        path = check_path(actions, self.n_actions, least=n_words).tolist()
        names = list(self.numbers)
        nodes = []
        firsts = list(range(n_words))
        stack = []
        deque = []
        next = 0
        last = None
        for step, action in enumerate(path):
            name = names[action]
            valid = (last in UNLABELLED) == (name[0] in ("UNARY", "LABEL", "NO-LABEL"))
            if name[0] == "SHIFT":
                valid = valid and next < n_words and len(deque) <= 1
                stack += deque
                deque = [next]
                next += 1
            elif name[0] == "GAP":
                valid = valid and len(stack) > 1
                if valid:
                    deque.insert(0, stack.pop())
            elif name[0] == "MERGE":
                valid = valid and len(stack) > 0
                if valid:
                    children = sorted((stack.pop(), deque.pop()), key=firsts.__getitem__)
                    nodes.append((TEMPORARY, *children))
                    firsts.append(firsts[children[0]])
                    stack += deque
                    deque = [n_words + len(nodes) - 1]
            elif valid and name[0] != "NO-LABEL" and last == "SHIFT":
                nodes.append((name[1], deque[0], -1))
                firsts.append(deque[0])
                deque = [n_words + len(nodes) - 1]
            elif valid and name[0] != "NO-LABEL":
                nodes.append((name[1], *nodes.pop()[1:]))
            if not valid:
                raise JointValueError(Errors.J314, step=step, n=len(path))
            last = name[0]
        if next < n_words or stack or last in UNLABELLED:
            raise JointValueError(Errors.J314, step=len(path), n=len(path))
        if n_words and (not nodes or nodes[len(nodes) - 1][0] != self.root):
            nodes.append((self.root, deque[0], -1))
        return nodes


def name_actions(int n_words, nodes):
    """The actions that build a tree: ("SHIFT",), ("GAP",), ("MERGE", side), ("UNARY", label), ("LABEL", label) or
    ("NO-LABEL",).

    A constituent is merged as soon as another child of its parent is on the stack, and gets its label with the last
    child.

    n_words (int): The number of words.
    nodes (Sequence[tuple[str, int, int, int]]): The nodes above words: see `find_parents`. The children of those that
        binarisation made are children of the nodes above them.
    RETURNS (list[tuple] | None): The names; None if a constituent is further away than MAX_GAPS.
    RAISES ValueError: If the nodes are not a tree.
    """
    parents = find_parents(n_words, nodes)
    root = len(parents) - 1
    temporary = [False] * n_words + [node[0].startswith(TEMPORARY) for node in nodes]
    temporary[root] = False
    # Children, of which those that have been merged count as one.
    n_children = [0] * len(parents)
    for number in range(root - 1, -1, -1):
        if temporary[parents[number]]:
            parents[number] = parents[parents[number]]
        n_children[parents[number]] += not temporary[number]
    # The child with the head.
    heads = list(range(n_words))
    for _, *children, head in nodes:
        child = children[head]
        heads.append(heads[child] if temporary[child] else child)
    names = []
    # For each constituent on the stack, its parent, which has no other child there.
    stack = []
    on_stack = set()
    for word in range(n_words):
        names.append(("SHIFT",))
        number, parent = word, parents[word]
        label = nodes[parent - n_words][0]
        if n_children[parent] > 1:
            names.append(("NO-LABEL",))
        elif parent == root:
            names.append(("LABEL", label))
        else:
            names.append(("UNARY", label))
            number, parent = parent, parents[parent]
        while parent in on_stack:
            n_gaps = 0
            while stack[-1 - n_gaps] != parent:
                n_gaps += 1
            if n_gaps > MAX_GAPS:
                return None
            names += [("GAP",)] * n_gaps
            names.append(("MERGE", SIDES[heads[parent] == number]))
            del stack[len(stack) - 1 - n_gaps]
            on_stack.remove(parent)
            n_children[parent] -= 1
            if n_children[parent] > 1:
                names.append(("NO-LABEL",))
            else:
                names.append(("LABEL", nodes[parent - n_words][0]))
                number, parent = parent, parents[parent]
        stack.append(parent)
        on_stack.add(parent)
    return names
