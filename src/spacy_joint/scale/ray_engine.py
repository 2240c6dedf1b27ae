"""Annotating pieces on a Ray cluster: Ray Data streams them from tasks that read to actors that hold a pipeline, and
does all scheduling, retrying and holding back."""

from __future__ import annotations

import logging
import pickle
import warnings
from collections.abc import Iterator, Sequence, Set
from typing import Any

from ..errors import Errors
from ..extras import require_packages
from .annotator import Annotation, Annotator, Done, WorkerDeath
from .cluster import RETRIES, connect
from .pieces import Group, read_pieces
from .records import Reading

# Shares of a core: a machine with n cores has n actors and room for readers, without which nothing would ever start.
OF_ACTOR, OF_READER = 0.9, 0.1
# A block of a dataset is a dictionary of columns, each of one row.
Block = dict[str, list[Any]]


class _Actor:
    """An annotator whose pieces are rows of a dataset."""

    def __init__(self, annotation: Annotation, output: str) -> None:
        self.annotator = Annotator(annotation, output)

    def __call__(self, block: Block) -> Block:
        return _pack(self.annotator(_unpack(block)))


def _read(block: Block, reading: Reading, shard_bytes: int, done: Any) -> Iterator[Block]:
    import ray

    for piece in read_pieces(_unpack(block), reading, shard_bytes, ray.get(done[0])):
        yield _pack(piece)


def _pack(value: object) -> Block:
    return {"packed": [pickle.dumps(value)]}


def _unpack(block: Block) -> Any:
    return pickle.loads(block["packed"][0])


class RayEngine:
    """Runs workers as actors of a Ray cluster.

    address (str | None): The address of the cluster; None is one on this machine, which ends with the run.
    workers (int | None): The number of actors; None is one per core of the cluster.
    RAISES ValueError: If Ray is not installed (J710).
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        require_packages("ray", "ray")
        self.address, self.workers = address, workers

    def run(self, groups: Sequence[Group], done: Set[str], annotation: Annotation, output: str) -> Iterator[Done]:
        """Annotates the pieces of groups of files: see `Engine`.

        RAISES OSError: If Ray does not start (J740), or gives up (WorkerDeath, J719).
        """
        with connect(self.address, log_to_driver=False) as ray:
            yield from self._run(ray, groups, done, annotation, output)

    def _run(
        self, ray: Any, groups: Sequence[Group], done: Set[str], annotation: Annotation, output: str
    ) -> Iterator[Done]:
        from ray.data import ActorPoolStrategy, DataContext
        from ray.exceptions import RayError

        # What it says of plans and datasets is for those who write them.
        for handler in logging.getLogger("ray.data").handlers:
            if isinstance(handler, logging.StreamHandler):
                handler.setLevel(logging.ERROR)
        context = DataContext.get_current()
        context.enable_progress_bars = False
        # Pieces travel one by one.
        context.target_max_block_size = annotation.shard_bytes
        workers = self.workers or int(ray.cluster_resources()["CPU"])
        with warnings.catch_warnings():
            # Of the argument that limits retries, which Ray has until 2.63.
            warnings.filterwarnings("ignore", message="`ray_remote_args_fn`")
            dataset = (
                ray.data.from_items(
                    [{"packed": pickle.dumps(group)} for group in groups], override_num_blocks=len(groups)
                )
                .map_batches(
                    _read,
                    fn_args=(annotation.reading, annotation.shard_bytes, [ray.put(done)]),
                    batch_size=1,
                    num_cpus=OF_READER,
                )
                .map_batches(
                    _Actor,
                    fn_constructor_args=(annotation, output),
                    batch_size=1,
                    compute=ActorPoolStrategy(size=workers),
                    num_cpus=OF_ACTOR,
                    ray_remote_args_fn=_limit_retries,
                )
            )
        try:
            for row in dataset.iter_rows():
                yield pickle.loads(row["packed"])
        except RayError as error:
            raise WorkerDeath(Errors.J719, reason=str(error).strip().splitlines()[-1]) from error


def _limit_retries() -> dict[str, int]:
    return {"max_task_retries": RETRIES}
