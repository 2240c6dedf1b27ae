from collections.abc import Sequence
from typing import Final, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

@final
class Columns:
    names: Final[tuple[str, ...]]
    cells: Final[memoryview]
    def __new__(
        cls,
        names: Sequence[str],
        values: ArrayLike,
        constraints: ArrayLike | None = None,
        token_info: ArrayLike | None = None,
    ) -> Self: ...
    def __len__(self) -> int: ...
    def split(self, constraint: int) -> list[Columns]: ...

def affix_columns(words: Sequence[str], lengths: Sequence[int]) -> NDArray[np.uint64]: ...
