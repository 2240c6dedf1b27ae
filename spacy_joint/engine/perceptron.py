"""The structured perceptron: a linear model with beam search that is trained on search errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import check_choice
from .beam import Search
from .columns import Columns
from .learner import STRATEGIES, GoldSearch, Learner
from .linear_model import LinearModel
from .stream import Stream
from .updater import RULES
from .weights import Weights


class Perceptron(LinearModel):
    """A structured perceptron. The registered architectures define the defaults of its settings.

    update_strategy (str): Which parts of the gold derivation cause updates: "greedy", "early", "max_violation", "dlaso"
        or "laso".
    rule (str): The step size of updates: "passive_aggressive" or "perceptron".
    settings (Any): See `LinearModel`.
    RAISES ValueError: If a setting is unknown or out of range.
    """

    def __init__(self, *, update_strategy: str, rule: str, **settings: Any) -> None:
        check_choice("update strategy", update_strategy, STRATEGIES)
        check_choice("update rule", rule, RULES)
        super().__init__(**settings)
        self.update_strategy = update_strategy
        self.rule = rule
        # Values added to the scores of actions in prediction, but not in training.
        self.biases: dict[int, float | tuple[Sequence[str], np.ndarray]] = {}

    def predict(self, columns: Columns) -> np.ndarray:
        """Returns the best actions that the beam finds for a document (uint16)."""
        with self._borrow_search() as search:
            return search.predict(self.weights, columns)

    def predict_all(self, columns: Columns, beam_width: int) -> list[tuple[np.ndarray, float]]:
        """Returns the derivations found by a beam, best first: actions (uint16) and scores. There may be duplicates."""
        self.finish()
        search = self._make_search(beam_width)
        # With recombination to find the best derivation, and without it to find many.
        paths = [path for recombine in (True, False) for path in search.predict_all(self.weights, columns, recombine)]
        return sorted(paths, key=lambda path: -path[1])

    def predict_while_learning(self, columns: Columns) -> np.ndarray:
        """Returns the best actions (uint16) by the first table's weights in training, which `update` searches with."""
        self._start_training()
        return GoldSearch(self.system, self.templates, self.beam_width).predict(self.weights, columns, True)

    def trace(self, columns: Columns) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Returns the best actions, and the items of the beam after each step: see `Search.trace`."""
        with self._borrow_search() as search:
            return search.trace(self.weights, columns)

    def _make_search(self, beam_width: int) -> Any:
        return Search(self.system, self.templates, beam_width, self.biases)

    def _make_learner(self, weights: Weights, seed: int) -> Any:
        return Learner(
            weights,
            self.system,
            self.templates,
            self.beam_width,
            update_strategy=self.update_strategy,
            rule=self.rule,
            aggressiveness=self.aggressiveness,
            threads=self.threads if self.n_tables == 1 else 1,
            seed=seed,
        )

    def stream(self) -> Stream:
        """Starts a search over a streamed document."""
        self.finish()
        return Stream(self.system, self.templates, self.beam_width, self.weights, self.biases)
