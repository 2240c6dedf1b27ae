import numpy as np
from numpy.typing import NDArray

def add_by_distance(
    scores: NDArray[np.float32], by_class: NDArray[np.float32], bounds: NDArray[np.intp], first: int
) -> None: ...
def sum_by_distance(
    scores: NDArray[np.float32], sums: NDArray[np.float32], bounds: NDArray[np.intp], first: int
) -> None: ...
