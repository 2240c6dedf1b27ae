from typing_extensions import Self

from .boundaries import BoundaryModel
from .grammar import Grammar
from .merit import Merit

MAX_WORDS: int

class Chart:
    @property
    def symbols(self) -> tuple[str, ...]: ...
    @property
    def merit(self) -> Merit: ...
    @property
    def stats(self) -> dict[str, int]: ...
    @property
    def max_span(self) -> int: ...
    def __new__(cls, grammar: Grammar, boundaries: BoundaryModel | None = None, max_span: int = 0) -> Self: ...
