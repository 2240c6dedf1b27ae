from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from .chart import Chart

# The possible tags of each word, with log-probabilities.
_Words: TypeAlias = Sequence[Sequence[tuple[str, float]]]
_Derivation: TypeAlias = tuple[float, list[tuple[str, int, int]], list[str]]

class ChartParser(Chart):
    def parse(
        self, words: _Words, *, width: int = 0, widths: np.ndarray | None = None, glue: bool = False
    ) -> _Derivation: ...
    def rank_edges(self, words: _Words, nodes: Sequence[tuple[str, int, int]], *, width: int = 0) -> np.ndarray: ...
    def list_best(self, words: _Words, k: int, *, width: int = 0) -> list[_Derivation]: ...
    def sum_derivations(
        self, words: _Words, *, width: int = 0, widths: np.ndarray | None = None, min_probability: float = 0.001
    ) -> tuple[float, list[tuple[str, int, int, float]], list[dict[str, float]]]: ...
