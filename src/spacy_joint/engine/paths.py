"""Validation of paths of actions from outside the engine, before systems build annotation from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import Errors, JointValueError


def check_path(actions: ArrayLike, n_actions: int, least: int = 0) -> NDArray[np.uint16]:
    """The actions as an array.

    n_actions: The number of actions of the system.
    least: The number of actions that a complete path has at least.
    RAISES ValueError: If they are not a sequence of its actions, or too few (J314).
    """
    path = np.asarray(actions)
    if path.ndim != 1 or (path.size and path.dtype.kind not in "ui"):
        raise JointValueError(Errors.J314, step=0, n=path.shape)
    if path.size and (path.max() >= n_actions or path.min() < 0):
        wrong = np.flatnonzero((path < 0) | (path >= n_actions))
        raise JointValueError(Errors.J314, step=int(wrong[0]), n=len(path))
    if len(path) < least:
        raise JointValueError(Errors.J314, step=len(path), n=len(path))
    return np.ascontiguousarray(path, dtype=np.uint16)
