from collections.abc import Sequence
from typing import Final

from typing_extensions import Self

from ..engine.columns import Columns
from ..engine.system import System
from ..engine.templates import Templates
from ..engine.weights import Weights

class OrderingSystem(System): ...

class Ranker:
    width: Final[int]
    def __new__(cls, system: OrderingSystem, templates: Templates, width: int) -> Self: ...
    def rank(
        self, weights: Weights, columns: Columns, n_best: int = 2, exact: bool | None = None
    ) -> list[tuple[tuple[int, ...], float]]: ...
    def score(self, weights: Weights, columns: Columns, order: Sequence[int]) -> float: ...

class OrderLearner:
    weights: Final[Weights]
    def __new__(
        cls,
        weights: Weights,
        system: OrderingSystem,
        templates: Templates,
        width: int,
        *,
        aggressiveness: float = 1.0,
        seed: int = 0,
    ) -> Self: ...
    def update(
        self, documents: Sequence[Sequence[tuple[Columns, Sequence[int]]]], dropout: float = 0.0
    ) -> dict[str, float]: ...
