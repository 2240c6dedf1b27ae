from collections.abc import Mapping

from typing_extensions import Self

from .beam import Search
from .system import System
from .templates import Templates

class ReferenceSearch(Search):
    def __new__(
        cls,
        system: System,
        templates: Templates,
        width: int,
        biases: Mapping[int, float | tuple[str, Mapping[int, float]]] | None = None,
    ) -> Self: ...
