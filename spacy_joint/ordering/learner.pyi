from collections.abc import Sequence

from ..engine.columns import Columns
from ..engine.templates import Templates
from ..engine.weights import Weights
from .system import OrderingSystem

class OrderLearner:
    @property
    def weights(self) -> Weights: ...
    def __init__(
        self,
        weights: Weights,
        system: OrderingSystem,
        templates: Templates,
        width: int,
        *,
        aggressiveness: float = 1.0,
        seed: int = 0,
    ) -> None: ...
    def update(
        self, documents: Sequence[Sequence[tuple[Columns, Sequence[int]]]], dropout: float = 0.0
    ) -> dict[str, float]: ...
