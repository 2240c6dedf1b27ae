from typing_extensions import Self

from .chart import Chart

MAX_BEST: int

class Derivations:
    def __new__(cls, chart: Chart) -> Self: ...
    def list_trees(self, top: int, k: int) -> list[tuple[float, list[tuple[str, int, int]], list[str]]]: ...
