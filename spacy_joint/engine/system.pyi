from collections.abc import Mapping, Sequence, Set
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from .columns import Columns

class System:
    n_actions: Final[int]
    n_kinds: Final[int]
    row_width: Final[int]
    n_slots: Final[int]
    token_slots: Final[Mapping[str, int]]
    value_slots: Final[Mapping[str, int]]
    def parts(self) -> Sequence[Set[int]]: ...

def check_derivation(actions: ArrayLike, n_actions: int, min_length: int = 0) -> NDArray[np.uint16]: ...

class Walk:
    def __new__(cls, system: System, columns: Columns) -> Self: ...
    @property
    def is_final(self) -> bool: ...
    def legal(self) -> list[int]: ...
    def advance(self, action: int) -> None: ...
    def collect(self) -> None: ...
    def slots(self) -> dict[str, int]: ...
