from collections.abc import Collection, Iterable
from typing import Final

import numpy as np
from typing_extensions import Self

from .columns import Columns
from .system import System
from .templates import Templates
from .weights import Weights

class ChoiceSystem(System): ...

class Chooser:
    def __new__(cls, system: ChoiceSystem, templates: Templates) -> Self: ...
    def choose(self, weights: Weights, columns: Columns) -> np.ndarray: ...

class ChoiceLearner:
    weights: Final[Weights]
    def __new__(
        cls, weights: Weights, system: ChoiceSystem, templates: Templates, *, aggressiveness: float = 1.0, seed: int = 0
    ) -> Self: ...
    def update(
        self, instances: Iterable[tuple[Columns, Collection[int]]], dropout: float = 0.0
    ) -> dict[str, float]: ...
