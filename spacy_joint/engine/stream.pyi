from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import Self

from .beam import _Biases
from .system import System
from .templates import Templates
from .weights import Weights

class Stream:
    def __new__(
        cls, system: System, templates: Templates, width: int, weights: Weights, biases: _Biases | None = None
    ) -> Self: ...
    n_tokens: Final[int]
    ended: Final[bool]
    front: Final[int]
    def feed(self, values: ArrayLike, constraints: ArrayLike | None = None, facts: ArrayLike | None = None) -> None: ...
    def end(self) -> None: ...
    def run(self) -> np.ndarray: ...
    def best(self) -> np.ndarray: ...
    def decide(self, n_steps: int) -> np.ndarray: ...
    def forget(self, n: int) -> None: ...
