from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

class Columns:
    @property
    def names(self) -> tuple[str, ...]: ...
    def __init__(
        self,
        names: Sequence[str],
        values: ArrayLike,
        constraints: ArrayLike | None = None,
        facts: ArrayLike | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def split(self, constraint: int) -> list[Columns]: ...

def affix_columns(words: Sequence[str], lengths: Sequence[int]) -> NDArray[np.uint64]: ...
