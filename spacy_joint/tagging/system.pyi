from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ..engine.system import System

SKIP: Final[int]

class SequenceSystem(System):
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def order(self) -> int: ...
    @property
    def with_boundaries(self) -> bool: ...
    def actions(self, tags: Sequence[str | None], starts: ArrayLike | None = None) -> NDArray[np.uint16] | None: ...
    def build(self, actions: ArrayLike) -> tuple[list[str], NDArray[np.bool_]]: ...

class TaggingSystem(SequenceSystem):
    def __new__(cls, tags: Sequence[str], order: int = 2, with_boundaries: bool = False) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
