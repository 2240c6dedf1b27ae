"""The registered architecture: a thinc `Model` around a structured perceptron or another linear model. The layer has no
parameters: a shim holds the weights. Components use the perceptron directly (`get_perceptron`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from thinc.api import Model
from thinc.shims import Shim

from ..engine.columns import Columns
from ..engine.linear_model import LinearModel
from ..engine.perceptron import Perceptron


class PerceptronShim(Shim):
    """Holds a perceptron for thinc. Its weights are already averaged, so thinc's averaging does not apply."""

    def to_bytes(self) -> bytes:
        """Saves the averaged weights."""
        return self._model.to_bytes()

    def from_bytes(self, bytes_data: bytes) -> PerceptronShim:
        """Loads averaged weights: see `LinearModel.from_bytes`."""
        self._model.from_bytes(bytes_data)
        return self


def BeamPerceptron(
    *,
    table_bits: int = 22,
    beam_width: int = 8,
    update_strategy: str = "laso",
    rule: str = "perceptron",
    aggressiveness: float = 1.0,
    min_changes: int = 4,
    n_tables: int = 1,
    threads: int = 2,
) -> Model[list[Columns], list[np.ndarray]]:
    """Makes a structured perceptron with beam search, registered as `spacy_joint.BeamPerceptron.v1`. For the settings,
    see `engine.perceptron.Perceptron` and `engine.linear_model.LinearModel`."""
    perceptron = Perceptron(
        table_bits=table_bits,
        beam_width=beam_width,
        update_strategy=update_strategy,
        rule=rule,
        aggressiveness=aggressiveness,
        min_changes=min_changes,
        n_tables=n_tables,
        threads=threads,
    )
    return make_model("beam_perceptron", perceptron)


def make_model(name: str, perceptron: LinearModel) -> Model[list[Columns], list[np.ndarray]]:
    """Makes a thinc model around a perceptron for any task."""
    return Model(name, _forward, dims={"nO": None}, shims=[PerceptronShim(perceptron)])


def get_perceptron(model: Model) -> Any:
    """Returns the perceptron of a model: a `Perceptron` if it was made by `BeamPerceptron`, else another
    `LinearModel`."""
    return model.shims[0]._model


def _forward(model: Model, documents: list[Columns], is_train: bool) -> tuple[list[np.ndarray], Callable[..., Any]]:
    # Training uses `Perceptron.update`: there are no gradients.
    return [get_perceptron(model).predict(columns) for columns in documents], lambda _: []
