"""The connection to a Ray cluster, of many machines or of this one alone."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..errors import Errors, JointError, JointOSError, Message
from ..extras import require_packages

# How often what a process was doing is tried again if it dies.
RETRIES = 5


@contextmanager
def connect(address: str | None = None, *, log_to_driver: bool = True, **here: Any) -> Iterator[Any]:
    """Yields Ray, connected to a cluster until the end of the block. A connection that exists is used, and stays.
    Workers are in the directory of this process, if their machines have it: relative paths are the same everywhere.

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
    directory = os.getcwd()

    def enter() -> None:
        with suppress(OSError):
            os.chdir(directory)

    elsewhere = {"runtime_env": {"worker_process_setup_hook": enter}}
    settings = {"include_dashboard": False, **here} if address is None else elsewhere
    try:
        ray.init(address or "local", log_to_driver=log_to_driver, logging_level=logging.WARNING, **settings)
    except Exception as error:
        # Of no class in particular, e.g. if starting takes too long.
        raise JointOSError(Errors.J740, reason=error) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def start_actors(ray: Any, actor: type, n: int) -> list[Any]:
    """Starts actors on a core each. If their processes die, Ray starts them anew, and repeats what they were doing.

    ray (module): Ray, connected to a cluster.
    actor (type): Their class, which needs no arguments: Ray does not keep those of constructors.
    n (int): The number of actors, at least 1.
    """
    remote = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=RETRIES)(actor)
    return [remote.remote() for _ in range(n)]


@contextmanager
def report_failures(ray: Any, death: Message) -> Iterator[None]:
    """Says what has failed in actors as if it had failed here.

    ray (module): Ray, connected to a cluster.
    death (Message): The error if processes die again and again, with `n` and `reason`.
    RAISES OSError: That error.
    RAISES JointError: What a worker says to the user, which is not to be read in a traceback of Ray.
    """
    try:
        yield
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, JointError):
            raise error.cause from error
        raise
    except ray.exceptions.RayActorError as error:
        raise JointOSError(death, n=1 + RETRIES, reason=error) from error
