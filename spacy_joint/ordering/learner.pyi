from collections.abc import Sequence
from typing import Final

from typing_extensions import Self

from ..engine.columns import Columns
from ..engine.templates import Templates
from ..engine.weights import Weights
from .system import OrderingSystem

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
