"""Training in Ray actors, each of which reads the corpus: passes over shards (`training/passes.py`), and independent
calls, such as the folds of `jackknife`."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import starmap
from typing import Any

from ..engine.mixing import TrainingState
from ..errors import Errors, JointValueError
from ..training.passes import Pass, Worker
from .cluster import connect, start_actors, translate_errors


class _Caller:
    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)


class _Passes:
    """Makes a worker on the first call. Calls have its arguments, since Ray does not keep those of constructors."""

    def __init__(self) -> None:
        self.worker: Worker | None = None

    def run(self, config: str, pipeline: bytes, n_shards: int, *arguments: Any) -> Pass:
        if self.worker is None:
            self.worker = Worker(config, pipeline, n_shards)
        return self.worker.run_pass(*arguments)


class RayPassRunner:
    """Runs passes in actors, whose number does not affect the result: see `PassRunner` and `Worker`."""

    def __init__(self, ray: Any, n_workers: int, config: str, pipeline: bytes, n_shards: int) -> None:
        self.ray, self.n_shards = ray, n_shards
        # Objects of Ray: one copy per machine.
        self.shared = [ray.put(value) for value in (config, pipeline, n_shards)]
        self.actors = start_actors(ray, _Passes, n_workers)

    def run(self, states: list[TrainingState], epoch: int) -> Iterator[list[Pass]]:
        """Runs the passes of an epoch. Raises J730 if workers keep dying."""
        starts = [self.ray.put(state) for state in states]

        def start(shard: int, table: int) -> Any:
            # The tables of a shard go to the same actors, so that few actors read it.
            number = shard * len(starts) + table
            actor = self.actors[number * len(self.actors) // (self.n_shards * len(starts))]
            return actor.run.remote(*self.shared, starts[table], shard, table, epoch)

        calls = [[start(shard, table) for shard in range(self.n_shards)] for table in range(len(starts))]
        with translate_errors(self.ray):
            # Only one table at a time is in the memory of this process.
            yield from map(self.ray.get, calls)


@contextmanager
def open_calls(address: str | None, n_workers: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yields a function like `itertools.starmap`, which makes calls in this process, or, given an address, in actors:
    see `connect`. Raises J716 for several workers without Ray."""
    if address is not None:
        with connect(address, log_to_driver=False, num_cpus=n_workers) as ray:
            yield partial(call_on_ray, ray, n_workers)
    elif n_workers > 1:
        raise JointValueError(Errors.J716, option="--workers", needed="--ray")
    else:
        yield starmap


def call_on_ray(
    ray: Any, n_workers: int, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]
) -> Iterator[Any]:
    """Calls a function in actors; yields results in order, and takes arguments as actors become free. Raises J730 if a
    process keeps dying."""
    pool = ray.util.ActorPool(start_actors(ray, _Caller, n_workers))
    with translate_errors(ray):
        for arguments in calls:
            if not pool.has_free():
                yield pool.get_next()
            pool.submit(lambda worker, given: worker.call.remote(function, *given), arguments)
        while pool.has_next():
            yield pool.get_next()
