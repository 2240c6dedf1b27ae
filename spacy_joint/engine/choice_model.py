"""A conditional log-linear model that chooses one of the rows of a document, or none: see choice.pyx."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .choice import ChoiceLearner, ChoiceSystem, Chooser
from .columns import Columns
from .linear_model import LinearModel
from .weights import Weights


class ChoiceModel(LinearModel):
    """Predicts probabilities of choices, all equal before training. For instances, see `ChoiceLearner.update`.

    templates (str): The features of a row.
    columns (Sequence[str]): The names of the columns that templates can use.
    table_bits, aggressiveness: See `LinearModel`.
    """

    def __init__(self, templates: str, columns: Sequence[str], *, table_bits: int, aggressiveness: float) -> None:
        fixed = {"beam_width": 1, "min_changes": 1, "n_tables": 1, "threads": 1}
        super().__init__(table_bits=table_bits, aggressiveness=aggressiveness, **fixed)
        self.set_up(ChoiceSystem(), templates, columns)

    def choose(self, columns: Columns) -> np.ndarray:
        """Returns the probability of each row, and of choosing none (float64)."""
        with self._borrow_search() as chooser:
            return chooser.choose(self.weights, columns)

    def _make_search(self, beam_width: int) -> Chooser:
        return Chooser(self.system, self.templates)

    def _make_learner(self, weights: Weights, seed: int) -> ChoiceLearner:
        return ChoiceLearner(weights, self.system, self.templates, aggressiveness=self.aggressiveness, seed=seed)
