"""What the systems share that build whole trees: constituents, actions and labels, and what templates see of them.

Constituents are on a chain, of which the newest is at the top. Kinds of actions, in the order of their numbers: SHIFT,
GAP, UNARY-X, UNARY-root, and for each side X, root and @X: the finished labels, the root, and the unfinished labels
that binarisation makes. LEFT and RIGHT say which of two constituents has the head, the lower or the upper one on the
chain. A system may lack kinds, and add its own.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport ArenaC, System, arena_node


cdef enum:
    SHIFT
    GAP
    UNARY
    UNARY_ROOT
    LEFT
    LEFT_ROOT
    LEFT_TEMPORARY
    RIGHT
    RIGHT_ROOT
    RIGHT_TEMPORARY
    N_KINDS

cdef enum:
    MAX_LABELS = 4096

cdef enum:
    # Gap types: whether a constituent has a gap, or a child with a gap that it fills.
    CONTINUOUS
    OPEN
    FILLED


cdef struct NodeC:
    uint32_t below              # link: the next constituent of the chain
    uint32_t left, right        # links: the children, by their first words; a single child is the left one
    int32_t head, first, last   # tokens
    int32_t n_words
    int32_t n_below             # constituents from here down
    int32_t n_finished          # those of them that are not temporary
    int32_t n_rising            # words from here down, each without a label and after the next one; 0 for constituents
    uint16_t label              # from 1; 0: a tag over a word
    uint8_t temporary
    uint8_t gap_type


cdef inline const NodeC* node_at(const ArenaC* arena, uint32_t number) noexcept nogil:
    return <const NodeC*>arena_node(arena, number)


cdef class PhraseSystem(System):
    cdef readonly tuple unary       # labels
    cdef readonly tuple binary      # (label, "L" | "R")
    cdef readonly str root
    cdef readonly tuple labels      # label of number i + 1
    cdef readonly int tag_column
    cdef dict numbers
    cdef uint16_t[::1] action_labels
    cdef uint8_t[::1] action_sides  # 0: the lower constituent has the head, 1: the upper one
    cdef uint8_t[::1] temporary     # by label
    cdef uint64_t has_actions       # bit k: there are actions of kind k
    cdef uint16_t root_label

    # Numbers the actions. `gaps` are the names of kind GAP, `more` those of further kinds of one action each.
    cdef int set_labels(self, unary, binary, root, int tag_column, gaps, more) except -1
    # The same for a list of names per kind.
    cdef int set_actions(self, kinds, labels, root, int tag_column) except -1
    # The joining kinds for constituents on top of each other, of which one at most is unfinished.
    cdef uint64_t joining(self, const NodeC* lower, const NodeC* upper, bint is_last) noexcept nogil

    # Each adds a constituent on top of `below`, and returns its number.
    cdef uint32_t add_word(self, ArenaC* arena, int32_t word, uint32_t below) noexcept nogil
    cdef uint32_t add_unary(self, ArenaC* arena, uint32_t child, int action) noexcept nogil
    cdef uint32_t add_binary(self, ArenaC* arena, uint32_t lower, uint32_t upper, uint32_t below,
                             int action) noexcept nogil
    cdef void put(self, ArenaC* arena, uint32_t number, uint32_t below) noexcept nogil

    # Values of slots.
    cdef uint64_t category(self, const InputC* input, const NodeC* node) noexcept nogil
    cdef void show(self, const InputC* input, const ArenaC* arena, const NodeC* node, uint64_t* tokens,
                   uint64_t* labels, uint64_t* sizes) noexcept nogil
    cdef void show_children(self, const InputC* input, const ArenaC* arena, const NodeC* node, uint64_t* tokens,
                            uint64_t* labels) noexcept nogil
