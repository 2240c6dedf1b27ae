from collections.abc import Sequence

from typing_extensions import Self

from .system import PhraseSystem

class GapSystem(PhraseSystem):
    def __new__(
        cls, unary: Sequence[str], binary: Sequence[Sequence[str]], root: str, tag_column: int = -1
    ) -> Self: ...

class ShiftReduceSystem(GapSystem): ...

def name_actions(n_words: int, nodes: Sequence[tuple[str, int, int, int]]) -> list[tuple[str, ...]] | None: ...
