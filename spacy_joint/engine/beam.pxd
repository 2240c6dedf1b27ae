"""Beam search over the states of a system.

A `Search` owns the buffers of one search at a time; each thread needs its own. Equal states (the same bytes) are
recombined: they have the same continuations, so only the best item is kept (Huang & Sagae 2010, but without packing
features that states do not contain). So after the end of a sentence, analyses that differ only within it share one
item. The cost of a step does not depend on the length of the document: states are copied by value (a few dozen bytes),
the arena is collected occasionally, and outputs are built from the history at the end.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from .claim cimport Claim
from .columns cimport Columns, InputC
from .scorer cimport Scorer
from .system cimport ArenaC, System
from .templates cimport Templates
from .weights cimport SelectionC, Weights


cdef enum:
    NO_ACTION = 0xFFFF      # of a final item, while others continue
    MAX_BIAS_ATOMS = 3
    STEPS_PER_CHECK = 1 << 14       # of signals


cdef struct HistoryC:
    uint16_t parent         # item of the previous step
    uint16_t action


# A table of values, which are added to the scores of an action. It is indexed by attributes of tokens, if any.
cdef struct BiasC:
    uint16_t action
    int n_atoms
    int[MAX_BIAS_ATOMS] slots
    int[MAX_BIAS_ATOMS] columns
    size_t[MAX_BIAS_ATOMS] sizes
    size_t first            # of its values


cdef class Search:
    cdef readonly System system
    cdef readonly Templates templates
    cdef readonly int width
    cdef Claim claim
    cdef bint recombines, keeps_gaps
    cdef Scorer scorer
    cdef vector[BiasC] biases
    cdef vector[float] bias_values
    cdef const SelectionC* selection

    cdef ArenaC arena
    cdef int n_items
    cdef int n_steps
    cdef vector[char] states        # width states, best first
    cdef vector[char] next_states
    cdef vector[double] totals      # scores of whole derivations
    cdef vector[uint8_t] final
    cdef vector[HistoryC] history   # n_steps x width
    cdef vector[float] gaps         # n_steps x width: the best score minus the item's

    # Continuations of the items.
    cdef vector[uint64_t] rows      # of slots
    cdef vector[float] scores       # a row of `stride` per item that is not final, in order
    cdef int stride                 # a multiple of ROW_BLOCK, at least the number of actions
    cdef vector[double] best_totals
    cdef vector[HistoryC] best
    cdef vector[float] leading      # the best continuation of each item, relative to the best item
    cdef vector[float] bounds       # the best two
    cdef vector[uint16_t] actions
    cdef int n_found                # room for continuations; when it is full, only the best are kept
    cdef vector[HistoryC] found
    cdef vector[double] found_totals
    cdef vector[uint32_t] order
    cdef vector[char*] reached

    cdef int add_bias(self, action, value) except -1
    cdef char* state(self, int item) noexcept nogil
    cdef void start(self, const InputC* input) noexcept nogil
    cdef bint all_final(self, const InputC* input) noexcept nogil
    # Fills `scores` with those of the continuations of each item.
    cdef void expand(self, const InputC* input) noexcept nogil
    # Adds the biases to the scores of the actions of a state with these slots.
    cdef void add_biases(self, const InputC* input, const uint64_t* slots, float* scores) noexcept nogil
    # Sets the scores of illegal actions to minus infinity.
    cdef void mask(self, uint64_t legal, float* scores) noexcept nogil
    # Fills best[] with the best continuations of the beam; returns their number.
    cdef int select(self) noexcept nogil
    # Adds a continuation to the n that were found; returns their new number.
    cdef int add_candidate(self, double total, int parent, int action, int n) noexcept nogil
    # Copies the best of the n continuations to best[]; returns their number.
    cdef int keep_best(self, int n) noexcept nogil
    # Makes best[] the new beam, with recombination.
    cdef int advance(self, const InputC* input, int n_best) except -1 nogil
    # Whether one of the first n next states equals `state`.
    cdef bint is_duplicate(self, const char* state, int n) noexcept nogil
    # Collects the arena if it is due, or at once; `extra` is an additional state to keep, or NULL.
    cdef int collect(self, char* extra, bint force) except -1 nogil
    cdef int step(self, const InputC* input) except -1 nogil
    cdef int run(self, const InputC* input) except -1 nogil

    # The item that continues an item of the previous step by an action; -1 if it is not in the beam.
    cdef int find_child(self, int parent, int action) noexcept nogil
    # The ancestor of an item after the first n steps.
    cdef int ancestor(self, int item, int n) noexcept nogil
    # Fills `actions` with those of steps first..last-1 on the path to `item` after the last, without NO_ACTION.
    cdef int collect_actions(self, int item, int first, int last, vector[uint16_t]& actions) except -1 nogil
    cdef copy_steps(self, int item, int first, int last)
    cdef copy_derivation(self, int item)
    # The number of initial steps that all items share.
    cdef int n_common_steps(self) except -1 nogil
    # Drops items whose first n steps differ from those of the best.
    cdef void keep_best_prefix(self, int n) noexcept nogil
    # Forgets the first n steps.
    cdef void forget_steps(self, int n) noexcept nogil
    # Renumbers the tokens of states and nodes after the first n tokens of the document are forgotten.
    cdef int rebase(self, int n) except -1 nogil

    # Searches a document, with the weights in training if `exact`.
    cdef int search(self, Weights weights, Columns columns, bint exact) except -1


# Lets Ctrl-C, or the end of a pool of threads, interrupt code that runs without the GIL: call it periodically.
cdef int check_signals() except -1 nogil
# Copies numbers to an array.
cdef to_array(const void* numbers, size_t n, dtype)
