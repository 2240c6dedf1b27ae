from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from .columns import Columns
from .system import System
from .templates import Templates
from .weights import Weights

MAX_WIDTH: Final[int]
MAX_BIAS: Final[float]
# By action: a number, or atoms and a table of numbers that is indexed by their values.
_Biases: TypeAlias = Mapping[int, float | tuple[Sequence[str], NDArray[np.floating]]]

class Search:
    system: Final[System]
    templates: Final[Templates]
    width: Final[int]
    def __new__(cls, system: System, templates: Templates, width: int, biases: _Biases | None = None) -> Self: ...
    def predict(self, weights: Weights, columns: Columns, exact: bool = False) -> NDArray[np.uint16]: ...
    def predict_all(
        self, weights: Weights, columns: Columns, recombine: bool = True
    ) -> list[tuple[NDArray[np.uint16], float]]: ...
    def trace(
        self, weights: Weights, columns: Columns
    ) -> tuple[NDArray[np.uint16], tuple[NDArray[np.uint16], NDArray[np.uint16], NDArray[np.float32]]]: ...
