"""The engine's linear model with the search and the learner for orders (`system.pyx`)."""

from collections.abc import Sequence

import numpy as np
from thinc.api import Model

from ..engine.columns import Columns
from ..engine.linear_model import LinearModel
from ..engine.weights import Weights
from ..pipes.architectures import make_model
from .system import OrderLearner, Ranker


class OrderPerceptron(LinearModel):
    """A perceptron that ranks the orders of modifiers. For training, a document is a list of phrases."""

    def rank(self, columns: Columns, n_best: int = 2) -> list[tuple[tuple[int, ...], float]]:
        """Returns the best orders of a phrase: see `Ranker.rank`."""
        with self._borrow_search() as ranker:
            return ranker.rank(self.weights, columns, n_best)

    def score(self, columns: Columns, order: Sequence[int]) -> float:
        """Returns the score of one order: see `Ranker.score`."""
        with self._borrow_search() as ranker:
            return ranker.score(self.weights, columns, order)

    def predict(self, columns: Columns) -> np.ndarray:
        """Returns the best order of a phrase (uint16)."""
        return np.array(self.rank(columns, 1)[0][0], dtype=np.uint16)

    def _make_search(self, beam_width: int) -> Ranker:
        return Ranker(self.system, self.templates, beam_width)

    def _make_learner(self, weights: Weights, seed: int) -> OrderLearner:
        return OrderLearner(
            weights, self.system, self.templates, self.beam_width, aggressiveness=self.aggressiveness, seed=seed
        )


def make_order_perceptron(
    *,
    table_bits: int = 21,
    beam_width: int = 16,
    aggressiveness: float = 0.005,
    min_changes: int = 1,
    n_tables: int = 4,
) -> Model[list[Columns], list[np.ndarray]]:
    """Makes a model that orders modifiers given the columns of phrases, registered as `spacy_joint.OrderPerceptron.v1`.
    For the settings, see `engine.linear_model.LinearModel`; phrases of more than eight modifiers use the beam."""
    return make_model(
        "order_perceptron",
        OrderPerceptron(
            table_bits=table_bits,
            beam_width=beam_width,
            aggressiveness=aggressiveness,
            min_changes=min_changes,
            n_tables=n_tables,
            threads=1,
        ),
    )
