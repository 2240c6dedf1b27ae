"""Orders of modifiers as sums of parts: see system.pyx. Templates name them by kind of part:

- PAIR: `a` is somewhere before `b`;
- NEIGHBOURS: `left` is just before `right`;
- PLACE: `it` is at `place` (counted from the head: 1 is next to it) and `from.left` (1 is the first), both at most
  MAX_PLACE;
- HEAD: `last` is next to `head`.

For the engine, a document is a phrase: its modifiers, and its head as the last row.
"""

from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from ..engine.claim cimport Claim
from ..engine.columns cimport Columns, InputC
from ..engine.scorer cimport Scorer
from ..engine.system cimport System
from ..engine.updater cimport Bag
from ..engine.weights cimport Weights


cdef enum:
    MAX_MODIFIERS = 64      # one bit each
    MAX_PLACE = 4
    MAX_EXACT = 8           # modifiers in an exact search

cdef enum Part:
    PAIR, NEIGHBOURS, PLACE, HEAD, N_PARTS


# A prefix of an order. Its continuations depend only on the set of placed modifiers and on the last one.
cdef struct ItemC:
    double score
    uint64_t placed
    int last                # -1: none
    int parent              # the number of the item of the previous step


# Declares the slots of parts; `Ranker` searches.
cdef class OrderingSystem(System):
    pass


# Scores all parts of the orders of a phrase, then searches orders. Only one thread may use it at a time.
cdef class Ranker:
    cdef OrderingSystem system
    cdef readonly int width             # of the beam, if there are more than MAX_EXACT modifiers
    cdef Scorer scorer
    cdef Claim claim
    cdef int n
    cdef vector[float] pairs            # n x n
    cdef vector[float] neighbours       # n x n
    cdef vector[float] places           # n x n, by distance from the head; 0 is next to it
    cdef vector[float] heads            # n
    cdef vector[uint8_t] same_before    # n x n: j < i, and they are identical
    cdef vector[uint64_t] rows
    cdef vector[uint8_t] parts
    cdef vector[float] scores
    cdef vector[ItemC] items            # of all steps

    # Sets the weights and scores the parts of a phrase.
    cdef int prepare(self, Weights weights, Columns columns) except -1
    # Adds the row of a part. i, j: two modifiers; for PLACE, a modifier and its distance from the head.
    cdef int add_row(self, int part, int i, int j) except -1 nogil
    cdef int fill(self, const InputC* input) except -1 nogil
    # Counts the features of an order.
    cdef int count(self, const InputC* input, const int* order, Bag bag, float sign) except -1 nogil
    cdef double score_order(self, const int* order) noexcept nogil
    # Writes the best orders to `orders`, best first, as rows of n modifiers, and their scores to `totals`.
    cdef int search(self, bint is_exact, int n_best, vector[int]& orders, vector[double]& totals) except -1 nogil
