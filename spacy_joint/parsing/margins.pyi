import numpy as np
from numpy.typing import NDArray

def boundary_margins(
    parents: NDArray[np.uint16], actions: NDArray[np.uint16], gaps: NDArray[np.float32], n_tokens: int
) -> NDArray[np.float32]: ...
