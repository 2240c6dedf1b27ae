"""Work shared by threads that hold the interpreter's lock only now and then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, wait
from threading import Event
from time import sleep

POLL_SECONDS = 1e-3


def run_all(pool: Executor, tasks: Sequence[Callable[[], object]], stop: Callable[[], None]) -> None:
    """Runs tasks at the same time, and returns when the last has ended.

    No task outlives the call: when the caller is interrupted (Ctrl-C), tasks are asked to stop and waited for, so that
    what they use can be used again.

    pool (Executor): Where they run.
    tasks (Sequence[Callable]): What to do.
    stop (Callable): Asks the tasks to stop. It may be called more than once.
    RAISES: What the first task that failed raised.
    """
    begun: list[object] = []
    ended: list[object] = []
    interrupted = Event()

    def run(task: Callable[[], object]) -> object:
        begun.append(task)
        try:
            return None if interrupted.is_set() else task()
        finally:
            ended.append(task)

    try:
        futures = [pool.submit(run, task) for task in tasks]
        wait(futures)
    except BaseException:
        # Some of the tasks may be known to the pool alone: nothing tells how far it came with the others.
        while not interrupted.is_set() or len(ended) < len(begun):
            try:
                interrupted.set()
                stop()
                sleep(POLL_SECONDS)
            except BaseException:  # interrupted again: there is still nothing to do but to wait
                continue
        raise
    for future in futures:
        future.result()
