"""Calls of a function in Ray actors: the trainings of `jackknife`, which do not depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..errors import Errors, JointError, JointOSError

# How often a call is tried again if its process dies.
RETRIES = 5


class _Actor:
    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)


def call_on_ray(
    ray: Any, n_workers: int, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]
) -> Iterator[Any]:
    """Yields what a function returns for each of several calls, in their order.

    ray (module): Ray, connected to a cluster.
    n_workers (int): How many run at the same time, at least 1.
    calls (Iterable[tuple]): The arguments of each call.
    RAISES OSError: If a process dies again and again (J739).
    """
    actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=RETRIES)(_Actor)
    pool = ray.util.ActorPool([actor.remote() for _ in range(n_workers)])
    try:
        yield from pool.map(lambda worker, arguments: worker.call.remote(function, *arguments), calls)
    except ray.exceptions.RayTaskError as error:
        # What a worker says to the user is not to be read in a traceback.
        if isinstance(error.cause, JointError):
            raise error.cause from error
        raise
    except ray.exceptions.RayActorError as error:
        raise JointOSError(Errors.J739, n=1 + RETRIES, reason=error) from error
