"""Running tasks in threads that mostly release the GIL."""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from time import sleep

POLL_SECONDS = 1e-3


def run_all(tasks: Sequence[Callable[[], object]], stop: Callable[[], None]) -> None:
    """Runs tasks, each in a thread of its own, and returns when all have ended.

    No task outlives the call: if the caller is interrupted (Ctrl-C), tasks are asked to stop and waited for, so that
    their resources can be reused.

    tasks (Sequence[Callable]): The tasks.
    stop (Callable): Asks the tasks to stop. It may be called more than once.
    RAISES: The exception of the first task that failed; MemoryError if a thread could not be started.
    """
    # Neither lists nor this queue are left half changed by an interrupt. Conditions may be: an interrupt at the wrong
    # moment leaves them locked, and with them executors, futures, events, and threads of `threading` that start.
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
            try:
                start_new_thread(run, (number,))
            except RuntimeError as error:
                raise MemoryError("There is no room for another thread.") from error
        for _ in tasks:
            notices.get()
    except BaseException:
        # Threads that have not begun will do nothing.
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
