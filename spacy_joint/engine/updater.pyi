from typing import Final

from typing_extensions import Self

from .scorer import Scorer
from .weights import Weights

RULES: Final[tuple[str, ...]]

class Bag:
    def __new__(cls, scorer: Scorer) -> Self: ...

class Updater:
    def __new__(cls, weights: Weights, rule: str, aggressiveness: float) -> Self: ...
