"""Updates of weights along the difference of two bags of features, independently of searches.

A `Bag` holds the difference of two structures: `count` adds the features of a row of slots, +1 for the gold structure
and -1 for the preferred one; `take` returns the cells in which they differ. Any number of threads may count, each in
its own bag; an `Updater` changes weights, one thread at a time.
"""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from .columns cimport InputC
from .scorer cimport Scorer
from .weights cimport ChangeC, Weights


cdef class Bag:
    cdef Scorer scorer                  # determines the features that are not dropped
    cdef vector[ChangeC] cells          # open addressing; the size is a power of two
    cdef size_t n

    cdef int clear(self) except -1 nogil
    cdef int count(self, const InputC* input, const uint64_t* row, int part, int action, float sign) except -1 nogil
    cdef int add(self, uint32_t cell, uint32_t feature, float value) except -1 nogil
    cdef ChangeC* find(self, uint32_t cell) noexcept nogil
    # The cells that differ, at most once each. This empties the bag.
    cdef int take(self, vector[ChangeC]& changes) except -1 nogil


cdef class Updater:
    cdef readonly Weights weights
    cdef readonly bint passive_aggressive
    cdef readonly double aggressiveness

    # Moves the weights towards the gold structure, which should outscore the other one by `loss`.
    cdef void update(self, const vector[ChangeC]& difference, double loss) noexcept nogil
