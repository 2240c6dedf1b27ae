"""A process that annotates texts, and can be killed while doing so.

A search in a thread cannot be stopped, but a process can, and if it dies, the server continues with a new one. Texts
that wait while the process annotates others become its next batch: nobody waits for a batch to fill, and the busier the
server, the larger the batches, and a batch is annotated faster than its texts one by one.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import ceil
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import BoundedSemaphore, Condition
from typing import Any

from ..errors import Errors, JointError, JointOSError

# Forking is not safe, since the server has threads.
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


class Waiting:
    """A text that waits to be annotated.

    found (dict | None): Its annotation, once there is one.
    is_asked (bool): Whether the process has it.
    is_alone (bool): Whether it is not to be in a batch with others, because it was in one that failed.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: dict[str, Any] | None = None
        self.is_asked = self.is_alone = False


class Worker:
    """A process with a pipeline. Threads may share a worker: up to 32 wait for each other.

    pipeline (str): The name or path of a pipeline. None is the shipped pipeline.
    timeout (float): The maximum number of seconds for waiting, and again for annotating.
    max_characters (int): The maximum length of texts, and of all texts of a batch together.
    RAISES OSError, ValueError: If the pipeline cannot be loaded.
    """

    def __init__(self, pipeline: str | None, *, timeout: float, max_characters: int) -> None:
        self.pipeline, self.timeout, self.max_characters = pipeline, timeout, max_characters
        self.places = BoundedSemaphore(MAX_TEXTS)
        # Guards the next two, and tells of changes to them.
        self.changed = Condition()
        self.is_busy = False
        self.waiting: list[Waiting] = []
        self._start()
        self.description = self._wait_until_loaded()

    def annotate(self, text: str) -> dict[str, Any]:
        """Annotates a text, in one batch with others that wait: see `describe_text`.

        RAISES WorkerFailure: If annotating failed. The worker remains usable.
        """
        waiting = Waiting(text)
        with self._place(), self._queue(waiting):
            while waiting.found is None:
                with self._turn(waiting):
                    if waiting.found is None:
                        self._annotate_batch(waiting)
        return waiting.found

    def draw_tree(self, text: str, sentence: int, kind: str) -> dict[str, Any]:
        """Draws the tree of a sentence: see `describe_tree`.

        RAISES WorkerFailure: If annotating failed. The worker remains usable.
        """
        with self._place(), self._turn():
            return self._ask("draw_tree", text, sentence, kind)

    def check(self) -> None:
        """Returns if the worker is able to annotate. A process that has died is replaced.

        RAISES WorkerFailure: If the process is not ready, because it is still loading the pipeline, or cannot.
        """
        with self.changed:
            # Those that it is busy for will notice if the process dies.
            if self.is_busy:
                return
            try:
                if not self._is_loaded and self._connection.poll():
                    self._wait_until_loaded()
            except (OSError, ValueError) as error:
                self._restart()
                raise Broken(Errors.J742, reason=error) from error
            if not self._process.is_alive():
                self._restart()
            if not self._is_loaded:
                raise Busy(Errors.J741)

    @property
    def process_id(self) -> int | None:
        """The current process."""
        return self._process.pid

    def close(self) -> None:
        """Ends the process."""
        self._stop()

    def _annotate_batch(self, first: Waiting) -> None:
        """Annotates a text, and as many of those that wait as fit."""
        batch = self._choose_batch(first)
        try:
            found = self._ask("annotate", [waiting.text for waiting in batch])
        except WorkerFailure:
            if len(batch) == 1:
                raise
            # It may be the fault of any of them.
            for waiting in batch:
                waiting.is_asked, waiting.is_alone = False, True
            return
        for waiting, annotation in zip(batch, found, strict=True):
            waiting.found = annotation

    def _choose_batch(self, first: Waiting) -> list[Waiting]:
        batch, n_characters = [first], len(first.text)
        with self.changed:
            for waiting in self.waiting:
                if first.is_alone or waiting.is_alone or waiting.found is not None or waiting is first:
                    continue
                # Others do not make it exceed the timeout if the longest text would not.
                n_characters += len(waiting.text)
                if n_characters > self.max_characters:
                    break
                batch.append(waiting)
            for waiting in batch:
                waiting.is_asked = True
        return batch

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Limits how many wait."""
        if not self.places.acquire(blocking=False):
            raise Busy(Errors.J445, most=MAX_TEXTS, seconds=ceil(self.timeout))
        try:
            yield
        finally:
            self.places.release()

    @contextmanager
    def _queue(self, waiting: Waiting) -> Iterator[None]:
        with self.changed:
            self.waiting.append(waiting)
        try:
            yield
        finally:
            with self.changed:
                self.waiting.remove(waiting)

    @contextmanager
    def _turn(self, waiting: Waiting | None = None) -> Iterator[None]:
        """Waits for the process, or until a text has been annotated with others.

        RAISES Busy: If that takes too long.
        """

        def is_annotated() -> bool:
            return waiting is not None and waiting.found is not None

        def is_ready() -> bool:
            return is_annotated() or not self.is_busy

        with self.changed:
            if not self.changed.wait_for(is_ready, self.timeout):
                # What the process already has no longer waits for others.
                if waiting is None or not waiting.is_asked:
                    raise Busy(Errors.J433, seconds=self.timeout)
                self.changed.wait_for(is_ready)
            has_process = not is_annotated()
            self.is_busy |= has_process
        try:
            yield
        finally:
            if has_process:
                with self.changed:
                    self.is_busy = False
                    self.changed.notify_all()

    def _ask(self, task: str, *arguments: Any) -> Any:
        try:
            found = self._exchange(task, *arguments)
        except BaseException:
            # A late answer must not be mistaken for the answer to the next text.
            self._restart()
            raise
        if found is None:
            raise Broken(Errors.J435)
        return found

    def _exchange(self, task: str, *arguments: Any) -> Any:
        try:
            # If the process has been restarted. Loading does not count towards the timeout.
            self._wait_until_loaded()
            self._connection.send((task, *arguments))
            if not self._connection.poll(self.timeout):
                raise TookTooLong(Errors.J434, seconds=self.timeout)
            return self._connection.recv()
        except (EOFError, OSError) as error:
            raise Broken(Errors.J435) from error

    def _start(self) -> None:
        self._connection, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(
            target=_work, args=(theirs, self.pipeline, self.max_characters), name="annotation", daemon=True
        )
        self._process.start()
        # Only the process may hold its end, so that reading fails if the process dies.
        theirs.close()
        self._is_loaded = False

    def _wait_until_loaded(self) -> dict[str, Any]:
        if not self._is_loaded:
            try:
                loaded = self._connection.recv()
            except EOFError as error:
                raise JointOSError(Errors.J436, pipeline=self.pipeline or "of this package") from error
            if isinstance(loaded, Exception):
                raise loaded
            self.description = loaded
            self._is_loaded = True
        return self.description

    def _restart(self) -> None:
        self._stop()
        self._start()

    def _stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()


def _work(connection: Connection, pipeline: str | None, max_characters: int) -> None:
    """Runs in the process: sends a description of the pipeline or the error of loading, then an answer to each task."""
    from .description import describe_pipeline, describe_texts, describe_tree, load_with_demonstrated

    # The server handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        nlp = load_with_demonstrated(pipeline, max_characters)
    except (OSError, ValueError) as error:
        connection.send(error)
        return
    connection.send(describe_pipeline(nlp))
    tasks: dict[str, Callable[..., Any]] = {"annotate": describe_texts, "draw_tree": describe_tree}
    # Until the server ends.
    with suppress(EOFError, BrokenPipeError):
        while True:
            task, *arguments = connection.recv()
            try:
                found = tasks[task](nlp, *arguments)
            except Exception:
                traceback.print_exc()
                found = None
            connection.send(found)
