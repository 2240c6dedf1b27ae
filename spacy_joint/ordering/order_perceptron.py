"""The engine's perceptron with the search and the learner of orders (`system.pyx`, `learner.pyx`) in place of the beam
over states. Tables, averaging, finishing and files are the engine's. Registered as `spacy_joint.OrderPerceptron.v1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from thinc.api import Model

from ..architectures import make_model
from ..engine.columns import Columns
from ..engine.perceptron import MOST_TABLES, Perceptron
from .learner import OrderLearner
from .system import Ranker

# A phrase to learn from: its columns, and the places of its modifiers in the text.
PhraseInstance = tuple[Columns, Sequence[int]]


class OrderPerceptron(Perceptron):
    """A perceptron that ranks the orders of modifiers. Settings are those of `Perceptron`."""

    _order_learners: list[OrderLearner]
    _idle_rankers: list[Ranker]

    def rank(self, columns: Columns, n_best: int = 2) -> list[tuple[tuple[int, ...], float]]:
        """The best orders of a phrase: see `Ranker.rank`."""
        self.finish()
        # Lists append and pop atomically, so threads share the idle rankers without a lock.
        try:
            ranker = self._idle_rankers.pop()
        except IndexError:
            ranker = Ranker(self.system, self.templates, self.beam_width)
        ranked = ranker.rank(self.weights, columns, n_best)
        self._idle_rankers.append(ranker)
        return ranked

    def score(self, columns: Columns, order: Sequence[int]) -> float:
        """The score of one order."""
        self.finish()
        return Ranker(self.system, self.templates, self.beam_width).score(self.weights, columns, order)

    def predict(self, columns: Columns) -> np.ndarray:
        """The best order of a phrase (uint16)."""
        return np.array(self.rank(columns, 1)[0][0], dtype=np.uint16)

    def update(  # type: ignore[override]  # of phrases
        self, instances: Sequence[Sequence[PhraseInstance]], dropout: float = 0.0
    ) -> dict[str, float]:
        """Learns from documents, each a list of phrases. The violation is that of the first table."""
        if not self._order_learners:
            self._learn()
            self._order_learners = [
                OrderLearner(
                    weights,
                    self.system,
                    self.templates,
                    self.beam_width,
                    aggressiveness=self.aggressiveness,
                    seed=self.seed * MOST_TABLES + i,
                )
                for i, weights in enumerate([self.weights, *self._others])
            ]
        self._unfinished = True
        phrases = list(chain.from_iterable(instances))
        # Only features that are left out tell tables apart.
        violations = [learner.update(phrases, dropout) for learner in self._order_learners]
        return {"violation": violations[0]}

    def _forget_idle(self) -> None:
        super()._forget_idle()
        self._idle_rankers = []

    def _forget_searches(self) -> None:
        super()._forget_searches()
        self._order_learners = []

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "_order_learners": [], "_idle_rankers": []}


def make_order_perceptron(
    *,
    table_bits: int = 21,
    beam_width: int = 16,
    aggressiveness: float = 0.01,
    min_met: int = 1,
    n_tables: int = 1,
) -> Model[list[Columns], list[np.ndarray]]:
    """A perceptron over orders, registered as `spacy_joint.OrderPerceptron.v1`.

    table_bits (int): Base-2 logarithm of the number of weights; a byte each in a finished model, eight in training.
    beam_width (int): States to keep of each step, for phrases of more than eight modifiers.
    aggressiveness (float): The longest step of an update.
    min_met (int): How often a feature must have been learnt from to take part in predictions: rarer ones are pruned.
    n_tables (int): Weight tables that learn side by side, each with other features left out by dropout, and are
        averaged for prediction.
    RETURNS (Model): From the columns of phrases to orders.
    """
    return make_model(
        OrderPerceptron(
            table_bits=table_bits,
            beam_width=beam_width,
            aggressiveness=aggressiveness,
            min_met=min_met,
            n_tables=n_tables,
        )
    )
