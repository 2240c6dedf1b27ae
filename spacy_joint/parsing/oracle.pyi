from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .system import JointSystem

def oracle_actions(
    system: JointSystem, heads: ArrayLike, labels: Sequence[str], starts: ArrayLike
) -> NDArray[np.uint16] | None: ...
