from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def run_lstm(
    gates: NDArray[np.float32], recurrent: NDArray[np.float32], sizes: Sequence[int]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]: ...
def run_lstm_back(
    d_hidden: NDArray[np.float32],
    gates: NDArray[np.float32],
    recurrent: NDArray[np.float32],
    sizes: Sequence[int],
    cells: NDArray[np.float32],
    squashed: NDArray[np.float32],
) -> None: ...
