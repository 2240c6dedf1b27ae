"""Runs an annotator in a separate process that may die: out of memory, by a crash in a component, or by a signal. Then
it tries record by record, and fails the records that kill the process."""

import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache, partial
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from ...errors import Errors, format_warning
from .annotator import KILLER, Annotation, Annotator, WorkerDeath
from .partitions import Partition
from .records import Record

if TYPE_CHECKING:
    from loky import ProcessPoolExecutor

Argument = TypeVar("Argument")
Value = TypeVar("Value")

# Errors of a call whose process died, or lacks memory for a whole shard.
DEATH_ERRORS = (BrokenProcessPool, MemoryError)
# How often the process may die of the same argument before the worker gives up.
MAX_DEATHS = 2
# Each process has one core, so more threads would only wait for each other.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

_make_annotator: Callable[[], Annotator]


class Worker:
    """A process that annotates. It starts on the first call, and again if it has died; see `loky`."""

    def __init__(self, annotation: Annotation) -> None:
        self._arguments = (os.getpid(), annotation)
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, partition: Partition) -> Future[Partition]:
        """Starts to annotate a partition. The result raises one of DEATH_ERRORS if the process dies."""
        return self._submit(Annotator.__call__, partition)

    def annotate(self, partition: Partition) -> Partition:
        """Annotates a partition, and waits. Records that kill the process repeatedly, alone or together, fail. Raises
        WorkerDeath if it dies without any record."""
        try:
            return self._retry(Annotator.__call__, partition)
        except WorkerDeath:
            self._retry(Annotator.__call__, partition._replace(records=()))
        partition = partition._replace(records=[self._check(record) for record in partition.records])
        try:
            return self._retry(Annotator.__call__, partition)
        except WorkerDeath as death:
            # The records kill the process only together.
            records = [_mark_killer(record, death) for record in partition.records]
            return self._retry(Annotator.__call__, partition._replace(records=records))

    def close(self) -> None:
        """Kills the process."""
        if self._pool is not None:
            self._pool.shutdown(kill_workers=True)
            self._pool = None

    def _check(self, record: Record) -> Record:
        try:
            self._retry(Annotator.check, record)
        except WorkerDeath as death:
            return _mark_killer(record, death)
        return record

    def _retry(self, method: Callable[[Annotator, Argument], Value], argument: Argument) -> Value:
        """Calls a method in the process, and again if it dies."""
        for _ in range(MAX_DEATHS):
            try:
                return self._submit(method, argument).result()
            except DEATH_ERRORS as error:
                self.close()
                death = error
        raise WorkerDeath(Errors.J730, n=MAX_DEATHS, reason=_describe(death)) from death

    def _submit(self, method: Callable[[Annotator, Argument], Value], argument: Argument) -> Future[Value]:
        from loky import ProcessPoolExecutor

        if self._pool is None:
            # loky warns when it restarts a process that has grown.
            warnings.filterwarnings("ignore", module=r"loky\.")
            threads = {name: os.environ.get(name, "1") for name in THREADS}
            self._pool = ProcessPoolExecutor(1, initializer=_prepare, initargs=self._arguments, env=threads)
        with defer_interrupts():
            return self._pool.submit(_call, method, argument)


def _mark_killer(record: Record, death: WorkerDeath) -> Record:
    return record._replace(format=KILLER, text=str(death))


def _describe(death: BaseException) -> str:
    """Finds the exit code of a process in loky's message."""
    lines = [line for line in str(death).splitlines() if "exit code" in line]
    return lines[0].rpartition(" are ")[2] if lines else f"{type(death).__name__}: {death}"


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Defers Ctrl-C, which must not interrupt starting a process. The process inherits this, and never sees Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


# Called in the process.


def prepare_process(parent: int) -> None:
    """Makes a process print warnings as commands do, ignore Ctrl-C, and end with its parent."""
    warnings.formatwarning = format_warning
    # Runners handle Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _prepare(parent: int, annotation: Annotation) -> None:
    global _make_annotator
    prepare_process(parent)
    # The first call makes the annotator, and raises its errors.
    _make_annotator = cache(partial(Annotator, annotation))


def _exit_with_parent(parent: int) -> None:
    """Ends this process when the one that started it has died."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _call(method: Callable[[Annotator, Argument], Value], argument: Argument) -> Value:
    return method(_make_annotator(), argument)
