"""What the systems share that build whole trees: see phrases.pxd."""

import numpy as np

from ..errors import Errors, JointValueError
from .transform import TEMPORARY

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memset

from ..engine.buckets cimport bucket
from ..engine.columns cimport FIRST
from ..engine.system cimport arena_add
from .categories cimport show_category


SIDES = ("L", "R")


cdef class PhraseSystem(System):
    """The base class of systems that build whole trees."""

    cdef int set_labels(self, unary, binary, root, int tag_column, gaps, more) except -1:
        cdef int k
        if not binary:
            raise JointValueError(Errors.J330)
        self.unary = tuple(unary)
        self.binary = tuple((label, side) for label, side in binary)
        kinds = [[] for _ in range(N_KINDS)]
        kinds[SHIFT], kinds[GAP] = [("SHIFT",)], list(gaps)
        kinds[UNARY] = [("UNARY", name) for name in self.unary if name != root]
        # Whatever has been built, this ends it.
        kinds[UNARY_ROOT], kinds[LEFT_ROOT] = [("UNARY", root)], [("BINARY", root, "L")]
        for name, side in self.binary:
            if side not in SIDES:
                raise JointValueError(Errors.J334, value=side)
            k = (LEFT, RIGHT)[SIDES.index(side)]
            k += LEFT_TEMPORARY - LEFT if name.startswith(TEMPORARY) else LEFT_ROOT - LEFT if name == root else 0
            action = ("BINARY", name, side)
            if action not in kinds[k]:
                kinds[k].append(action)
        kinds += [[action] for action in more]
        return self.set_actions(kinds, [root, *self.unary, *(label for label, _ in self.binary)], root, tag_column)

    cdef int set_actions(self, kinds, labels, root, int tag_column) except -1:
        cdef int k
        self.root, self.tag_column = root, tag_column
        self.labels = tuple(dict.fromkeys(labels))
        if len(self.labels) >= MAX_LABELS:
            raise JointValueError(Errors.J333, n=len(self.labels), most=MAX_LABELS)
        of_label = {name: number for number, name in enumerate(self.labels, start=1)}
        self.set_kinds([len(actions) for actions in kinds])
        self.numbers = {}
        self.has_actions = 0
        action_labels, action_sides = [], []
        for k, actions in enumerate(kinds):
            if actions:
                self.has_actions |= <uint64_t>1 << k
            for action in actions:
                self.numbers[action] = len(action_labels)
                action_labels.append(of_label[action[1]] if action[0] in ("UNARY", "BINARY", "LABEL") else 0)
                action_sides.append(SIDES.index(action[len(action) - 1]) if action[0] in ("BINARY", "MERGE") else 0)
        self.action_labels = np.array(action_labels, dtype=np.uint16)
        self.action_sides = np.array(action_sides, dtype=np.uint8)
        self.temporary = np.array([0, *(name.startswith(TEMPORARY) for name in self.labels)], dtype=np.uint8)
        self.root_label = of_label[root]
        self.node_size = sizeof(NodeC)
        self.n_node_links = 3
        return 0

    @property
    def actions_by_name(self):
        """The numbers of the actions, by their names (dict): see `name_actions`."""
        return dict(self.numbers)

    def number_actions(self, names):
        """The numbers of a path of named actions.

        names (Sequence[tuple] | None): The names.
        RETURNS (np.ndarray | None): The numbers (uint16); None if there are no names, or the system lacks one of them.
        """
        numbers = [self.numbers.get(name, -1) for name in names or [None]]
        return None if -1 in numbers else np.array(numbers, dtype=np.uint16)

    cdef uint64_t joining(self, const NodeC* lower, const NodeC* upper, bint is_last) noexcept nogil:
        # The unfinished one has the head. The root covers the sentence.
        cdef uint64_t kinds = 0
        if not upper.temporary:
            kinds |= 1 << LEFT | (<uint64_t>is_last << LEFT_ROOT)
        if not lower.temporary:
            kinds |= 1 << RIGHT | (<uint64_t>is_last << RIGHT_ROOT)
        return kinds

    cdef uint32_t add_word(self, ArenaC* arena, int32_t word, uint32_t below) noexcept nogil:
        cdef uint32_t number = arena_add(arena)
        cdef NodeC* new = <NodeC*>arena_node(arena, number)
        memset(new, 0, sizeof(NodeC))
        new.head = new.first = new.last = word
        new.n_words = 1
        self.put(arena, number, below)
        return number

    cdef uint32_t add_unary(self, ArenaC* arena, uint32_t child, int action) noexcept nogil:
        cdef uint32_t number = arena_add(arena)
        cdef NodeC* new = <NodeC*>arena_node(arena, number)
        new[0] = node_at(arena, child)[0]
        new.label = self.action_labels[action]
        new.temporary = 0
        new.left, new.right = child, 0
        self.put(arena, number, new.below)
        return number

    cdef uint32_t add_binary(self, ArenaC* arena, uint32_t lower, uint32_t upper, uint32_t below,
                             int action) noexcept nogil:
        cdef uint32_t number = arena_add(arena)
        cdef NodeC* new = <NodeC*>arena_node(arena, number)
        cdef const NodeC* a = node_at(arena, lower)
        cdef const NodeC* b = node_at(arena, upper)
        new[0] = b[0] if self.action_sides[action] else a[0]
        new.label = self.action_labels[action]
        new.temporary = self.temporary[new.label]
        new.first, new.last = min(a.first, b.first), max(a.last, b.last)
        new.n_words = a.n_words + b.n_words
        new.left, new.right = lower, upper
        if b.first < a.first:
            new.left, new.right = upper, lower
        new.gap_type = CONTINUOUS
        if new.last + 1 - new.first != new.n_words:
            new.gap_type = OPEN
        elif a.gap_type == OPEN or b.gap_type == OPEN:
            new.gap_type = FILLED
        self.put(arena, number, below)
        return number

    cdef void put(self, ArenaC* arena, uint32_t number, uint32_t below) noexcept nogil:
        """Puts a new constituent on the chain."""
        cdef NodeC* new = <NodeC*>arena_node(arena, number)
        cdef const NodeC* next = node_at(arena, below)
        new.below = below
        new.n_below = 1 + (next.n_below if below else 0)
        new.n_finished = (not new.temporary) + (next.n_finished if below else 0)
        new.n_rising = 0 if new.label else 1 + (next.n_rising if below and next.head < new.head else 0)

    cdef uint64_t category(self, const InputC* input, const NodeC* node) noexcept nogil:
        return show_category(input, node.label, node.head, self.tag_column)

    cdef void show(self, const InputC* input, const ArenaC* arena, const NodeC* node, uint64_t* tokens,
                   uint64_t* labels, uint64_t* sizes) noexcept nogil:
        """Fills the slots of a constituent: first and last token, children; their categories; length and gap length."""
        tokens[0], tokens[1] = FIRST + node.first, FIRST + node.last
        sizes[0] = 1 + bucket(node.n_words)
        sizes[1] = 1 + bucket(node.last + 1 - node.first - node.n_words)
        self.show_children(input, arena, node, tokens + 2, labels)

    cdef void show_children(self, const InputC* input, const ArenaC* arena, const NodeC* node, uint64_t* tokens,
                            uint64_t* labels) noexcept nogil:
        """Fills the slots of the children of a constituent: their heads and categories."""
        cdef const NodeC* child
        if node.left:
            child = node_at(arena, node.left)
            tokens[0], labels[0] = FIRST + child.head, self.category(input, child)
        if node.right:
            child = node_at(arena, node.right)
            tokens[1], labels[1] = FIRST + child.head, self.category(input, child)


def find_parents(int n_words, nodes):
    """The parents of words and nodes, of which the last, the root, has none (-1).

    n_words (int): The number of words.
    nodes (Sequence[tuple[str, int, int, int]]): The nodes above words, children first, the root last: the label, the
        children, and which of them has the head (0 or 1). Children are words, or n_words + i for node i; -1 instead of
        the second child of unary nodes.
    RETURNS (list[int]): The parent of each word and node.
    RAISES ValueError: If the nodes are not a tree (J343).
    """
    parents = [-1] * (n_words + len(nodes))
    for number, (_, first, second, _) in enumerate(nodes, start=n_words):
        for child in (first, second) if second != -1 else (first,):
            if not 0 <= child < number or parents[child] != -1:
                raise JointValueError(Errors.J343, node=number - n_words)
            parents[child] = number
    if not nodes or -1 in parents[:-1]:
        raise JointValueError(Errors.J343, node=len(nodes) - 1)
    return parents
