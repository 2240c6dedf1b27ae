"""Learning weights from phrases with known orders: see `OrderLearner`.

The engine's learner compares parts of derivations, where the search loses the gold one. Phrases are short and their
search is mostly exact, so this learner compares whole orders, even if the best order is correct but its margin is too
small.
"""

from itertools import chain

from ..errors import check_range
from .system import check_order

from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from ..engine.columns cimport Columns, InputC
from ..engine.templates cimport Templates
from ..engine.updater cimport Bag, Updater
from ..engine.weights cimport ChangeC, Weights
from .system cimport MAX_EXACT, MAX_MODIFIERS, OrderingSystem, Ranker


cdef class OrderLearner:
    """Learns weights from phrases by passive-aggressive updates against the best wrong order (Crammer et al. 2006).

    The loss of an order, and so the required margin, is the share of its pairs that are in the wrong order.

    RAISES ValueError: If the beam's width is out of range, or the aggressiveness is not above 0.
    """
    cdef readonly Weights weights
    cdef Ranker ranker
    cdef Bag bag
    cdef Updater updater
    cdef uint64_t seed

    def __cinit__(self, Weights weights not None, OrderingSystem system not None, Templates templates not None, width,
                  *, aggressiveness=1.0, seed=0):
        self.weights, self.seed = weights, seed
        self.ranker = Ranker(system, templates, width)
        self.bag = Bag(self.ranker.scorer)
        self.updater = Updater(weights, "passive_aggressive", aggressiveness)

    def update(self, documents, double dropout=0.0):
        """Learns from the phrases of documents, each with its columns, and its modifiers in the order of the text.

        dropout: The share of features dropped at random from each phrase, 0..1.
        RETURNS: The total `violation`: the amount by which the required margins were missed.
        RAISES ValueError: If the dropout is out of range, or an order is not a permutation of the modifiers.
        """
        cdef double violation = 0
        cdef Columns columns
        cdef vector[int] gold
        check_range("dropout", dropout, 0, 1)
        phrases = [
            (columns, check_order(order, len(columns) - 1))
            for columns, order in chain.from_iterable(documents)
            if 3 <= len(columns) <= MAX_MODIFIERS + 1
        ]
        with self.weights.claim:
            self.ranker.scorer.use(self.weights.learning_table(), 1)
            for columns, order in phrases:
                gold = order
                self.ranker.scorer.check(columns)
                self.ranker.scorer.drop_out(dropout, self.seed, self.weights.n_updates + 1)
                violation += self._learn(&columns.c, gold.data(), columns.c.n_tokens - 1 <= MAX_EXACT)
                self.weights.count_update()
        return {"violation": violation}

    cdef double _learn(self, const InputC* input, const int* gold, bint is_exact) except? -1:
        cdef vector[int] orders
        cdef vector[double] totals
        cdef vector[ChangeC] difference
        cdef double gold_score, loss, violation, worst = 0, worst_loss = 0
        cdef int n, n_wrong, chosen = -1
        cdef size_t i
        self.ranker.fill(input)
        n = self.ranker.n
        # One of the best two orders is the best wrong one.
        self.ranker.search(is_exact, 2, orders, totals)
        gold_score = self.ranker.score_order(gold)
        for i in range(totals.size()):
            n_wrong = count_wrong_pairs(gold, &orders[i * n], n)
            if n_wrong == 0:
                continue
            loss = 2.0 * n_wrong / (n * (n - 1))
            violation = totals[i] - gold_score + loss
            if chosen == -1 or violation > worst:
                worst, worst_loss, chosen = violation, loss, <int>i
        if chosen == -1 or worst <= 0:
            return 0
        self.bag.clear()
        self.ranker.count(input, gold, self.bag, 1)
        self.ranker.count(input, &orders[chosen * n], self.bag, -1)
        self.bag.take(difference)
        self.updater.update(difference, worst_loss)
        return worst


cdef int count_wrong_pairs(const int* gold, const int* other, int n) noexcept nogil:
    cdef int[MAX_MODIFIERS] place
    cdef int i, j, n_wrong = 0
    for i in range(n):
        place[gold[i]] = i
    for i in range(n):
        for j in range(i + 1, n):
            # Identical modifiers are in the same order on both sides.
            n_wrong += place[other[i]] > place[other[j]]
    return n_wrong
