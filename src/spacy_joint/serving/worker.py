"""A process that annotates one text at a time, and can be killed while doing so.

A search in a thread cannot be stopped, but a process can, and if it dies, the server continues with a new one.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import ceil
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import BoundedSemaphore, Lock
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


class Worker:
    """A process with a pipeline. Threads may share a worker: up to 32 wait for each other.

    pipeline (str): The name or path of a pipeline. None is the shipped pipeline.
    timeout (float): The maximum number of seconds for waiting, and again for annotating.
    max_characters (int): The maximum length of texts.
    RAISES OSError, ValueError: If the pipeline cannot be loaded.
    """

    def __init__(self, pipeline: str | None, *, timeout: float, max_characters: int) -> None:
        self.pipeline, self.timeout, self.max_characters = pipeline, timeout, max_characters
        self.lock, self.places = Lock(), BoundedSemaphore(MAX_TEXTS)
        self._start()
        self.description = self._wait_until_loaded()

    def annotate(self, text: str) -> dict[str, Any]:
        """Annotates a text: see `describe_text`.

        RAISES WorkerFailure: If annotating failed. The worker remains usable.
        """
        return self._wait_and_ask("annotate", text)

    def draw_tree(self, text: str, sentence: int, kind: str) -> dict[str, Any]:
        """Draws the tree of a sentence: see `describe_tree`.

        RAISES WorkerFailure: If annotating failed. The worker remains usable.
        """
        return self._wait_and_ask("draw_tree", text, sentence, kind)

    @property
    def process_id(self) -> int | None:
        """The current process."""
        return self._process.pid

    def close(self) -> None:
        """Ends the process."""
        self._stop()

    def _wait_and_ask(self, task: str, *arguments: Any) -> dict[str, Any]:
        with self._turn():
            try:
                found = self._ask(task, *arguments)
            except BaseException:
                # A late answer must not be mistaken for the answer to the next text.
                self._stop()
                self._start()
                raise
        if found is None:
            raise Broken(Errors.J435)
        return found

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Waits for the texts that came before."""
        if not self.places.acquire(blocking=False):
            raise Busy(Errors.J445, most=MAX_TEXTS, seconds=ceil(self.timeout))
        try:
            if not self.lock.acquire(timeout=self.timeout):
                raise Busy(Errors.J433, seconds=self.timeout)
            try:
                yield
            finally:
                self.lock.release()
        finally:
            self.places.release()

    def _ask(self, task: str, *arguments: Any) -> dict[str, Any] | None:
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

    def _stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()


def _work(connection: Connection, pipeline: str | None, max_characters: int) -> None:
    """Runs in the process: sends a description of the pipeline or the error of loading, then an answer to each text."""
    from .description import describe_pipeline, describe_text, describe_tree, load_with_demonstrated

    # The server handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        nlp = load_with_demonstrated(pipeline, max_characters)
    except (OSError, ValueError) as error:
        connection.send(error)
        return
    connection.send(describe_pipeline(nlp))
    tasks: dict[str, Callable[..., dict[str, Any]]] = {"annotate": describe_text, "draw_tree": describe_tree}
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
