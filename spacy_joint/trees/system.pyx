"""The base of transition systems that build constituents: see system.pxd."""

import numpy as np

from ..errors import Errors, JointValueError, check_choice
from .transform import INTERMEDIATE

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from ..engine.columns cimport FIRST, InputC
from ..engine.system cimport ArenaC, arena_add, arena_node


SIDES = ("L", "R")


cdef class TreeSystem(System):
    """The base class of systems that build constituents."""

    cdef int set_labels(self, unary, binary, first, int limit, int tag_column) except -1:
        self.unary, self.binary = tuple(unary), tuple((label, side) for label, side in binary)
        for _, side in self.binary:
            check_choice("side of a head", side, SIDES)
        self.labels = tuple(dict.fromkeys([*first, *self.unary, *(label for label, _ in self.binary)]))
        if len(self.labels) >= limit:
            raise JointValueError(Errors.J031, n=len(self.labels), what="labels", allowed=f"fewer than {limit}")
        self.intermediate = np.array([0, *(name.startswith(INTERMEDIATE) for name in self.labels)], dtype=np.uint8)
        self.tag_column = tag_column
        return 0

    cdef int set_actions(self, kinds) except -1:
        cdef int k
        kinds = [list(dict.fromkeys(names)) for names in kinds]
        names = [name for names in kinds for name in names]
        self.set_kinds(list(map(len, kinds)))
        self.actions_by_name = {name: number for number, name in enumerate(names)}
        for k in range(self.n_kinds):
            self.has_actions |= <uint64_t>(len(kinds[k]) > 0) << k
        label_numbers = {label: number for number, label in enumerate(self.labels, start=1)}
        labels = [label_numbers[name[1]] if name[0] in ("UNARY", "BINARY") else 0 for name in names]
        self.action_labels = np.array(labels, dtype=np.uint16)
        self.node_size = sizeof(NodeC)
        self.n_node_links = 3
        self.action_sides = np.array([name[0] == "BINARY" and name[2] == SIDES[1] for name in names], dtype=np.uint8)
        return 0

    def number_actions(self, names):
        """Returns the numbers (uint16) of named actions; None if `names` is None or has actions that the system
        lacks."""
        numbers = [self.actions_by_name.get(name, -1) for name in names or ()]
        return None if names is None or -1 in numbers else np.array(numbers, dtype=np.uint16)

    cdef uint64_t category(self, const InputC* input, uint16_t label, int32_t head) noexcept nogil:
        if label or not 0 <= self.tag_column < input.n_columns:
            return label
        return input.cells[<int64_t>(FIRST + head) * input.n_columns + self.tag_column]

    cdef void fill_child_slots(self, const InputC* input, const ArenaC* arena, uint32_t number, uint64_t* tokens,
                               uint64_t* labels) noexcept nogil:
        cdef const NodeC* child
        cdef uint32_t link
        cdef int i
        for i in range(2 if number else 0):
            link = node_at(arena, number).right if i else node_at(arena, number).left
            if link:
                child = node_at(arena, link)
                tokens[i], labels[i] = FIRST + child.head, self.category(input, child.label, child.head)

    cdef uint32_t add_word(self, ArenaC* arena, int32_t word, uint32_t below) noexcept nogil:
        cdef uint32_t number = arena_add(arena)
        cdef NodeC* new = <NodeC*>arena_node(arena, number)
        memset(new, 0, sizeof(NodeC))
        new.head = new.first = new.last = word
        new.n_words = 1
        self.push(arena, number, below)
        return number

    cdef uint32_t add_unary(self, ArenaC* arena, uint32_t child, int action) noexcept nogil:
        cdef uint32_t number = arena_add(arena)
        cdef NodeC* new = <NodeC*>arena_node(arena, number)
        new[0] = node_at(arena, child)[0]
        new.label = self.action_labels[action]
        new.intermediate = 0
        new.left, new.right = child, 0
        self.push(arena, number, new.below)
        return number

    cdef uint32_t add_binary(self, ArenaC* arena, uint32_t lower, uint32_t upper, uint32_t below,
                             int action) noexcept nogil:
        cdef uint32_t number = arena_add(arena)
        cdef NodeC* new = <NodeC*>arena_node(arena, number)
        cdef const NodeC* a = node_at(arena, lower)
        cdef const NodeC* b = node_at(arena, upper)
        new[0] = b[0] if self.action_sides[action] else a[0]
        new.label = self.action_labels[action]
        new.intermediate = self.intermediate[new.label]
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
        self.push(arena, number, below)
        return number

    cdef void push(self, ArenaC* arena, uint32_t number, uint32_t below) noexcept nogil:
        cdef NodeC* new = <NodeC*>arena_node(arena, number)
        cdef const NodeC* next = node_at(arena, below)
        new.below = below
        new.n_below = 1 + (next.n_below if below else 0)
        new.n_finished = (not new.intermediate) + (next.n_finished if below else 0)
        new.n_rising = 0 if new.label else 1 + (next.n_rising if below and next.head < new.head else 0)
