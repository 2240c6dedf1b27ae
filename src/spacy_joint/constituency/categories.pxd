"""The categories of constituents and words, as templates see them."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from ..engine.columns cimport FIRST, InputC


cdef inline uint64_t show_category(const InputC* input, uint16_t label, int32_t head, int tag_column) noexcept nogil:
    """The label of a constituent; that of a word (label 0) is its tag, if the input has a column of tags."""
    if label or not 0 <= tag_column < input.n_columns:
        return label
    return input.cells[<int64_t>(FIRST + head) * input.n_columns + tag_column]
