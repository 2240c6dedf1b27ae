"""Chooses one row of a document, or none, by a conditional log-linear model.

The score of a row is the sum of the weights of its features, and that of choosing none is 0. Probabilities are the
softmax of the scores. For templates, the row is the token slot `it`.
"""

import numpy as np

from ..errors import Errors, JointValueError, check_range, check_value

from libc.math cimport exp, log
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from .claim cimport Claim
from .columns cimport FIRST, Columns
from .scorer cimport Scorer
from .system cimport System
from .templates cimport Templates
from .updater cimport Bag, Updater
from .weights cimport ROW_BLOCK, ChangeC, Weights


cdef enum:
    BATCH_SIZE = 16     # rows scored together


cdef class ChoiceSystem(System):
    """Names the row that may be chosen."""

    def __cinit__(self):
        self.row_width = 1
        self.set_slots("it", "")

    def __reduce__(self):
        return (ChoiceSystem, ())


cdef class Chooser:
    """Finds the probabilities of choices. Only one thread may use it at a time."""
    cdef Scorer scorer
    cdef Claim claim
    cdef vector[uint64_t] rows
    cdef vector[float] scores           # rows x ROW_BLOCK
    cdef vector[double] shares          # probabilities of all rows, and of none

    def __cinit__(self, ChoiceSystem system not None, Templates templates not None):
        templates.check(system)
        self.scorer, self.claim = Scorer(templates, BATCH_SIZE), Claim("chooser")

    def choose(self, Weights weights not None, Columns columns not None):
        """Returns the probability of each row, and of choosing none (float64)."""
        with self.claim:
            self.scorer.use(weights.prediction_table(), 1)
            self.fill(columns)
            return np.array(self.shares)

    cdef int fill(self, Columns columns) except -1:
        cdef int i, n = columns.c.n_tokens
        cdef double highest = 0, total = 0
        self.scorer.check(columns)
        self.rows.resize(n)
        self.scores.resize(max(n, 1) * ROW_BLOCK)
        self.shares.resize(n + 1)
        for i in range(n):
            self.rows[i] = FIRST + i
        self.scorer.forget()
        self.scorer.score(&columns.c, self.rows.data(), NULL, n, self.scores.data())
        for i in range(n):
            self.shares[i] = self.scores[i * ROW_BLOCK]
            highest = max(highest, self.shares[i])
        self.shares[n] = 0
        for i in range(n + 1):
            self.shares[i] = exp(self.shares[i] - highest)
            total += self.shares[i]
        for i in range(n + 1):
            self.shares[i] /= total
        return 0


cdef class ChoiceLearner:
    """Learns weights by stochastic gradient steps of size `aggressiveness` on the log-likelihood of correct choices."""
    cdef readonly Weights weights
    cdef Chooser chooser
    cdef Bag bag
    cdef Updater updater
    cdef uint64_t seed

    def __cinit__(self, Weights weights not None, ChoiceSystem system not None, Templates templates not None,
                  *, aggressiveness=1.0, seed=0):
        self.weights, self.seed = weights, seed
        self.chooser = Chooser(system, templates)
        self.bag = Bag(self.chooser.scorer)
        self.updater = Updater(weights, "perceptron", aggressiveness)

    def update(self, instances, double dropout=0.0):
        """Learns from instances: columns, and the indices of the rows that are correct choices; without any, no row is
        correct.

        dropout: The share of features dropped at random from each instance, 0..1.
        RETURNS: The total `loss`: negative log-likelihood.
        RAISES ValueError: If the dropout or an index is out of range (J030).
        """
        cdef double loss = 0
        check_range("dropout", dropout, 0, 1)
        with self.weights.claim:
            self.chooser.scorer.use(self.weights.learning_table(), 1)
            for columns, correct in instances:
                self.chooser.scorer.drop_out(dropout, self.seed, self.weights.n_updates + 1)
                loss += self._learn(columns, frozenset(correct))
                self.weights.count_update()
        return {"loss": loss}

    cdef double _learn(self, Columns columns, frozenset correct) except? -1:
        cdef vector[ChangeC] difference
        cdef int i, n
        cdef double wanted, share
        self.chooser.fill(columns)
        n = columns.c.n_tokens
        check_value("correct", sorted(correct), correct <= frozenset(range(n)), f"indices of {n} rows")
        share = sum([self.chooser.shares[i] for i in correct or (n,)])
        if not share > 0:
            raise JointValueError(Errors.J009, step=0)
        self.bag.clear()
        for i in range(n):
            wanted = self.chooser.shares[i] / share if i in correct else 0
            self.bag.count(&columns.c, &self.chooser.rows[i], 0, 0, <float>(wanted - self.chooser.shares[i]))
        self.bag.drain(difference)
        self.updater.update(difference, 1)
        return -log(share)
