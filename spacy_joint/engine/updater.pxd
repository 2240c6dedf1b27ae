"""Updates weights along the difference of the features of two structures. A `Bag` holds the difference: `count` adds
the features of a row of slots, +1 for the gold structure and -1 for the one that the search preferred. Each thread
counts in its own bag; an `Updater` changes weights, one thread at a time."""

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
    # Moves the cells that differ, once each, to `changes`, which is overwritten, and empties the bag.
    cdef int drain(self, vector[ChangeC]& changes) except -1 nogil


cdef class Updater:
    cdef Weights weights
    cdef bint passive_aggressive
    cdef double aggressiveness

    # Moves the weights towards the gold structure, which should outscore the other one by `loss`.
    cdef void update(self, const vector[ChangeC]& difference, double loss) noexcept nogil
    # The same for all differences, which are emptied, with a loss of 1.
    cdef void update_all(self, vector[vector[ChangeC]]& differences) noexcept nogil
