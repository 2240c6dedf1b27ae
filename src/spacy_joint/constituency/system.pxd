"""Shift-reduce parsing of constituents up to a maximum span: a document is parsed directly into a sequence of hedges.

A state is a stack of constituents and the position of the next word. The stack is the result when all words are read;
constituents are never combined if they have more than `max_span` words in total, or across a known boundary. The parser
therefore never guesses whether a phrase is too long: it finds out by parsing it.

Constituents are binary, built outwards from their heads (transform.py): unfinished ones have labels with an @. If one
is never finished, it is replaced by its children, as `hedge` would do. Children are kept as links for features; `build`
reconstructs the structure from the actions.

Kinds of actions, in the order of their numbers: SHIFT, FINISH, UNARY-X; then, for each binary category X, BINARY-X-side
and BINARY-@X-side. If there are more categories than kinds (see MAX_KINDS), the last ones share kinds. There is no
IDLE, since the engine pads finished items.

Discontinuous constituents would need a second link in the state, to the words swapped back in front of the buffer (as
in parsing/system.pxd), first and last tokens in nodes, and SWAP as a further kind with at most two new nodes.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport ArenaC, System


cdef enum:
    SHIFT
    FINISH
    UNARY
    BINARY          # the first of the binary kinds

cdef enum:
    MAX_LABELS = 1024
    MAX_UNARY = 255         # fits the counter of a state
    SEGMENT_START = 2       # a constraint; 1 is the start of a sentence


cdef struct NodeC:
    uint32_t below          # link: the next constituent on the stack
    uint32_t left, right    # links: the children; a single child is the left one
    int32_t head            # token
    int32_t start           # first token; the last one is just before the constituent above on the stack
    uint16_t label          # from 1; 0: a tag over a word


cdef struct StateC:
    uint32_t stack          # link
    int32_t next            # first token not yet shifted
    uint16_t last_action, action_before     # + 1; 0: none
    uint8_t n_unary         # the number of successive UNARY actions on s0
    uint8_t finished
    uint16_t unused         # no unnamed padding, since equal states must have equal bytes


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
    cdef uint64_t[::1] finishing, extending  # by label: kinds for pairs with one temporary constituent of that label
    cdef uint64_t all_finishing, all_extending

    cdef uint64_t category(self, const InputC* input, const NodeC* node) noexcept nogil
    cdef void show_children(self, const InputC* input, const ArenaC* arena, const NodeC* node, uint64_t* tokens,
                            uint64_t* labels, uint64_t* below) noexcept nogil
