from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ..trees.constituency_trees import Tree
from ..trees.system import TreeSystem

class HedgeSystem(TreeSystem):
    def __new__(
        cls,
        unary: Sequence[str],
        binary: Sequence[Sequence[str]],
        max_span: int = 7,
        max_unary: int = 3,
        tag_column: int = -1,
    ) -> Self: ...
    def actions(self, trees: Iterable[Tree]) -> NDArray[np.uint16] | None: ...
    def build(self, actions: ArrayLike) -> list[tuple[str, int, int]]: ...

def name_action(node: Tree) -> tuple[str, ...]: ...
def find_longest_chain(names: Iterable[tuple[str, ...]]) -> int: ...
