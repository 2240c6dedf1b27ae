"""The figure of merit of a symbol over the words of a cell: a measure of its best derivation and of its context.

It is the score of the derivation, plus estimates for the words to its left and right (see boundaries.py), which are
rows with a number per symbol, all 0 without a model. A `Merit` owns the buffers of one caller.
"""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector


cdef class Merit:
    cdef int32_t n_symbols
    cdef int32_t n_tags                 # the number of the end of a sentence
    cdef vector[int32_t] tag_of         # by symbol; -1: no tag
    cdef vector[float] shares           # as in the model
    cdef vector[float] left_table
    cdef vector[float] right_table
    cdef vector[float] bigrams
    cdef vector[int32_t] starts         # the tags of word k - 1: tags[starts[k] .. starts[k + 1]); 0: the end
    cdef vector[int32_t] tags
    cdef vector[float] scores           # of each, given the word
    cdef vector[float] paths            # scores of the best sequence of tags up to each, or from it
    cdef vector[int32_t] index          # by tag: where it stands in `tags`, or -1
    cdef vector[float] left_rows        # by first word and symbol
    cdef vector[float] right_rows       # by end and symbol
    cdef size_t stride                  # between rows: 0 without a model, when all are the same zeros

    # Estimates the contexts of cells. The arguments are fields of `Chart`.
    cdef int prepare(self, int32_t n, const int32_t* starts, const int32_t* tags, const double* scores) except -1 nogil
    # Finds the best sequences of tags up to a word, from those up to its neighbour. row, column: the strides in
    # `bigrams` of the neighbour's tags, and of the word's tags.
    cdef void extend(self, int32_t word, int32_t neighbour, int32_t row, int32_t column) noexcept nogil
    # Fills the row of a word: the estimate for each symbol next to it, by its best tag.
    cdef void fill_row(self, int32_t word, const float* table, float* row) noexcept nogil
