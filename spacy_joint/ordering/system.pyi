from collections.abc import Sequence
from typing import Any

from typing_extensions import Self

from ..engine.columns import Columns
from ..engine.system import System
from ..engine.templates import Templates
from ..engine.weights import Weights

class OrderingSystem(System):
    def __new__(cls) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class Ranker:
    @property
    def width(self) -> int: ...
    def __new__(cls, system: OrderingSystem, templates: Templates, width: int) -> Self: ...
    def rank(
        self, weights: Weights, columns: Columns, n_best: int = 2, exact: bool | None = None
    ) -> list[tuple[tuple[int, ...], float]]: ...
    def score(self, weights: Weights, columns: Columns, order: Sequence[int]) -> float: ...
