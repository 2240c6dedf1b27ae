from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def run_lstm(
    gates: NDArray[np.float32],
    recurrent: NDArray[np.float32],
    bias: NDArray[np.float32],
    lengths: Sequence[int] | NDArray[np.integer],
    hidden: NDArray[np.float32],
    *,
    reverse: bool,
    cells: NDArray[np.float32] | None = None,
    squashed: NDArray[np.float32] | None = None,
) -> None: ...
def run_lstm_back(
    gates: NDArray[np.float32],
    recurrent: NDArray[np.float32],
    lengths: Sequence[int] | NDArray[np.integer],
    d_hidden: NDArray[np.float32],
    *,
    reverse: bool,
    cells: NDArray[np.float32],
    squashed: NDArray[np.float32],
) -> None: ...
