"""Work shared by threads that hold the interpreter's lock only now and then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, wait


def run_all(pool: Executor, tasks: Sequence[Callable[[], object]], stop: Callable[[], None]) -> None:
    """Runs tasks at the same time, and returns when the last has ended.

    No task outlives the call: when the caller is interrupted (Ctrl-C), tasks are asked to stop and waited for, so that
    what they use can be used again.

    pool (Executor): Where they run.
    tasks (Sequence[Callable]): What to do.
    stop (Callable): Asks the tasks to stop. It may be called more than once.
    RAISES: What the first task that failed raised.
    """
    futures = [pool.submit(task) for task in tasks]
    try:
        wait(futures)
    except BaseException:
        while not all(future.done() for future in futures):
            stop()
            try:
                wait(futures)
            except BaseException:  # interrupted again: there is still nothing to do but to wait
                continue
        raise
    for future in futures:
        future.result()
