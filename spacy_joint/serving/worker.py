"""A process that annotates texts; unlike a thread, it can be killed and replaced. Texts that arrive while it annotates
others become its next batch, so no text waits for a batch to fill."""

import signal
import traceback
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from importlib.metadata import entry_points
from math import ceil
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import BoundedSemaphore, Condition, Lock, Thread
from typing import Any, NamedTuple

from typing_extensions import Self

from .. import PRETRAINED
from ..errors import Errors, JointError, JointOSError
from . import ANNOTATE

# Forking is unsafe, since the server has threads.
SPAWN = get_context("spawn")
# The maximum number of texts at a time. Each occupies a thread of the server, which has 40, until it is annotated.
MAX_TEXTS = 32


class WorkerFailure(JointError, RuntimeError):
    """A text was not annotated."""


class Busy(WorkerFailure):
    """Other texts keep the worker busy."""


class TookTooLong(WorkerFailure):
    """The text took too long."""


class Broken(WorkerFailure):
    """The process failed or died."""


class _Job(NamedTuple):
    task: str
    text: str
    arguments: tuple[Any, ...]
    result: Future[dict[str, Any]]


class Worker:
    """A process with a pipeline (None: the shipped one), shared by up to 32 threads. `timeout` limits the seconds of
    waiting, and those of annotating; `max_characters` limits each text and each batch. `is_lazy`: do not wait until the
    pipeline is loaded; the first text then raises errors of loading (J742)."""

    def __init__(self, pipeline: str | None, *, timeout: float, max_characters: int, is_lazy: bool = False) -> None:
        self.pipeline, self.timeout, self.max_characters = pipeline, timeout, max_characters
        self.n_batches = 0
        self.waiting: deque[_Job] = deque()
        self._is_closed = False
        # Guards the last two attributes, and notifies of changes.
        self._changed = Condition()
        self._using_process = Lock()
        self._places = BoundedSemaphore(MAX_TEXTS)
        self._is_loaded = False
        self._start()
        if not is_lazy:
            self._wait_until_loaded()
        Thread(target=self._work, name="annotation", daemon=True).start()

    def check(self) -> None:
        """Replaces the process if it has died. Raises a WorkerFailure if the pipeline is not, or cannot be, loaded."""
        if not self._using_process.acquire(blocking=False):
            # The thread that uses the process replaces it if it dies.
            if not self._is_loaded:
                raise Busy(Errors.J741)
            return
        try:
            if not self._is_loaded and self._connection.poll():
                self._require_loaded()
            if not self._process.is_alive():
                self._restart()
            if not self._is_loaded:
                raise Busy(Errors.J741)
        finally:
            self._using_process.release()

    def close(self) -> None:
        """Ends the process."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._process.kill()
        with self._using_process:
            self._stop()

    def answer(self, task: str, text: str, format: str | None, *arguments: Any) -> dict[str, Any]:
        """Does one of the tasks of `description.TASKS` with a text in a format (None: guessed) and further arguments;
        annotates it in one batch with other waiting texts. For a text without a result, such as a damaged one, the
        answer is a `failure` with the error message. After a WorkerFailure, the worker remains usable."""
        if not self._places.acquire(blocking=False):
            raise Busy(Errors.J445, most=MAX_TEXTS, seconds=ceil(self.timeout))
        try:
            job = _Job(task, text, (format, *arguments), Future())
            with self._changed:
                self.waiting.append(job)
                self._changed.notify()
            if not wait([job.result], self.timeout).done:
                with self._changed:
                    # A job that the process has already taken is no longer in `waiting`.
                    if job in self.waiting:
                        self.waiting.remove(job)
                        raise Busy(Errors.J433, seconds=self.timeout)
            return job.result.result()
        finally:
            self._places.release()

    def _work(self) -> None:
        """Gives the process one batch after another, in a separate thread."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.waiting or self._is_closed)
                if self._is_closed:
                    return
                batch = [self.waiting.popleft()]
                n_characters = len(batch[0].text)
                while self.waiting and self.waiting[0].task == batch[0].task == ANNOTATE:
                    # A batch must not take longer than the longest allowed text.
                    n_characters += len(self.waiting[0].text)
                    if n_characters > self.max_characters:
                        break
                    batch.append(self.waiting.popleft())
            with self._using_process:
                self._finish(batch)

    def _finish(self, batch: list[_Job]) -> None:
        self.n_batches += 1
        try:
            found = self._ask(batch[0].task, [(job.text, *job.arguments) for job in batch])
        except Exception as error:
            if len(batch) == 1:
                batch[0].result.set_exception(error)
            else:
                # Any of the texts may have caused the failure.
                for job in batch:
                    self._finish([job])
            return
        for job, each in zip(batch, found, strict=True):
            job.result.set_result(each)

    def _ask(self, task: str, texts: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
        # A new process loads the pipeline first, which does not count towards the timeout.
        self._require_loaded()
        try:
            self._connection.send((task, texts))
            if not self._connection.poll(self.timeout):
                raise TookTooLong(Errors.J434, seconds=self.timeout)
            found = self._connection.recv()
        except Exception as error:
            # A late answer must not be mistaken for the answer to the next text.
            self._restart()
            if isinstance(error, EOFError | OSError):
                raise Broken(Errors.J435) from error
            raise
        if found is None:
            raise Broken(Errors.J435)
        return found

    def _start(self) -> None:
        self._connection, other_end = SPAWN.Pipe()
        self._process = SPAWN.Process(target=_work, args=(other_end, self.pipeline), name="annotation", daemon=True)
        self._process.start()
        self.process_id = self._process.pid
        # Only the process may hold its end of the pipe, so that reading fails if it dies.
        other_end.close()

    def _wait_until_loaded(self) -> None:
        if self._is_loaded:
            return
        try:
            loaded = self._connection.recv()
        except EOFError as error:
            raise JointOSError(Errors.J742, reason="its process died") from error
        if isinstance(loaded, Exception):
            raise loaded
        self.description: dict[str, Any] = loaded
        self._is_loaded = True

    def _require_loaded(self) -> None:
        try:
            self._wait_until_loaded()
        except (ImportError, OSError, ValueError) as error:
            self._restart()
            raise Broken(Errors.J742, reason=error) from error

    def _restart(self) -> None:
        if not self._is_closed:
            self._stop()
            self._start()

    def _stop(self) -> None:
        self._is_loaded = False
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()


class Workers:
    """The workers of several pipelines. The first worker is given; others start to load their pipelines on the first
    request, with the limits of the first, and keep them in memory."""

    def __init__(self, first: Worker, others: Sequence[str] = ()) -> None:
        self.first = first
        name = first.pipeline or PRETRAINED
        self._workers: dict[str, Worker | None] = {**dict.fromkeys((name, *others)), name: first}
        self._starting = Lock()

    @classmethod
    def start(cls, pipelines: Sequence[str] = (), *, timeout: float, max_characters: int) -> Self:
        """Loads the first of these pipelines. Default: the shipped one; other installed pipelines are offered, too."""
        installed = sorted({point.name for point in entry_points(group="spacy_models")} - {PRETRAINED})
        first = Worker(pipelines[0] if pipelines else None, timeout=timeout, max_characters=max_characters)
        return cls(first, pipelines[1:] if pipelines else installed)

    @property
    def names(self) -> list[str]:
        """The names of the pipelines."""
        return list(self._workers)

    def get(self, pipeline: str | None) -> Worker:
        """Returns the worker of a pipeline (None: the first). RAISES KeyError: If there is no such pipeline."""
        if pipeline is None:
            return self.first
        with self._starting:
            worker = self._workers[pipeline]
            if worker is None:
                limits: dict[str, Any] = {name: getattr(self.first, name) for name in ("timeout", "max_characters")}
                worker = self._workers[pipeline] = Worker(pipeline, **limits, is_lazy=True)
        return worker

    def close(self) -> None:
        """Ends the processes."""
        for worker in filter(None, self._workers.values()):
            worker.close()


def _work(connection: Connection, pipeline: str | None) -> None:
    """Runs in the process: sends a description of the pipeline or the error of loading, then an answer to each task."""
    from .description import answer, describe_pipeline, load_to_serve

    # The server handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        nlp = load_to_serve(pipeline)
    except (ImportError, OSError, ValueError) as error:
        connection.send(error)
        return
    connection.send(describe_pipeline(nlp))
    # Ends with the server.
    with suppress(EOFError, BrokenPipeError):
        while True:
            task, texts = connection.recv()
            try:
                found = answer(nlp, task, texts)
            except Exception:
                traceback.print_exc()
                found = None
            connection.send(found)
