"""Calls of a function in Ray actors: the trainings of `jackknife` and the files of `distill`, which do not depend on
each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..errors import Errors
from .cluster import report_failures, start_actors


class _Actor:
    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)


def call_on_ray(
    ray: Any, n_workers: int, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]
) -> Iterator[Any]:
    """Yields what a function returns for each of several calls, in their order.

    ray (module): Ray, connected to a cluster.
    n_workers (int): How many run at the same time, at least 1.
    calls (Iterable[tuple]): The arguments of each call, which are taken when there is a worker for them.
    RAISES OSError: If a process dies again and again (J739).
    """
    pool = ray.util.ActorPool(start_actors(ray, _Actor, n_workers))
    with report_failures(ray, Errors.J739):
        for arguments in calls:
            if not pool.has_free():
                yield pool.get_next()
            pool.submit(lambda worker, given: worker.call.remote(function, *given), arguments)
        while pool.has_next():
            yield pool.get_next()
