"""Updates of weights along the difference of two bags of features. Knows nothing of searches.

A `Bag` holds the difference of two structures: `count` adds the features of a row of slots, +1 for the gold structure
and -1 for the one that was preferred to it; `take` hands out the cells in which they differ. Any number of threads may
count, each in a bag of its own; an `Updater` changes weights, one thread at a time.
"""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from .columns cimport InputC
from .scorer cimport Scorer
from .weights cimport ChangeC, Weights


cdef class Bag:
    cdef Scorer scorer                  # whose features count: those that dropout leaves
    cdef vector[ChangeC] cells          # by open addressing, a power of two of them
    cdef size_t n

    cdef int clear(self) except -1 nogil
    cdef int count(self, const InputC* input, const uint64_t* row, int part, int action, float sign) except -1 nogil
    cdef int add(self, uint32_t cell, uint32_t feature, float value) except -1 nogil
    cdef ChangeC* find(self, uint32_t cell) noexcept nogil
    # The cells that differ, at most once each. The bag is empty from then on.
    cdef int take(self, vector[ChangeC]& changes) except -1 nogil


cdef class Updater:
    cdef readonly Weights weights
    cdef readonly bint passive_aggressive
    cdef readonly double aggressiveness

    # Moves the weights so that the right structure gains on the other, which should score less by `loss`.
    cdef void update(self, const vector[ChangeC]& difference, double loss) noexcept nogil
