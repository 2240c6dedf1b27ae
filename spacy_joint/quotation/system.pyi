from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ..engine.system import System

TOKEN_INFO: Final[tuple[str, ...]]

class QuotationSystem(System):
    neighbours: Final[bool]
    def __new__(cls, neighbours: bool = True) -> Self: ...
    def actions(self, spans: Sequence[tuple[int, int]], n_tokens: int) -> NDArray[np.uint16]: ...
    def build(self, actions: ArrayLike) -> list[tuple[int, int]]: ...
