import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from .columns import Columns
from .system import System
from .templates import Templates
from .weights import Weights

class Search:
    @property
    def system(self) -> System: ...
    @property
    def templates(self) -> Templates: ...
    @property
    def width(self) -> int: ...
    def __new__(cls, system: System, templates: Templates, width: int) -> Self: ...
    def predict(self, weights: Weights, columns: Columns, exact: bool = False) -> NDArray[np.uint16]: ...
