from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ..engine.system import System

ENDS: Final[int]
KEEPS_CASE: Final[int]
KEEPS_MARK: Final[int]

class RestoringSystem(System):
    cases: Final[tuple[str, ...]]
    inside: Final[tuple[str, ...]]
    final: Final[tuple[str, ...]]
    def __new__(cls, cases: Sequence[str], inside: Sequence[str], final: Sequence[str]) -> Self: ...
    def actions(
        self, constraints: ArrayLike, cases: Sequence[str | None], marks: Sequence[str | None]
    ) -> NDArray[np.uint16]: ...
    def build(self, constraints: ArrayLike, actions: ArrayLike) -> tuple[list[str | None], list[str | None]]: ...
