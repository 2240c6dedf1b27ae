"""Orders of modifiers as sums of parts: see system.pyx. What templates may name, by the part that they describe:

- PAIR: `a` stands somewhere before `b`;
- NEIGHBOURS: `left` stands just before `right`;
- PLACE: `it` stands at `place` (from the head: 1 is next to it) and `from.left` (1 is the first), both up to
  MOST_PLACE;
- HEAD: `last` stands next to `head`.

A block of templates reads the slots of one part only. A document of the engine is a phrase: its modifiers, and its head
as the last row. `Scores` and the searches over it belong to one thread at a time.
"""

from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from ..engine.columns cimport InputC
from ..engine.system cimport System
from ..engine.templates cimport FilterC, Templates
from ..engine.weights cimport TableC


cdef enum:
    MOST_MODIFIERS = 64     # a bit each
    MOST_PLACE = 4
    MOST_EXACT = 8

cdef enum Part:
    PAIR
    NEIGHBOURS
    PLACE
    HEAD
    N_PARTS


# A prefix of an order: all that the rest of the search depends on are the set that is placed and its last member.
cdef struct ItemC:
    double score
    uint64_t placed
    int last
    int parent              # item of the step before


cdef class OrderingSystem(System):
    pass


cdef class Scores:
    cdef readonly OrderingSystem system
    cdef readonly Templates templates
    cdef vector[int] blocks_of_part[N_PARTS]
    cdef TableC table
    cdef FilterC filter
    cdef int n
    cdef vector[float] pairs            # n x n
    cdef vector[float] neighbours       # n x n
    cdef vector[float] places           # n x n: at place p from the head, 0 being next to it
    cdef vector[float] heads            # n
    cdef vector[uint8_t] same_before    # n x n: j < i, and nobody can tell them apart
    cdef vector[ItemC] items            # of all steps
    cdef vector[size_t] steps           # where each begins

    cdef void fill(self, const InputC* input) noexcept nogil
    cdef void fill_slots(self, int part, int i, int j, uint64_t* slots) noexcept nogil
    cdef float score_part(self, const InputC* input, int part, int i, int j) noexcept nogil
    # Features of an order are added to `hashes`.
    cdef void add_features(self, const InputC* input, const int* order, vector[uint64_t]& hashes) noexcept nogil
    cdef void add_part(self, const InputC* input, int part, int i, int j, vector[uint64_t]& hashes) noexcept nogil
    cdef double score_order(self, const int* order) noexcept nogil
    # The best orders, best first, as rows of n modifiers each.
    cdef void search(self, int width, int n_best, vector[int]& orders, vector[double]& totals) noexcept nogil


# How many states to keep of each step; 0: all, where there are few modifiers.
cdef int width_for(int n, int width) noexcept
