import numpy as np
from typing_extensions import Self

from .chart import Chart

class Sums:
    def __new__(cls, chart: Chart) -> Self: ...
    def list_posteriors(self, least: float) -> list[tuple[int, int, int, float]]: ...

def divide(gains: np.ndarray) -> np.ndarray: ...
