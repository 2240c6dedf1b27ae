from collections.abc import Sequence
from typing import Final

from typing_extensions import Self

from .system import PhraseSystem

MOVES: Final[dict[str, str]]
MARKS: Final[tuple[str, ...]]

class SwapSystem(PhraseSystem):
    kind: Final[str]
    def __new__(
        cls,
        unary: Sequence[str],
        binary: Sequence[Sequence[str]],
        root: str,
        tag_column: int = -1,
        distances: Sequence[int] = (),
        kind: str = "swap",
    ) -> Self: ...

def name_actions(
    n_words: int, nodes: Sequence[tuple[str, int, int, int]], kind: str = "swap"
) -> list[tuple[str | int, ...]] | None: ...
