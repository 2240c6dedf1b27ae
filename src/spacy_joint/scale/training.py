"""Passes over shards as calls of Ray actors, on one machine or many: see training/shards.py.

Actors read the corpus by themselves, so its path must exist on all machines. Ray places the actors, restarts those
that are lost, and repeats their calls, which have the same result wherever they run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..engine.mixing import TrainingState
from ..errors import Errors
from ..training.shards import Pass, Worker
from .cluster import report_failures, start_actors


class _Actor:
    """Makes a worker when it is first called. What that needs comes with each call: Ray keeps the arguments of calls
    for as long as they may be repeated, but not those of constructors."""

    def __init__(self) -> None:
        self.worker: Worker | None = None

    def run(self, config: str, pipeline: bytes, n_shards: int, *arguments: Any) -> Pass:
        if self.worker is None:
            self.worker = Worker(config, pipeline, n_shards)
        return self.worker.run(*arguments)


class RayEngine:
    """Runs passes in actors.

    ray (module): Ray, connected to a cluster.
    n_workers (int): The number of actors, at least 1. It does not affect the result.
    config, pipeline, n_shards: See `Worker`.
    """

    def __init__(self, ray: Any, n_workers: int, config: str, pipeline: bytes, n_shards: int) -> None:
        self.ray, self.n_shards = ray, n_shards
        # Objects of Ray: one copy per machine.
        self.shared = [ray.put(value) for value in (config, pipeline, n_shards)]
        self.actors = start_actors(ray, _Actor, n_workers)

    def run(self, states: list[TrainingState], epoch: int) -> Iterator[list[Pass]]:
        """Runs the passes of an epoch: see `Engine`.

        RAISES OSError: If workers die again and again (J730).
        """
        n_tables = len(states)
        starts = [self.ray.put(state) for state in states]

        def start(shard: int, table: int) -> Any:
            # The tables of a shard one after the other, and always in the same place: few workers read a shard.
            number = shard * n_tables + table
            actor = self.actors[number * len(self.actors) // (self.n_shards * n_tables)]
            return actor.run.remote(*self.shared, starts[table], shard, table, epoch)

        calls = [[start(shard, table) for shard in range(self.n_shards)] for table in range(n_tables)]
        with report_failures(self.ray, Errors.J730):
            # One table at a time is in the memory of this process.
            yield from map(self.ray.get, calls)
