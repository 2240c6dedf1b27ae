"""Beam search over the states of a system.

A `Search` owns all buffers of one search after another: two arrays of states, an arena, and the history of which item
came from which by which action. One search at a time; one `Search` per thread.

Items whose states are the same bytes have the same future, so only the best of them stays (recombination, Huang & Sagae
2010, without their packing of what states do not show): past the end of a sentence, analyses that differ only inside it
no longer take up room in the beam.

The cost of a step does not depend on how long the document is: states are copied by value (a few dozen bytes), the
arena is collected now and then, outputs are rebuilt from the history at the end.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from .columns cimport Columns, InputC
from .scorer cimport Scorer
from .system cimport ArenaC, System
from .templates cimport Templates
from .weights cimport SelectionC, Weights


cdef enum:
    NO_ACTION = 0xFFFF      # what a final item does while others go on


cdef struct HistoryC:
    uint16_t parent         # the item of the step before
    uint16_t action


# What is added to every score of an action.
cdef struct BiasC:
    uint16_t action
    float value


cdef class Search:
    cdef readonly System system
    cdef readonly Templates templates
    cdef readonly int width
    cdef bint recombines            # whether of equal states only the best stays in the beam
    cdef bint keeps_gaps            # whether `gaps` is kept
    cdef bint in_use                # by a call of Python
    cdef Scorer scorer
    cdef vector[BiasC] biases
    cdef const SelectionC* selection

    cdef ArenaC arena
    cdef int n_items
    cdef int n_steps
    cdef char* states               # width states, best first
    cdef char* next_states
    cdef double* totals             # scores of whole paths
    cdef uint8_t* final
    cdef vector[HistoryC] history   # n_steps x width
    cdef vector[float] gaps         # n_steps x width: how far items were below the best

    # What continues the items: see `expand`.
    cdef uint64_t* rows             # of slots
    cdef float* scores              # a row of `stride` per item that is not final, in their order; in one of
    cdef float* action_scores
    cdef vector[float] candidate_scores
    cdef int stride                 # a multiple of ROW_BLOCK, at least the number of actions or candidates
    cdef vector[uint64_t] candidate_rows
    cdef vector[uint8_t] candidate_parts
    cdef vector[int] candidate_ends     # rows up to the end of each candidate; -1 for one that is not legal
    cdef vector[float] row_scores
    cdef double* best_totals
    cdef HistoryC* best
    cdef float* leading             # the best continuation of each item, relative to the best item
    cdef float* bounds              # the best two
    cdef uint16_t* actions
    cdef int n_found                # room for continuations, of which the best are kept when there are more
    cdef HistoryC* found
    cdef double* found_totals
    cdef uint32_t* order
    cdef char** reached

    cdef int enter(self) except -1
    cdef void leave(self) noexcept
    cdef char* state(self, int item) noexcept nogil
    cdef void start(self, const InputC* input) noexcept nogil
    cdef bint all_final(self, const InputC* input) noexcept nogil
    # Scores what may continue each item.
    cdef int expand(self, const InputC* input) except -1 nogil
    cdef int expand_candidates(self, const InputC* input) except -1 nogil
    # Sets the scores of actions that are not legal to minus infinity.
    cdef void mask(self, uint64_t legal, float* scores) noexcept nogil
    # Fills best[] with the best continuations of the beam; their number.
    cdef int select(self) noexcept nogil
    cdef int note(self, double total, int parent, int action, int n) noexcept nogil
    cdef int keep_best(self, int n) noexcept nogil
    # Makes best[] the beam, without what recombines.
    cdef int advance(self, const InputC* input, int n_best) except -1 nogil
    # Whether one of the first n states of the next step is the same as `state`.
    cdef bint is_among(self, const char* state, int n) noexcept nogil
    # Collects the arena when it is time to, or at once; `extra` is one more state to keep, or NULL.
    cdef int collect(self, char* extra, bint at_once) except -1 nogil
    # One step: expand, select, advance, collect.
    cdef int step(self, const InputC* input) except -1 nogil
    cdef int run(self, const InputC* input) except -1 nogil

    # The item that continues one of the step before by an action; -1: it is not in the beam.
    cdef int find_child(self, int parent, int action) noexcept nogil
    # What an item was after the first n steps.
    cdef int ancestor(self, int item, int n) noexcept nogil
    # The actions of steps first..last-1 on the path to what was `item` after them, without NO_ACTION; in order.
    cdef int path(self, int item, int first, int last, vector[uint16_t]& actions) except -1 nogil
    # The first steps that all items have in common.
    cdef int n_common_steps(self) except -1 nogil
    # Drops the items whose first n steps are not those of the best.
    cdef void keep_path_of_best(self, int n) noexcept nogil
    # Forgets the first n steps.
    cdef void forget_steps(self, int n) noexcept nogil
    # The first n tokens of the document are forgotten: states and nodes name the others by smaller numbers.
    cdef int move_back(self, int n) except -1 nogil

    cdef int load(self, Weights weights, Columns columns, bint exact) except -1
    cdef copy_path(self, int item)


# Lets Ctrl-C interrupt what runs without the GIL: to be called now and then.
cdef int check_signals() except -1 nogil
cdef to_array(vector[uint16_t]& actions)
