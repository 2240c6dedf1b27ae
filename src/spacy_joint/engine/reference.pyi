from typing_extensions import Self

from .beam import Search, _Biases
from .system import System
from .templates import Templates

class ReferenceSearch(Search):
    def __new__(
        cls,
        system: System,
        templates: Templates,
        width: int,
        biases: _Biases | None = None,
    ) -> Self: ...
