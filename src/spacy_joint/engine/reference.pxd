"""A beam search that also follows a given path, for training, which compares the two.

The path need not stay in the beam. `reference_item` is its item; its state and score continue if it has left the beam.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libcpp.vector cimport vector

from .beam cimport Search
from .columns cimport InputC


cdef class ReferenceSearch(Search):
    cdef const uint16_t* reference      # its actions, borrowed for one search
    cdef int n_reference
    cdef int reference_item             # the item of the path in the beam; -1: none
    cdef double reference_total         # its score
    cdef bint reference_final
    cdef char* reference_state
    cdef uint64_t* reference_row
    cdef vector[uint8_t] reference_parts
    cdef vector[float] reference_scores

    cdef void start_reference(self, const InputC* input, const uint16_t* actions, int n) noexcept nogil
    # Whether both the beam and the path have ended.
    cdef bint is_over(self, const InputC* input) noexcept nogil
    # One step of both. Returns 0, or -1 with an exception, or ILLEGAL if the next action of the path is not legal.
    cdef int step_reference(self, const InputC* input) except -1 nogil
    cdef float score_reference(self, const InputC* input, int action) except? -1 nogil
    # Makes the path the only item of the beam.
    cdef void return_to_reference(self) noexcept nogil


cdef enum:
    ILLEGAL = 1
