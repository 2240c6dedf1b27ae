"""Learning of weights from phrases whose order is known: see `OrderLearner`.

The engine's learner compares stretches of paths, where the search left the correct one. A phrase is short and its
search mostly exact, so here whole orders are compared, also where the best is right but not by its margin.
"""

from itertools import chain

from ..errors import Errors

from libc.stdint cimport uint32_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from ..engine.columns cimport Columns, InputC
from ..engine.weights cimport ChangeC, Weights
from .system cimport MOST_MODIFIERS, Scores, width_for


cdef class OrderLearner:
    """Learns weights from phrases by passive-aggressive updates against the best wrong order (Crammer et al. 2006).

    An order is wrong by the share of its pairs that are, which is the margin it should be behind by.

    weights (Weights): Changed in place.
    system (OrderingSystem), templates (Templates), width (int): As for `Ranker`.
    aggressiveness (float): The longest step.
    seed (int): Decides which features dropout leaves out.
    """
    cdef readonly Weights weights
    cdef Scores scores
    cdef int width
    cdef double aggressiveness
    cdef uint64_t seed

    def __init__(self, Weights weights not None, system, templates, int width, *, aggressiveness=1.0, seed=0):
        if not aggressiveness > 0:
            raise ValueError(Errors.J041.format(value=aggressiveness))
        self.weights, self.width, self.aggressiveness, self.seed = weights, width, aggressiveness, seed
        self.scores = Scores(system, templates)

    def update(self, documents, double dropout=0.0):
        """Learns from the phrases of documents one after another.

        documents (Sequence[Sequence[tuple[Columns, Sequence[int]]]]): Of each phrase the columns, and the places of the
            modifiers in the text.
        dropout (float): The share of features to leave out, others for each phrase, 0..1.
        RETURNS (dict): The sum of the `violation`: by how much the best wrong order was not far enough behind.
        RAISES ValueError: If the dropout is out of range.
        """
        cdef double violation = 0
        cdef Columns columns
        cdef vector[int] gold
        if not 0 <= dropout <= 1:
            raise ValueError(Errors.J044.format(value=dropout))
        self.scores.table = self.weights.learning_table()
        self.scores.filter.kept = NULL
        self.scores.filter.threshold = <uint64_t>(min(dropout, 1 - 2.0**-53) * 18446744073709551616.0)
        for columns, order in chain.from_iterable(documents):
            gold = order
            if columns.c.n_tokens - 1 > MOST_MODIFIERS or columns.c.n_tokens < 3:
                continue
            self.scores.filter.seed = (
                (<uint64_t>(self.weights.n_updates + 1) + (self.seed << 32)) * <uint64_t>0x9E3779B97F4A7C15
            )
            violation += self._learn(&columns.c, gold.data(), width_for(columns.c.n_tokens - 1, self.width))
            self.weights.count_update()
        return {"violation": violation}

    cdef double _learn(self, const InputC* input, const int* gold, int width):
        cdef vector[int] orders
        cdef vector[double] totals
        cdef vector[uint64_t] ours, theirs
        cdef vector[ChangeC] changes
        cdef ChangeC change
        cdef double gold_score, violation, step, worst = 0, norm = 0
        cdef int n, wrong_pairs, chosen = -1
        cdef size_t i, j
        self.scores.fill(input)
        n = self.scores.n
        # The best two hold the best wrong one.
        self.scores.search(width, 2, orders, totals)
        gold_score = self.scores.score_order(gold)
        for i in range(totals.size()):
            wrong_pairs = self._count_wrong(gold, &orders[i * n], n)
            if wrong_pairs == 0:
                continue
            violation = totals[i] - gold_score + 2.0 * wrong_pairs / (n * (n - 1))
            if chosen == -1 or violation > worst:
                worst, chosen = violation, <int>i
        if chosen == -1 or worst <= 0:
            return 0
        self.scores.add_features(input, gold, ours)
        self.scores.add_features(input, &orders[chosen * n], theirs)
        sort(ours.begin(), ours.end())
        sort(theirs.begin(), theirs.end())
        # The difference of two sorted lists, cell by cell.
        i = j = 0
        while i < ours.size() or j < theirs.size():
            if j == theirs.size() or (i < ours.size() and ours[i] < theirs[j]):
                self._add(<uint32_t>ours[i], 1, changes)
                i += 1
            elif i == ours.size() or theirs[j] < ours[i]:
                self._add(<uint32_t>theirs[j], -1, changes)
                j += 1
            else:
                i += 1
                j += 1
        for change in changes:
            norm += <double>change.value * change.value
        if norm > 0:
            step = min(self.aggressiveness, worst / norm)
            self.weights.add(changes.data(), changes.size(), step)
        return worst

    cdef void _add(self, uint32_t cell, float value, vector[ChangeC]& changes) noexcept:
        cdef ChangeC change
        if not changes.empty() and changes.back().cell == cell:
            changes.back().value += value
        else:
            # A row has one cell: the feature's own.
            change.cell = change.feature = cell
            change.value = value
            changes.push_back(change)

    cdef int _count_wrong(self, const int* gold, const int* other, int n) noexcept:
        cdef int[MOST_MODIFIERS] place
        cdef int i, j, wrong = 0
        for i in range(n):
            place[gold[i]] = i
        for i in range(n):
            for j in range(i + 1, n):
                # Twins are in their one order on both sides.
                wrong += place[other[i]] > place[other[j]]
        return wrong
