"""Running tasks in threads that mostly release the GIL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, wait


def run_all(pool: Executor, tasks: Sequence[Callable[[], object]], stop: Callable[[], None]) -> None:
    """Runs tasks concurrently, and returns when all have ended.

    No task outlives the call: if the caller is interrupted (Ctrl-C), tasks are asked to stop and waited for, so that
    their resources can be reused.

    pool (Executor): The executor.
    tasks (Sequence[Callable]): The tasks.
    stop (Callable): Asks the tasks to stop. It may be called more than once.
    RAISES: The exception of the first task that failed.
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
