from collections.abc import Sequence

from .gap_system import GapSystem

class MergeSystem(GapSystem):
    def __init__(self, unary: Sequence[str], branching: Sequence[str], root: str, tag_column: int = -1) -> None: ...
    @property
    def branching(self) -> tuple[str, ...]: ...

def name_actions(n_words: int, nodes: Sequence[tuple[str, int, int, int]]) -> list[tuple[str, ...]] | None: ...
