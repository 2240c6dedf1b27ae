"""A linear classifier of the cells of a chart, which predicts where the chart needs no work.

The cell (i, j) covers the words i to j - 1. Features (Bodenstab, Dunlop, Hall & Roark 2011) are the words, signatures
and tags around both ends, and the length, absolute and relative to the sentence. Nearly all depend on one end, so their
weights are added up once per boundary, for cells that begin there and for cells that end there.

Classes are ordered. Output k of C - 1 tells classes above k from the others; the class of a cell is the least k whose
output is not above 0. The row of a feature has a weight per output, and then, of features of one end, one per output of
cells that end there. Features are hashed; colliding ones share a row. A classifier is for one thread at a time.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from ..engine.claim cimport Claim


cdef class CellClassifier:
    cdef readonly int n_classes
    cdef readonly int table_bits
    cdef readonly dict tags
    cdef readonly object biases         # added to outputs: float32
    cdef readonly object weights        # rows x (2 x outputs), float32: first hashed features, then those of lengths
    cdef object total                   # sum of changes, each times its sentence number; None if not learning
    cdef float[::1] _biases
    cdef float[:, ::1] _weights
    cdef float[:, ::1] _total
    cdef long long n_seen               # sentences learnt from
    cdef int n_outputs
    cdef dict known                     # words: their hashed atoms
    cdef int32_t n                      # words of the current sentence
    cdef vector[uint64_t] atoms         # of its words, with two more before and after it
    cdef vector[uint32_t] rows          # of the features of its boundaries
    cdef vector[float] ends             # their sums: boundaries x (2 x outputs)
    cdef vector[float] lengths          # of lengths: (n + 1) x outputs
    cdef Claim claim

    # Reads a sentence, and finds the rows and the sums of its boundaries and lengths.
    cdef int read(self, list words) except -1
    cdef int correct(self, const int32_t[:, ::1] wanted, float cost) except -1
    cdef int add_up(self) except -1 nogil
    # The row of a feature of both ends.
    cdef uint32_t find_pair(self, int feature, int32_t i, int32_t j) noexcept nogil
    cdef float compute(self, int output, int32_t i, int32_t j) noexcept nogil
    cdef void change(self, size_t row, int column, float step) noexcept nogil
