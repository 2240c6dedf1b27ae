"""A document as the engine sees it: a matrix of uint64, one row a token and one column an attribute.

Row-major, so that what templates read of one token lies together. Rows PADDING.. hold the "nothing" row, the "root" row
and then the tokens, each kept apart by PADDING rows of zeros: an atom may look up to PADDING rows to either side of
any of them without a bounds check. Zero means "nothing there". Facts are numbers of tokens that a system reads itself
and templates cannot name, such as counts from the start of the document; as many of each token as the system says.

An InputC borrows its pointers from a `Columns`, which must outlive every search over it. Read-only while searched, so
any number of threads may share one.
"""

from libc.stdint cimport int8_t, int32_t, uint64_t


cdef enum:
    PADDING = 8
    NOTHING = PADDING           # the row of a missing token
    ROOT = 2 * PADDING + 1      # the row of the artificial root
    FIRST = 3 * PADDING + 2     # the row of token 0


cdef uint64_t ROOT_VALUE        # in every column of the root


cdef struct InputC:
    const uint64_t* cells       # (FIRST + n_tokens + PADDING) x n_columns
    const int8_t* constraints   # n_tokens: what a token must (1) or must not (-1) be, as the system defines it
    const int32_t* facts        # n_tokens x n_facts
    int n_columns
    int n_facts
    int n_tokens


cdef class Columns:
    cdef readonly tuple names
    cdef uint64_t[:, ::1] cells
    cdef int8_t[::1] constraints
    cdef int32_t[:, ::1] facts
    cdef InputC c
