from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ..engine.system import System

TOKEN_SLOTS: Final[str]
VALUE_SLOTS: Final[str]
GUIDE_SLOTS: Final[tuple[str, ...]]
SB_ACTION: Final[int]

def name_arc(token: int, head: int, label: str) -> tuple[str, str]: ...

class JointSystem(System):
    @property
    def left_labels(self) -> tuple[str, ...]: ...
    @property
    def right_labels(self) -> tuple[str, ...]: ...
    @property
    def root_labels(self) -> tuple[str, ...]: ...
    @property
    def early(self) -> bool: ...
    @property
    def guided(self) -> bool: ...
    @property
    def actions(self) -> dict[str | tuple[str, str], int]: ...
    def __new__(
        cls,
        left_labels: Sequence[str],
        right_labels: Sequence[str],
        root_labels: Sequence[str],
        sb_position: str = "early",
        guided: bool = False,
    ) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def split(
        self, actions: ArrayLike, max_sentences: int | None = None
    ) -> tuple[int, NDArray[np.uint16], NDArray[np.uint16]]: ...
    def build(self, actions: ArrayLike, n_tokens: int) -> tuple[NDArray[np.int32], list[str], NDArray[np.bool_]]: ...
