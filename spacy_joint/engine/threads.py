"""Runs tasks in threads that mostly release the GIL, and makes locks that survive a fork."""

import os
from _thread import start_new_thread
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Event, Lock, local
from time import monotonic, sleep
from weakref import ref

POLL_SECONDS = 1e-3
# How long the threads of a closed generator may take to end.
CLOSING_SECONDS = 1.0
# How often to check for threads that have died without notice.
DEATH_SECONDS = 0.1


def make_fork_lock() -> Lock:
    """Returns a lock that a fork waits for. If a thread holds any other lock during a fork, it stays locked in the
    child, since threads are not forked. Make one per module: it lasts as long as the process.

    Several may be held at once if a module takes its own before those of modules that it imports, as a fork does.
    """
    lock = Lock()
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


# Has the event that asks this thread of a pool to stop.
_this_thread = local()


class Stopped(BaseException):
    """Ends a task of a pool whose result is no longer needed."""


def check_stop() -> None:
    """Raises `Stopped` in threads of a pool that is closing; long searches call it periodically."""
    stop: Event | None = getattr(_this_thread, "stop", None)
    if stop is not None and stop.is_set():
        raise Stopped


class ThreadMarker:
    """An object that a thread holds from its creation to its end, even if memory ran out before the thread could run
    any code."""


@contextmanager
def open_pool(n_threads: int) -> Iterator[ThreadPoolExecutor]:
    """Opens a pool of threads. On exit, waiting tasks are cancelled, searches stop early, and all threads end.

    If the generator that opened the pool is closed, threads are not joined: the garbage collector may close it, in a
    thread that starts or ends and holds what theirs need to end. Then it returns after `CLOSING_SECONDS` at the latest.
    """
    stop = Event()
    markers: list[ref[ThreadMarker]] = []

    def begin() -> None:
        _this_thread.stop, _this_thread.marker = stop, ThreadMarker()
        markers.append(ref(_this_thread.marker))

    pool = ThreadPoolExecutor(n_threads, initializer=begin)
    is_closed = False
    try:
        yield pool
    except GeneratorExit:
        is_closed = True
        raise
    finally:
        stop.set()
        pool.shutdown(wait=not is_closed, cancel_futures=True)
        latest = monotonic() + CLOSING_SECONDS
        while is_closed and monotonic() < latest and any(marker() is not None for marker in markers):
            sleep(POLL_SECONDS)


def run_all(tasks: Sequence[Callable[[], object]], stop: Callable[[], None]) -> None:
    """Runs tasks, one thread each, and returns when all have ended. No task outlives the call: if the caller is
    interrupted (Ctrl-C), `stop` is called, maybe repeatedly, to ask the tasks to end. RAISES: The exception of the
    first task that failed; MemoryError if a thread could not be started or run."""
    # An interrupt can leave conditions locked, and thus block executors, futures, events and `threading.Thread.start`.
    # Lists and `SimpleQueue` stay consistent. The lists have their final length, since memory may run out.
    begun, ended = [False] * len(tasks), [False] * len(tasks)
    errors: list[BaseException | None] = [None] * len(tasks)
    markers: list[ref[ThreadMarker]] = []
    interrupted: list[bool] = []
    notices: SimpleQueue[None] = SimpleQueue()

    def make_marker() -> ThreadMarker:
        marker = ThreadMarker()
        markers.append(ref(marker))
        return marker

    def run(number: int, marker: ThreadMarker) -> None:
        begun[number] = True
        try:
            if not interrupted:
                tasks[number]()
        except BaseException as error:  # raised by the caller's thread
            errors[number] = error
        finally:
            ended[number] = True
            notices.put(None)

    try:
        for number in range(len(tasks)):
            try:
                start_new_thread(run, (number, make_marker()))
            except RuntimeError as error:
                raise MemoryError("There is no room for another thread.") from error
        while not all(ended):
            with suppress(Empty):
                notices.get(timeout=DEATH_SECONDS)
            for number, marker_of in enumerate(markers):
                # In the other order, a task that ends in between would look dead.
                if marker_of() is None and not ended[number]:
                    ended[number] = True
                    errors[number] = MemoryError("A thread has died for lack of memory.")
    except BaseException:
        # Threads that have not begun will do nothing.
        while not interrupted or any(
            begun[number] and not ended[number] and marker_of() is not None for number, marker_of in enumerate(markers)
        ):
            try:
                interrupted.append(True)
                stop()
                sleep(POLL_SECONDS)
            except BaseException:  # interrupted again: go on waiting
                continue
        raise
    for failure in errors:
        if failure is not None:
            raise failure
