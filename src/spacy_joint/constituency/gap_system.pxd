"""Discontinuous shift-reduce after Coavoux & Crabbe (2017): the states.

A state has a stack ... s1 s0 and a deque ... d1 d0, whose newest constituent d0 is one side of every reduction. GAP
puts s0 behind the deque, so that d0 can be reduced with a constituent further down; a reduction puts what has been
jumped over back on the stack. Both are one chain, d0 -> d1 -> ... -> s0 -> s1 -> ..., in which `mid` is s0: then SHIFT,
UNARY and GAP take constant time, and a reduction copies as many constituents as there were gaps.

Kinds of actions, in the order of their numbers: SHIFT, GAP, UNARY-X, UNARY-root, and for each side X, root and @X: the
finished labels, the root, and the unfinished labels that binarisation makes. LEFT and RIGHT say whether s0 or d0 has
the head, not which of them comes first.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport ArenaC, System


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
    # The longest run of gaps in Alpino is 7.
    MAX_GAPS = 12
    MAX_LABELS = 4096


cdef struct NodeC:
    uint32_t below              # link: the next constituent of the chain
    uint32_t left, right        # links: the children, by their first words; a single child is the left one
    int32_t head, first, last   # tokens
    int32_t n_words
    int32_t n_below             # constituents from here down
    int32_t n_finished          # those of them that are not temporary
    uint16_t label              # from 1; 0: a tag over a word
    uint16_t temporary


cdef struct StateC:
    uint32_t top, mid           # links: d0 and s0
    int32_t next                # first token not yet shifted
    uint16_t last_action, action_before     # + 1; 0: none
    uint16_t n_gaps             # since the last other action
    uint16_t unused             # no unnamed padding, since equal states must have equal bytes


cdef class GapSystem(System):
    cdef readonly tuple unary       # labels
    cdef readonly tuple binary      # (label, "L" | "R")
    cdef readonly str root
    cdef readonly tuple labels      # label of number i + 1
    cdef readonly int tag_column
    cdef dict numbers
    cdef uint16_t[::1] action_labels
    cdef uint8_t[::1] action_sides  # 0: s0 has the head, 1: d0
    cdef uint8_t[::1] temporary     # by label
    cdef uint64_t has_actions       # bit k: there are actions of kind k
    cdef uint16_t root_label

    cdef void put(self, ArenaC* arena, uint32_t number, uint32_t below) noexcept nogil
    cdef uint64_t category(self, const InputC* input, const NodeC* node) noexcept nogil
    cdef void show(self, const InputC* input, const ArenaC* arena, const NodeC* node, uint64_t* tokens,
                   uint64_t* labels, uint64_t* sizes) noexcept nogil
