from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..engine.system import System

SIDES: Final[tuple[str, str]]

class TreeSystem(System):
    unary: Final[tuple[str, ...]]
    binary: Final[tuple[tuple[str, str], ...]]
    labels: Final[tuple[str, ...]]
    tag_column: Final[int]
    actions_by_name: Final[dict[tuple[str | int, ...], int]]
    def number_actions(self, names: Sequence[tuple[str | int, ...]] | None) -> NDArray[np.uint16] | None: ...
