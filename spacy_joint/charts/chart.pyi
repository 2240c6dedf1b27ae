from typing import Final

from typing_extensions import Self

from .boundaries import BoundaryModel
from .grammar import Grammar

MAX_WORDS: int

class Chart:
    symbols: Final[tuple[str, ...]]
    @property
    def stats(self) -> dict[str, int]: ...
    def __new__(cls, grammar: Grammar, boundaries: BoundaryModel | None = None, max_span: int = 0) -> Self: ...
