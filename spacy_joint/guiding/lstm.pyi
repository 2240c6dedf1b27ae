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
    kept: NDArray[np.float32] | None = None,
) -> None: ...
def backprop_lstm(
    gates: NDArray[np.float32],
    recurrent: NDArray[np.float32],
    lengths: Sequence[int] | NDArray[np.integer],
    d_hidden: NDArray[np.float32],
    *,
    reverse: bool,
    kept: NDArray[np.float32],
) -> None: ...
