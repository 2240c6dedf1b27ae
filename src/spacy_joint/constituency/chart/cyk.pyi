from collections.abc import Sequence

from typing_extensions import Self

from .grammar import Grammar

class ChartParser:
    @property
    def symbols(self) -> tuple[str, ...]: ...
    def __new__(cls, grammar: Grammar) -> Self: ...
    def parse(self, words: Sequence[Sequence[tuple[str, float]]]) -> tuple[float, list[tuple[str, int, int]]]: ...
