"""The connection to a Ray cluster, of many machines or of this one alone."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import Errors, JointOSError
from .storage import require_packages


@contextmanager
def connect(address: str | None = None, *, log_to_driver: bool = True, **here: Any) -> Iterator[Any]:
    """Yields Ray, connected to a cluster until the end of the block. A connection that exists is used, and stays.

    address (str | None): The address of the cluster; "auto" is that of this machine. None starts Ray on this machine,
        and stops it at the end.
    log_to_driver (bool): Whether what other processes print is printed here.
    here: Other settings of `ray.init`, if Ray is started here.
    RAISES ValueError: If Ray is not installed (J710).
    RAISES OSError: If it does not start, or cannot be reached (J740).
    """
    require_packages("ray", "ray")
    # Nothing is told to its authors unless users say so.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    if ray.is_initialized():
        yield ray
        return
    settings = {"include_dashboard": False, **here} if address is None else {}
    try:
        ray.init(address or "local", log_to_driver=log_to_driver, logging_level=logging.WARNING, **settings)
    except Exception as error:
        # Of no class in particular, e.g. if starting takes too long.
        raise JointOSError(Errors.J740, reason=error) from error
    try:
        yield ray
    finally:
        ray.shutdown()
