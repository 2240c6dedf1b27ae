from typing_extensions import Self

from .templates import Templates

class Scorer:
    @property
    def templates(self) -> Templates: ...
    def __new__(cls, templates: Templates, at_once: int) -> Self: ...
