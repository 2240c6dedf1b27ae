from collections.abc import Sequence

import numpy as np
from typing_extensions import Self

from .boundaries import BoundaryModel
from .grammar import Grammar
from .merit import Merit

class ChartParser:
    @property
    def symbols(self) -> tuple[str, ...]: ...
    @property
    def merit(self) -> Merit: ...
    @property
    def stats(self) -> dict[str, int]: ...
    def __new__(cls, grammar: Grammar, boundaries: BoundaryModel | None = None) -> Self: ...
    def parse(
        self, words: Sequence[Sequence[tuple[str, float]]], *, width: int = 0, widths: np.ndarray | None = None
    ) -> tuple[float, list[tuple[str, int, int]]]: ...
    def rank_edges(
        self,
        words: Sequence[Sequence[tuple[str, float]]],
        nodes: Sequence[tuple[str, int, int]],
        *,
        width: int = 0,
        widths: np.ndarray | None = None,
    ) -> np.ndarray: ...
