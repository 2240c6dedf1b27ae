from typing_extensions import Self

from .boundaries import BoundaryModel
from .grammar import Grammar

class Merit:
    def __new__(cls, grammar: Grammar, boundaries: BoundaryModel | None) -> Self: ...
