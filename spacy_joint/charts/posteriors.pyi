import numpy as np
from typing_extensions import Self

from .chart import Chart

class Sums:
    def __new__(cls, chart: Chart) -> Self: ...

def divide(gains: np.ndarray) -> np.ndarray: ...
