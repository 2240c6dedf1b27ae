import numpy as np
from typing_extensions import Self

from .chart import Chart

class InsideOutside:
    def __new__(cls, chart: Chart) -> Self: ...

def find_best_splits(gains: np.ndarray) -> np.ndarray: ...
