from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

# None while the table does not learn, or was never finished: callers know which, types do not.
_MaybeNone: TypeAlias = Any

MOST_OF_WEIGHT: int

def find_most(n_templates: int) -> int: ...

class Table: ...

class Weights:
    min_changes: int
    bits: Final[int]
    width: Final[int]
    raw: Final[NDArray[np.float32] | _MaybeNone]
    total: Final[NDArray[np.float32] | _MaybeNone]
    n_changes: Final[NDArray[np.uint8] | _MaybeNone]
    averaged: Final[NDArray[np.int8] | _MaybeNone]
    kept: Final[NDArray[np.uint8] | _MaybeNone]
    scale: Final[float]
    n_updates: Final[int]
    n_cells: Final[int]
    is_learning: Final[bool]
    def __new__(cls, bits: int, width: int, min_changes: int = 1) -> Self: ...
    def learn(self) -> None: ...
    def restore(
        self, raw: NDArray[np.float32], total: NDArray[np.float32], n_changes: NDArray[np.uint8], n_updates: int
    ) -> None: ...
    def predict_with(self, averaged: NDArray[np.int8], kept: NDArray[np.uint8], scale: float) -> None: ...
    def averages(self) -> NDArray[np.float32]: ...
    def finish(self, others: Sequence[Weights] = (), n_templates: int = 1) -> None: ...
