"""A document as seen by the engine: a matrix of uint64, with one row per token and one column per attribute.

After PADDING rows of zeros come the "nothing" row, the "root" row, and the tokens with an empty row after the last one,
each followed by PADDING rows of zeros, so that an atom can read up to PADDING rows to either side without a bounds
check. Zero means "nothing". Token info is integers that only the system reads, not templates, such as counts from
the start of the document; the system defines their number per token.

An InputC borrows its pointers from a `Columns`, which must outlive every search over it. Threads may share it, since
searches do not change it.
"""

cimport cython
from libc.stdint cimport int8_t, int32_t, uint64_t


cdef enum:
    PADDING = 8
    NOTHING = PADDING           # the row of a missing token
    ROOT = 2 * PADDING + 1      # the row of the artificial root
    FIRST = 3 * PADDING + 2     # the row of token 0


cdef uint64_t ROOT_VALUE        # in every column of the root


cdef struct InputC:
    const uint64_t* cells       # (FIRST + n_tokens + 1 + PADDING) x n_columns
    const int8_t* constraints   # n_tokens: what a token must (1) or must not (-1) be, as the system defines it
    const int32_t* token_info   # n_tokens x n_info
    int n_columns
    int n_info
    int n_tokens


# Final, since callers rely on its length.
@cython.final
cdef class Columns:
    cdef readonly tuple names
    cdef readonly uint64_t[:, ::1] cells
    cdef int8_t[::1] constraints
    cdef int32_t[:, ::1] token_info
    cdef InputC c
