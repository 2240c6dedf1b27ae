from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..engine.system import System

SIDES: Final[tuple[str, str]]

class TreeSystem(System):
    @property
    def unary(self) -> tuple[str, ...]: ...
    @property
    def binary(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def tag_column(self) -> int: ...
    @property
    def actions_by_name(self) -> dict[tuple[str | int, ...], int]: ...
    def number_actions(self, names: Sequence[tuple[str | int, ...]] | None) -> NDArray[np.uint16] | None: ...
