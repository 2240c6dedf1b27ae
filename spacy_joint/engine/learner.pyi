from collections.abc import Iterable
from typing import Final

from numpy.typing import ArrayLike
from typing_extensions import Self

from .beam import Search
from .columns import Columns
from .system import System
from .templates import Templates
from .weights import Weights

STRATEGIES: Final[tuple[str, ...]]

class Instance:
    columns: Final[Columns]
    n_actions: Final[int]
    def __new__(cls, columns: Columns, actions: ArrayLike, update_weight: ArrayLike | None = None) -> Self: ...

class GoldSearch(Search): ...

class Learner:
    weights: Final[Weights]
    def __new__(
        cls,
        weights: Weights,
        system: System,
        templates: Templates,
        width: int,
        *,
        update_strategy: str = "dlaso",
        rule: str = "passive_aggressive",
        aggressiveness: float = 1.0,
        threads: int = 1,
        seed: int = 0,
    ) -> Self: ...
    def update(self, instances: Iterable[Instance], dropout: float = 0.0) -> dict[str, float]: ...
