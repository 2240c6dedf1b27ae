from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ..engine.system import System

SKIP: Final[int]

class SequenceSystem(System):
    tags: Final[tuple[str, ...]]
    order: Final[int]
    with_boundaries: Final[bool]
    def actions(self, tags: Sequence[str | None], starts: ArrayLike | None = None) -> NDArray[np.uint16] | None: ...
    def build(self, actions: ArrayLike) -> tuple[list[str], NDArray[np.bool_]]: ...

class TaggingSystem(SequenceSystem):
    def __new__(cls, tags: Sequence[str], order: int = 2, with_boundaries: bool = False) -> Self: ...
