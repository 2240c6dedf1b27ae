from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .phrases import PhraseSystem

MOVES: Final[dict[str, str]]
MARKS: Final[tuple[str, ...]]

class SwapSystem(PhraseSystem):
    @property
    def kind(self) -> str: ...
    @property
    def distances(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        unary: Sequence[str],
        binary: Sequence[Sequence[str]],
        root: str,
        tag_column: int = -1,
        distances: Sequence[int] = (),
        kind: str = "swap",
    ) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def actions(self, n_words: int, nodes: Sequence[tuple[str, int, int, int]]) -> NDArray[np.uint16] | None: ...
    def build(self, actions: ArrayLike, n_words: int) -> list[tuple[str, int, int]]: ...

def name_actions(
    n_words: int, nodes: Sequence[tuple[str, int, int, int]], kind: str = "swap"
) -> list[tuple[str | int, ...]] | None: ...
