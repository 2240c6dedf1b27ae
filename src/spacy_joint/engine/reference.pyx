"""A beam search that also follows a given path: see reference.pxd."""

from ..errors import Errors, JointMemoryError

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from .beam cimport NO_ACTION
from .system cimport arena_reserve
from .weights cimport ROW_BLOCK


cdef class ReferenceSearch(Search):
    """A search that also follows a given path.

    system (System), templates (Templates), width (int): See `Search`.
    """

    def __cinit__(self, system, templates, int width, biases=None):
        cdef size_t n_rows = max(self.system.max_rows, 1)
        self.reference_state = <char*>calloc(1, self.system.state_size)
        self.reference_row = <uint64_t*>calloc(n_rows * max(self.system.n_slots, 1), sizeof(uint64_t))
        if not self.reference_state or not self.reference_row:
            raise JointMemoryError(Errors.J003)
        self.reference_parts.resize(n_rows)
        self.reference_scores.resize(n_rows * max(self.stride, <int>ROW_BLOCK))
        # The path leaves the beam if other items are better, but not by recombination with an equal state: training on
        # such short stretches was no better, or worse.
        self.recombines = False

    def __dealloc__(self):
        free(self.reference_state)
        free(self.reference_row)

    cdef void start_reference(self, const InputC* input, const uint16_t* actions, int n) noexcept nogil:
        self.start(input)
        self.reference, self.n_reference = actions, n
        self.reference_item = 0
        self.reference_total = 0
        memcpy(self.reference_state, self.state(0), self.system.state_size)

    cdef bint is_over(self, const InputC* input) noexcept nogil:
        self.reference_final = self.system.is_final(input, self.reference_state)
        return self.all_final(input) and self.reference_final

    cdef int step_reference(self, const InputC* input) except -1 nogil:
        cdef int action = NO_ACTION
        cdef bint goes_on = self.n_steps < self.n_reference
        if goes_on == self.reference_final:
            return ILLEGAL
        if goes_on:
            action = self.reference[self.n_steps]
            if not self.system.is_legal(input, &self.arena, self.reference_state, action):
                return ILLEGAL
        self.expand(input)
        if goes_on:
            self.reference_total += self.score_reference(input, action)
        self.advance(input, self.select())
        if self.reference_item >= 0:
            self.reference_item = self.find_child(self.reference_item, action)
        if goes_on:
            arena_reserve(&self.arena, self.system.nodes_per_step)
            self.system.advance(input, &self.arena, self.reference_state, action)
        self.collect(self.reference_state, False)
        return 0

    cdef float score_reference(self, const InputC* input, int action) except? -1 nogil:
        cdef float total = 0
        cdef int i, n = 0
        if self.reference_item >= 0:
            # Its row exists; preceding final items have none.
            for i in range(self.reference_item):
                n += not self.final[i]
            return self.scores[n * self.stride + action]
        if not self.system.has_candidates:
            self.system.slots(input, &self.arena, self.reference_state, self.reference_row)
            self.scorer.score(input, self.reference_row, NULL, 1, self.reference_scores.data())
            return self.reference_scores[action]
        n = self.system.candidate_rows(input, &self.arena, self.reference_state, action, self.reference_row,
                                       self.reference_parts.data())
        self.scorer.score(input, self.reference_row, self.reference_parts.data(), n, self.reference_scores.data())
        for i in range(n):
            total += self.reference_scores[i * ROW_BLOCK]
        return total

    cdef void return_to_reference(self) noexcept nogil:
        memcpy(self.state(0), self.reference_state, self.system.state_size)
        self.totals[0] = self.reference_total
        self.n_items = 1
        self.reference_item = 0
