"""Running tasks in threads that mostly release the GIL."""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import sleep
from weakref import ref

POLL_SECONDS = 1e-3
# How often to look whether a thread has died without a notice.
DEATH_SECONDS = 0.1


class SignOfLife:
    """Belongs to a thread from the moment that it is created: gone when the thread is, even if that could not run any
    Python code for lack of memory."""

    __slots__ = ("__weakref__",)


def run_all(tasks: Sequence[Callable[[], object]], stop: Callable[[], None]) -> None:
    """Runs tasks, each in a thread of its own, and returns when all have ended.

    No task outlives the call: if the caller is interrupted (Ctrl-C), tasks are asked to stop and waited for, so that
    their resources can be reused.

    tasks (Sequence[Callable]): The tasks.
    stop (Callable): Asks the tasks to stop. It may be called more than once.
    RAISES: The exception of the first task that failed; MemoryError if a thread could not be started or run.
    """
    # Neither lists nor this queue are left half changed by an interrupt. Conditions may be: an interrupt at the wrong
    # moment leaves them locked, and with them executors, futures, events, and threads of `threading` that start.
    # Nothing here grows in a thread: memory may have run out.
    begun = [False] * len(tasks)
    ended = [False] * len(tasks)
    errors: list[BaseException | None] = [None] * len(tasks)
    signs: list[ref[SignOfLife]] = []
    interrupted: list[bool] = []
    notices: SimpleQueue[None] = SimpleQueue()

    def make_sign() -> SignOfLife:
        """A sign to which nothing but the thread will refer."""
        sign = SignOfLife()
        signs.append(ref(sign))
        return sign

    def run(number: int, sign: SignOfLife) -> None:
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
                start_new_thread(run, (number, make_sign()))
            except RuntimeError as error:
                raise MemoryError("There is no room for another thread.") from error
        while not all(ended):
            with suppress(Empty):
                notices.get(timeout=DEATH_SECONDS)
            for number, sign_of in enumerate(signs):
                # The other order would miss a task that ends in between.
                if sign_of() is None and not ended[number]:
                    ended[number] = True
                    errors[number] = MemoryError("A thread has died for lack of memory.")
    except BaseException:
        # Threads that have not begun will do nothing.
        while not interrupted or any(
            begun[number] and not ended[number] and sign_of() is not None for number, sign_of in enumerate(signs)
        ):
            try:
                interrupted.append(True)
                stop()
                sleep(POLL_SECONDS)
            except BaseException:  # interrupted again: there is still nothing to do but to wait
                continue
        raise
    for failure in errors:
        if failure is not None:
            raise failure
