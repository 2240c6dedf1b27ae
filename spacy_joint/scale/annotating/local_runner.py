"""Annotating partitions on the cores of this machine, by processes that each load the pipeline once."""

from collections.abc import Generator, Sequence, Set
from concurrent.futures import Future
from contextlib import ExitStack, closing
from itertools import chain
from queue import SimpleQueue

from ...errors import require_packages
from .annotator import Annotation
from .partitions import Group, Partition, read_partitions
from .worker import DEATH_ERRORS, Worker


class LocalCorpusRunner:
    """Runs workers on this machine, by default one per core that this process may use. Raises J710 without loky."""

    def __init__(self, workers: int | None = None) -> None:
        require_packages("corpora", "loky", "psutil")
        from loky import cpu_count

        self.workers = workers or cpu_count()

    def run(self, groups: Sequence[Group], done: Set[str], annotation: Annotation) -> Generator[Partition, None, None]:
        """Annotates the partitions of groups of files, which are read when needed: see `CorpusRunner`."""
        partitions = chain.from_iterable(
            read_partitions(group, annotation.reading, annotation.shard_bytes, done) for group in groups
        )
        # Unlike `concurrent.futures.wait`, getting from a queue takes no locks that Ctrl-C could leave locked.
        finished: SimpleQueue[Future[Partition]] = SimpleQueue()
        running: dict[Future[Partition], tuple[Worker, Partition]] = {}
        suspects: list[Partition] = []
        with ExitStack() as stack:
            idle = [stack.enter_context(closing(Worker(annotation))) for _ in range(self.workers)]
            while True:
                while idle and not suspects and (partition := next(partitions, None)):
                    if not partition.records:
                        yield partition
                        continue
                    worker = idle.pop()
                    future = worker.submit(partition)
                    running[future] = worker, partition
                    future.add_done_callback(finished.put)
                if running:
                    future = finished.get()
                    worker, partition = running.pop(future)
                    idle.append(worker)
                    try:
                        yield future.result()
                    except DEATH_ERRORS:
                        worker.close()
                        suspects.append(partition)
                elif suspects:
                    # Alone, with all memory.
                    yield idle[-1].annotate(suspects.pop())
                else:
                    return
