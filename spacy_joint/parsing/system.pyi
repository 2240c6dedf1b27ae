from collections.abc import Sequence
from typing import Final

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
    left_labels: Final[tuple[str, ...]]
    right_labels: Final[tuple[str, ...]]
    root_labels: Final[tuple[str, ...]]
    early: Final[bool]
    guided: Final[bool]
    actions: Final[dict[str | tuple[str, str], int]]
    def __new__(
        cls,
        left_labels: Sequence[str],
        right_labels: Sequence[str],
        root_labels: Sequence[str],
        sb_position: str = "early",
        guided: bool = False,
    ) -> Self: ...
    def split(
        self, actions: ArrayLike, max_sentences: int | None = None
    ) -> tuple[int, NDArray[np.uint16], NDArray[np.uint16]]: ...
    def build(self, actions: ArrayLike, n_tokens: int) -> tuple[NDArray[np.int32], list[str], NDArray[np.bool_]]: ...
