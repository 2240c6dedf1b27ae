from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from typing_extensions import Self

from .columns import Columns
from .system import System
from .templates import Templates
from .weights import Weights

class ChoiceSystem(System):
    def __new__(cls) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class Chooser:
    def __new__(cls, system: ChoiceSystem, templates: Templates) -> Self: ...
    def choose(self, weights: Weights, columns: Columns) -> np.ndarray: ...

class ChoiceLearner:
    @property
    def weights(self) -> Weights: ...
    def __new__(
        cls, weights: Weights, system: ChoiceSystem, templates: Templates, *, aggressiveness: float = 1.0, seed: int = 0
    ) -> Self: ...
    def update(
        self, instances: Iterable[tuple[Columns, Collection[int]]], dropout: float = 0.0
    ) -> dict[str, float]: ...
