"""The lock of an output directory, which ends with its owner: a lock of the operating system for local directories,
otherwise a file that the owner renews."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from threading import Event, Thread
from uuid import uuid4

from ...errors import Errors, JointOSError, JointValueError
from .storage import Directory

LOCK = ".lock"
# The time without renewal, in seconds, after which an owner has died.
LEASE = 20.0


@contextmanager
def lock(output: Directory) -> Iterator[Callable[[], None]]:
    """Locks a directory, and yields a function that checks the lock. Both raise J713 if another run has the lock."""
    refused = JointValueError(Errors.J713, address=output.address, reason="another run is writing there")
    if not output.is_local:
        with _lease(output, refused) as check:
            yield check
        return
    from filelock import FileLock, Timeout

    with ExitStack() as stack:
        try:
            os.makedirs(output.path, exist_ok=True)
            stack.enter_context(FileLock(f"{output.path}/{LOCK}", timeout=0))
        except Timeout:
            raise refused from None
        except OSError as error:
            raise JointOSError(Errors.J440, path=output.path, reason=error.strerror or error) from error
        yield lambda: None


@contextmanager
def _lease(output: Directory, refused: Exception) -> Iterator[Callable[[], None]]:
    owner = uuid4().hex.encode("ascii")

    def check() -> None:
        if not (output.read(LOCK) or b"").startswith(owner):
            raise refused

    def renew() -> None:
        for n in count():
            if ended.wait(LEASE / 4):
                return
            # A storage that fails for longer loses the lock, which `check` notices.
            with suppress(OSError, JointValueError):
                check()
                output.replace(LOCK, [owner, b" %d" % n])

    if found := output.read(LOCK):
        time.sleep(LEASE)
        if output.read(LOCK) not in (found, None):
            raise refused
        output.remove(LOCK)
    output.create(LOCK, owner)
    check()
    ended = Event()
    renewal = Thread(target=renew, daemon=True)
    renewal.start()
    try:
        yield check
    finally:
        ended.set()
        renewal.join()
        with suppress(OSError, JointValueError):
            check()
            output.remove(LOCK)
