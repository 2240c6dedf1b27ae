"""Work shared by threads that hold the interpreter's lock only now and then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from queue import SimpleQueue
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
