from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

class RowIndex:
    def __new__(cls) -> Self: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> NoReturn: ...
    def find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], list[int]]: ...
    def add(self, keys: NDArray[np.uint64]) -> None: ...

def find_stretches(breaks: NDArray[np.bool_], least: int, whole: bool = True) -> tuple[NDArray[np.bool_], int]: ...

class TreeReader:
    def __init__(
        self,
        shares: Sequence[bool],
        n_dependents: int,
        n_of_token: int,
        own: Sequence[int],
        shown: Sequence[tuple[int, int, int]],
    ) -> None: ...
    def fill(
        self,
        values: NDArray[np.uint64],
        of_words: NDArray[np.uint64],
        heads: NDArray[np.intp],
        relations: NDArray[np.uint64],
        kinds: NDArray[np.uint8],
    ) -> None: ...
