from collections.abc import Mapping, Sequence
from typing import Final

from typing_extensions import Self

from .system import System

class Templates:
    text: Final[str]
    columns: Final[tuple[str, ...]]
    token_slots: Final[Mapping[str, int]]
    value_slots: Final[Mapping[str, int]]
    n_blocks: Final[int]
    n_templates: Final[int]
    fingerprint: Final[str]
    max_ahead: Final[int]
    def __new__(cls, text: str, columns: Sequence[str], system: System) -> Self: ...
