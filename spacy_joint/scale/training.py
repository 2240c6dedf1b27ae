"""Training in Ray actors, each of which reads the corpus: passes over shards (`training/passes.py`). Also independent
calls, such as the folds of `jackknife`, in processes of this machine or in actors."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import starmap
from multiprocessing import active_children, get_context
from typing import Any

from ..engine.mixing import TrainingState
from ..errors import Errors, JointOSError
from ..training.passes import Pass, Worker
from .annotating.worker import defer_interrupts, prepare_process
from .cluster import connect, start_actors, translate_errors

# Each process has one worker, which the first call makes.
_make_worker = lru_cache(maxsize=1)(Worker)


def _run_pass(config: str, pipeline: bytes, n_shards: int, *arguments: Any) -> Pass:
    return _make_worker(config, pipeline, n_shards).run_pass(*arguments)


class RayPassRunner:
    """Runs passes in actors, whose number does not affect the result: see `PassRunner` and `Worker`."""

    def __init__(self, ray: Any, n_workers: int, config: str, pipeline: bytes, n_shards: int) -> None:
        self.ray, self.n_shards = ray, n_shards
        # Objects of Ray: one copy per machine.
        self.shared = [ray.put(value) for value in (config, pipeline, n_shards)]
        self.actors = start_actors(ray, n_workers)

    def run(self, states: list[TrainingState], epoch: int) -> Iterator[list[Pass]]:
        """Runs the passes of an epoch. Raises J730 if workers keep dying."""
        starts = [self.ray.put(state) for state in states]

        def start(shard: int, table: int) -> Any:
            # The tables of a shard go to the same actors, so that few actors read it.
            number = shard * len(starts) + table
            actor = self.actors[number * len(self.actors) // (self.n_shards * len(starts))]
            return actor.call.remote(_run_pass, *self.shared, starts[table], shard, table, epoch)

        calls = [[start(shard, table) for shard in range(self.n_shards)] for table in range(len(starts))]
        with translate_errors(self.ray):
            # Only one table at a time is in the memory of this process.
            yield from map(self.ray.get, calls)


@contextmanager
def open_calls(address: str | None, n_workers: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yields a function like `itertools.starmap`, which makes calls in this process, or in several, or, given an
    address, in actors: see `connect`."""
    if address is not None:
        with connect(address, log_to_driver=False, num_cpus=n_workers) as ray:
            yield partial(call_on_ray, ray, n_workers)
    elif n_workers > 1:
        yield partial(call_in_processes, n_workers)
    else:
        yield starmap


def call_in_processes(n_workers: int, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Calls a function in processes, which end with the last call; yields results in order, and takes arguments as
    results are yielded. Raises J730 if a process dies."""
    earlier = active_children()
    with ProcessPoolExecutor(n_workers, get_context("spawn"), prepare_process, (os.getpid(),)) as pool:
        running: deque[Future[Any]] = deque()
        try:
            for arguments in calls:
                if len(running) == n_workers:
                    yield running.popleft().result()
                with defer_interrupts():
                    running.append(pool.submit(function, *arguments))
            while running:
                yield running.popleft().result()
        except BrokenProcessPool as error:
            raise JointOSError(Errors.J730, n=1, reason=str(error).rstrip(".")) from error
        finally:
            # After an interruption, the pool would wait for the calls.
            for process in set(active_children()).difference(earlier):
                process.kill()


def call_on_ray(
    ray: Any, n_workers: int, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]
) -> Iterator[Any]:
    """Calls a function in actors; yields results in order, and takes arguments as actors become free. Raises J730 if a
    process keeps dying."""
    pool = ray.util.ActorPool(start_actors(ray, n_workers))
    with translate_errors(ray):
        for arguments in calls:
            if not pool.has_free():
                yield pool.get_next()
            pool.submit(lambda worker, given: worker.call.remote(function, *given), arguments)
        while pool.has_next():
            yield pool.get_next()
