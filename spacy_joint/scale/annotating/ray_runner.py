"""Annotating on a Ray cluster: Ray Data streams partitions from tasks that read them to actors that annotate them."""

import pickle
import warnings
from collections.abc import Generator, Iterator, Sequence, Set
from typing import Any

from ...errors import Errors, require_packages
from ..cluster import LOCAL, RETRIES, connect, divert_loggers
from .annotator import Annotation, WorkerDeath
from .partitions import Group, Partition, read_partitions
from .records import Reading
from .worker import Worker

# Shares of a core: a machine with n cores has n actors, and room for the readers that they depend on.
ACTOR_CPUS, READER_CPUS = 0.9, 0.1
# A block of a dataset is a dictionary of columns, each of one row.
Block = dict[str, list[Any]]


class _Actor:
    """Annotates in another process: if a record killed the actor itself, Ray would repeat all its calls."""

    def __init__(self, annotation: Annotation) -> None:
        self.worker = Worker(annotation)

    def __call__(self, block: Block) -> Block:
        return _pack(self.worker.annotate(_unpack(block)))


def _read(block: Block, reading: Reading, shard_bytes: int, done: Any) -> Iterator[Block]:
    import ray

    for partition in read_partitions(_unpack(block), reading, shard_bytes, ray.get(done[0])):
        yield _pack(partition)


def _pack(value: object) -> Block:
    return {"packed": [pickle.dumps(value)]}


def _unpack(block: Block) -> Any:
    return pickle.loads(block["packed"][0])


class RayCorpusRunner:
    """Runs workers as actors of a Ray cluster (see `connect`), by default one per core. Raises J710 without Ray."""

    def __init__(self, address: str = LOCAL, workers: int | None = None) -> None:
        require_packages("ray", "ray")
        self.address, self.workers = address, workers

    def run(self, groups: Sequence[Group], done: Set[str], annotation: Annotation) -> Generator[Partition, None, None]:
        """Annotates partitions of groups of files: see `CorpusRunner`. Raises J740 if Ray cannot start or gives up."""
        with connect(self.address, log_to_driver=False) as ray:
            try:
                for row in self._stream(ray, groups, done, annotation).iter_rows():
                    yield pickle.loads(row["packed"])
            except ray.exceptions.RayError as error:
                # Ray loses the original error. The last lines of its message have the reason.
                lines = str(error).strip().splitlines()
                reason = next((line for line in reversed(lines) if "[J" in line), lines[-1])
                raise WorkerDeath(Errors.J740, reason=reason.partition(": ")[2] or reason) from error

    def _stream(self, ray: Any, groups: Sequence[Group], done: Set[str], annotation: Annotation) -> Any:
        from ray.data import ActorPoolStrategy, DataContext

        divert_loggers()
        context = DataContext.get_current()
        context.enable_progress_bars = False
        # Blocks have one partition each.
        context.target_max_block_size = annotation.shard_bytes
        packed = [{"packed": pickle.dumps(group)} for group in groups]
        with warnings.catch_warnings():
            # Ray warns of the argument that limits retries, in versions up to 2.63.
            warnings.filterwarnings("ignore", message="`ray_remote_args_fn`")
            partitions = ray.data.from_items(packed, override_num_blocks=len(groups)).map_batches(
                _read,
                fn_args=(annotation.reading, annotation.shard_bytes, [ray.put(done)]),
                batch_size=1,
                num_cpus=READER_CPUS,
            )
            return partitions.map_batches(
                _Actor,
                fn_constructor_args=(annotation,),
                batch_size=1,
                compute=ActorPoolStrategy(size=self.workers or int(ray.cluster_resources()["CPU"])),
                num_cpus=ACTOR_CPUS,
                ray_remote_args_fn=lambda: {"max_task_retries": RETRIES},
            )
