from collections.abc import Sequence
from typing import Any, Final

from typing_extensions import Self

from .system import PhraseSystem

MOVES: Final[dict[str, str]]
MARKS: Final[tuple[str, ...]]

class SwapSystem(PhraseSystem):
    @property
    def kind(self) -> str: ...
    def __new__(
        cls,
        unary: Sequence[str],
        binary: Sequence[Sequence[str]],
        root: str,
        tag_column: int = -1,
        distances: Sequence[int] = (),
        kind: str = "swap",
    ) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def name_actions(
    n_words: int, nodes: Sequence[tuple[str, int, int, int]], kind: str = "swap"
) -> list[tuple[str | int, ...]] | None: ...
