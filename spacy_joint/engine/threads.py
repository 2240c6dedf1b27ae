"""Running tasks in threads that mostly release the GIL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from queue import SimpleQueue
from time import sleep

POLL_SECONDS = 1e-3


def run_all(pool: Executor, tasks: Sequence[Callable[[], object]], stop: Callable[[], None]) -> None:
    """Runs tasks concurrently, and returns when all have ended.

    No task outlives the call: if the caller is interrupted (Ctrl-C), tasks are asked to stop and waited for, so that
    their resources can be reused.

    pool (Executor): The executor.
    tasks (Sequence[Callable]): The tasks.
    stop (Callable): Asks the tasks to stop. It may be called more than once.
    RAISES: The exception of the first task that failed.
    """
    # Lists and this queue are never left half changed by an interrupt, as conditions are, on which futures and events
    # wait: after one of those, their locks may stay locked.
    begun: list[int] = []
    ended: list[int] = []
    interrupted: list[bool] = []
    notices: SimpleQueue[int] = SimpleQueue()
    errors: dict[int, BaseException] = {}

    def run(number: int) -> None:
        begun.append(number)
        try:
            if not interrupted:
                tasks[number]()
        except BaseException as error:  # raised by the caller's thread
            errors[number] = error
        finally:
            ended.append(number)
            notices.put(number)

    try:
        for number in range(len(tasks)):
            pool.submit(run, number)
        for _ in tasks:
            notices.get()
    except BaseException:
        # Some of the tasks may be known to the pool alone. Those that have not begun will do nothing.
        while not interrupted or len(ended) < len(begun):
            try:
                interrupted.append(True)
                stop()
                sleep(POLL_SECONDS)
            except BaseException:  # interrupted again: there is still nothing to do but to wait
                continue
        raise
    if errors:
        raise errors[min(errors)]
