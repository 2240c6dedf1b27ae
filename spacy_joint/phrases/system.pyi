from collections.abc import Sequence
from typing import Final

from numpy.typing import ArrayLike

from ..trees.system import TreeSystem

class PhraseSystem(TreeSystem):
    root: Final[str]
    def build(self, actions: ArrayLike, n_words: int) -> list[tuple[str, int, int]]: ...

def find_parents(n_words: int, nodes: Sequence[tuple[str, int, int, int]]) -> list[int]: ...
