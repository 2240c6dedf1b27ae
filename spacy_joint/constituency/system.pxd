"""Shift-reduce constituents up to a maximum span: a document is parsed straight into a sequence of hedges.

A state is a stack of constituents and the place of the next word. What lies on the stack when all words are read is the
result; nothing joins constituents of together more than `max_span` words, or across a known boundary. So whether a
phrase is too long is never guessed: it is parsed, and found to be.

Constituents are binary, built outwards from their heads (transform.py): labels with an @ are those of unfinished ones.
One that is never finished dissolves into its children, as `hedge` would have it. Children are kept as links for
features; `build` replays the structure from the actions.

Kinds of actions, in the order of their numbers: SHIFT, FINISH, UNARY-X; then, for each category X that is ever joined,
BINARY-X-side and BINARY-@X-side. More categories than kinds (see MAX_KINDS) share the last ones. Instead of IDLE there
is the engine's padding of finished items.

Discontinuous constituents would need a second link in the state, to what was swapped back in front of the buffer (as in
parsing/system.pxd), first and last tokens in nodes, and SWAP as one more kind of at most two new nodes.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport ArenaC, System


cdef enum:
    SHIFT
    FINISH
    UNARY
    BINARY          # the first of its kinds

cdef enum:
    MAX_LABELS = 1024
    MAX_UNARY = 255         # what a state can count
    SEGMENT_START = 2       # a constraint; 1 is the start of a sentence


cdef struct NodeC:
    uint32_t below          # links: what is below on the stack,
    uint32_t left, right    # and the children; one child is a left one
    int32_t head            # token
    int32_t start           # first token; the last is just before what is above on the stack
    uint16_t label          # from 1; 0: a tag over a word


cdef struct StateC:
    uint32_t stack          # link
    int32_t next            # first token that was not shifted
    uint16_t last_action, action_before     # + 1; 0: none
    uint8_t n_unary         # how often s0 was extended by UNARY in a row
    uint8_t finished
    uint16_t unused         # no bytes without a name: equal states are the same bytes


cdef class HedgeSystem(System):
    cdef readonly tuple unary       # categories
    cdef readonly tuple binary      # (label, "L" | "R")
    cdef readonly tuple labels      # label of number i + 1
    cdef readonly int max_span
    cdef readonly int max_unary
    cdef readonly int tag_column
    cdef dict numbers
    cdef uint16_t[::1] action_labels
    cdef uint8_t[::1] action_heads          # 0: the left child is the head, 1: the right one
    cdef uint8_t[::1] temporary             # by label
    cdef uint64_t[::1] finishing, extending  # by label: kinds that may join it, when one of the two is temporary
    cdef uint64_t all_finishing, all_extending

    cdef uint64_t category(self, const InputC* input, const NodeC* node) noexcept nogil
    cdef void show_children(self, const InputC* input, const ArenaC* arena, const NodeC* node, uint64_t* tokens,
                            uint64_t* labels, uint64_t* below) noexcept nogil
