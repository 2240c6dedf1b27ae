"""Beam search over the states of a system.

A `Search` owns all buffers of one search after another: two arrays of states, an arena, the history of who came from
whom by which action, and the sums of blocks of features seen lately. One search at a time; one `Search` a thread.

Items whose states are the same bytes have the same future, so only the best of them stays (recombination, Huang & Sagae
2010, without their packing of what states do not show): where sentences end, what differs within them ends to take up
room in the beam.

The cost of a step does not depend on how long the document is: states are copied by value (a few dozen bytes), the
arena is collected now and then, outputs are rebuilt from the history at the end.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from .columns cimport Columns, InputC
from .system cimport ArenaC, System
from .templates cimport FilterC, Templates
from .weights cimport TableC, Weights


cdef enum:
    MAX_ACTIONS = 4096
    NO_ACTION = 0xFFFF      # what a final item does while others go on


cdef struct HistoryC:
    uint16_t parent         # the item of the step before
    uint16_t action


# The sums of blocks, by key: direct-mapped with linear probing. A slot that was used in this step is not given away.
cdef struct SumCacheC:
    uint64_t* keys
    uint32_t* last_used     # step
    char* sums              # n_slots x padded_width elements
    uint32_t n_slots        # a power of two


# What is added to every score of an action.
cdef struct BiasC:
    uint16_t action
    float value


cdef struct MissC:
    uint32_t slot           # of the cache
    uint32_t first, n       # of offsets


cdef class Search:
    cdef readonly System system
    cdef readonly Templates templates
    cdef readonly int width
    cdef vector[BiasC] biases
    cdef TableC table
    cdef FilterC filter
    cdef ArenaC arena
    cdef SumCacheC cache
    cdef uint32_t cache_step
    cdef char* states       # (width + 1) states; the extra one is the correct state of a learner
    cdef char* next_states
    cdef double* totals     # scores of whole paths, width + 1
    cdef uint8_t* final
    cdef uint64_t* legal    # kinds, width + 1
    cdef float* scores      # (width + 1) x padded_width
    cdef int n_items
    cdef int n_steps
    cdef vector[HistoryC] history   # n_steps x width
    cdef bint recombines            # whether of equal states only the best stays in the beam
    cdef bint keeps_lags            # whether `lags` is kept
    cdef vector[float] lags         # n_steps x width: how far items were below the best
    cdef vector[uint64_t] offsets
    cdef size_t n_offsets           # in use
    cdef vector[MissC] misses
    cdef double* best_totals
    cdef HistoryC* best
    cdef void** to_collect
    cdef vector[uint32_t] used      # (width + 1) x n_blocks slots of the cache

    cdef int _run(self, Weights weights, Columns columns, bint exact) except -1
    cdef _path(self, int item)
    cdef int use_table(self, TableC table) except -1
    cdef int use_weights(self, TableC table) except -1
    cdef void forget_sums(self) noexcept nogil
    cdef void start(self, const InputC* input) noexcept nogil
    cdef char* state(self, int item) noexcept nogil
    # Scores the actions of items 0..n-1 (and of the extra one at `width` if with_extra); 0, or -1 without memory.
    cdef int score(self, const InputC* input, bint with_extra) noexcept nogil
    # Fills best[] with the best continuations of the beam; their number.
    cdef int select(self) noexcept nogil
    # Makes best[] the beam, without what recombines; 0, or -1 without memory.
    cdef int advance(self, const InputC* input, int n_best) noexcept nogil
    # Whether one of the first n states of the next step is the same as `state`.
    cdef bint is_among(self, const char* state, int n) noexcept nogil
    # The item that continues one of the step before by an action; -1: it is not in the beam.
    cdef int find_child(self, int parent, int action) noexcept nogil
    # Collects the arena when it is time to; 0, or -1 without memory.
    cdef int collect(self, bint with_extra) noexcept nogil
    # Looks for the sums of an item's blocks; what must be summed anew is noted in `misses`.
    cdef void find_sums(self, const InputC* input, const uint64_t* slots, int item) noexcept nogil
    cdef int insert_above(self, int item, int first, int end, int n_best) noexcept nogil
    cdef float least_score(self, int item, int n_best) noexcept nogil
    cdef int insert(self, double total, int parent, int action, int n_best) noexcept nogil
    cdef bint all_final(self, const InputC* input) noexcept nogil
    cdef int run(self, const InputC* input) noexcept nogil
    # The actions of steps first..last-1 on the path to what was `item` after them, without NO_ACTION; in order.
    cdef void path(self, int item, int first, int last, vector[uint16_t]& actions) noexcept nogil
