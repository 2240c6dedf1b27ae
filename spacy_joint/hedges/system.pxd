"""Shift-reduce parsing of constituents up to a maximum span: a document is parsed directly into a sequence of hedges.

A state is a stack of constituents and the position of the next word. The stack is the result when all words are read.
Constituents are binary, built outwards from their heads (transform.py): unfinished ones have labels with an @, and are
replaced by their children if they are never finished. They have at most `max_span` words and cross no known boundary.
Kinds of actions, in the order of their numbers: SHIFT, FINISH, UNARY-X; then, for each binary category X, BINARY-X-side
and BINARY-@X-side. If there are more categories than kinds (see MAX_KINDS), the last ones share kinds.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ..trees.system cimport TreeSystem


cdef enum:
    SHIFT
    FINISH
    UNARY
    BINARY          # the first of the binary kinds

cdef enum:
    MAX_LABELS = 1024
    MAX_UNARY = 255         # fits the counter of a state
    SEGMENT_START = 2       # a constraint; 1 is the start of a sentence


cdef struct StateC:
    uint32_t stack          # link
    int32_t next            # first token not yet shifted
    uint16_t last_action, action_before     # + 1; 0: none
    uint8_t n_unary         # the number of successive UNARY actions on s0
    uint8_t finished
    uint16_t unused         # no unnamed padding, since equal states must have equal bytes


cdef class HedgeSystem(TreeSystem):
    cdef int max_span
    cdef int max_unary
    # Kinds for pairs of constituents, by the label of the one that is intermediate; 0: neither is.
    cdef uint64_t[::1] finishing, extending
