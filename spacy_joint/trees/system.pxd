"""The base of transition systems that build constituents: constituents, labels, actions and slots.

Constituents are on a chain with the newest at the top. A new one replaces its one or two children on the chain, the
lower and the upper one. Actions are named by tuples: a kind, the label of the constituent that they build, and for two
children the side of the one with the head: "L" (the lower one) or "R".
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from ..engine.columns cimport NOTHING, InputC
from ..engine.system cimport ArenaC, System, arena_node


cdef enum:
    # Gap types: whether a constituent has a gap, or a child with a gap that it fills.
    CONTINUOUS, OPEN, FILLED


cdef struct NodeC:
    uint32_t below              # link: the next constituent of the chain
    uint32_t left, right        # links: the children, by their first words; a single child is the left one
    int32_t head, first, last   # tokens
    int32_t n_words
    int32_t n_below             # constituents from here down
    int32_t n_finished          # the same without intermediate ones
    int32_t n_rising            # adjacent words of the chain from here down, in descending order; 0 for constituents
    uint16_t label              # from 1; 0: a tag over a word
    uint8_t intermediate
    uint8_t gap_type


cdef inline const NodeC* node_at(const ArenaC* arena, uint32_t number) noexcept nogil:
    return <const NodeC*>arena_node(arena, number)


cdef inline void clear_slots(uint64_t* slots, int n_tokens, int n_slots) noexcept nogil:
    """Empties all slots; those of tokens come first."""
    cdef int i
    memset(slots, 0, n_slots * sizeof(uint64_t))
    for i in range(n_tokens):
        slots[i] = NOTHING


cdef class TreeSystem(System):
    cdef readonly tuple unary       # labels
    cdef readonly tuple binary      # (label, "L" | "R")
    cdef readonly tuple labels      # label of number i + 1
    cdef readonly int tag_column
    cdef readonly dict actions_by_name  # numbers
    cdef uint16_t[::1] action_labels    # 0: builds no constituent
    cdef uint8_t[::1] action_sides  # which child has the head, 0: the lower one ("L"), 1: the upper one ("R")
    cdef uint8_t[::1] intermediate     # by label
    cdef uint64_t has_actions       # bit k: there are actions of kind k

    # Numbers the labels: those in `first`, then those of unary and binary constituents.
    cdef int set_labels(self, unary, binary, first, int limit, int tag_column) except -1
    # Numbers the actions, a list per kind, without repetitions.
    cdef int set_actions(self, kinds) except -1
    # The label of a constituent; that of a word (label 0) is its tag, if the input has a column of tags.
    cdef uint64_t category(self, const InputC* input, uint16_t label, int32_t head) noexcept nogil
    # Fills the slots of the children of a constituent (0: none): their heads and categories.
    cdef void fill_child_slots(self, const InputC* input, const ArenaC* arena, uint32_t number, uint64_t* tokens,
                               uint64_t* labels) noexcept nogil

    # Each adds a constituent on top of `below`, and returns its number.
    cdef uint32_t add_word(self, ArenaC* arena, int32_t word, uint32_t below) noexcept nogil
    cdef uint32_t add_unary(self, ArenaC* arena, uint32_t child, int action) noexcept nogil
    cdef uint32_t add_binary(self, ArenaC* arena, uint32_t lower, uint32_t upper, uint32_t below,
                             int action) noexcept nogil
    # Puts a new constituent on top of `below`.
    cdef void push(self, ArenaC* arena, uint32_t number, uint32_t below) noexcept nogil
