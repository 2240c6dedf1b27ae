from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ..engine.system import System

SKIP: Final[int]
JOIN: Final[int]

class SegmentationSystem(System):
    def __new__(cls) -> Self: ...
    def actions(
        self, begins: NDArray[np.bool_], ends: NDArray[np.bool_], constraints: NDArray[np.int8]
    ) -> NDArray[np.uint16]: ...
    def build(self, actions: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]: ...
