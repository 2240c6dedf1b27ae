"""The connection to a Ray cluster of many machines, or of this one."""

import logging
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from typing import Any

from ..errors import Errors, JointError, JointOSError, require_packages

# The address that starts Ray on this machine.
LOCAL = "local"
# Seconds within which a cluster must accept connections: Ray itself would try for minutes.
TIMEOUT = 5
# How often the work of a process that died is retried.
RETRIES = 5


@contextmanager
def connect(address: str = LOCAL, *, log_to_driver: bool = True, **here: Any) -> Iterator[Any]:
    """Yields Ray, connected to the cluster at an address ("auto": this machine's), or started here ("local") with
    settings of `ray.init`; reuses an existing connection. Workers run in the directory of this process, so relative
    paths work. Logs to a file; errors print its name. Raises J710 without Ray, J740 if Ray cannot start or be reached.
    """
    require_packages("ray", "ray")
    _require_listener(address)
    # No telemetry unless users ask for it.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with _log_to_file():
        import ray

        if ray.is_initialized():
            yield ray
            return
        divert_loggers()
        directory = os.getcwd()

        def enter() -> None:
            with suppress(OSError):
                os.chdir(directory)

        elsewhere = {"runtime_env": {"worker_process_setup_hook": enter}}
        settings = {"include_dashboard": False, **here} if address == LOCAL else elsewhere
        try:
            ray.init(address, log_to_driver=log_to_driver, logging_level=logging.WARNING, **settings)
        except Exception as error:
            # Ray raises errors of any class, e.g. if starting takes too long.
            raise JointOSError(Errors.J740, reason=error) from error
        try:
            yield ray
        finally:
            ray.shutdown()


def _require_listener(address: str) -> None:
    """Raises J740 if nothing listens at an address with a port."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), TIMEOUT).close()
        except OSError as error:
            raise JointOSError(Errors.J740, reason=f"{address}: {error.strerror or error}") from error


@contextmanager
def _log_to_file() -> Iterator[None]:
    """Redirects the standard error of native code (file descriptor 2) to a file, but not Python's."""
    descriptor, path = tempfile.mkstemp(".log", "spacy_joint_ray_")
    earlier, shown = sys.stderr, os.dup(2)
    earlier.flush()
    os.dup2(descriptor, 2)
    if sys.__stderr__ is not None and earlier is sys.__stderr__:
        # Stays open, since progress bars may keep it.
        sys.stderr = os.fdopen(shown, "w", 1, earlier.encoding, earlier.errors, closefd=False)
    is_named = False
    try:
        yield
    except Exception:
        is_named = os.fstat(descriptor).st_size > 0
        raise
    finally:
        sys.stderr = earlier
        os.dup2(shown, 2)
        os.close(descriptor)
        if is_named:
            print(f"The log of Ray: {path}", file=earlier)
        else:
            os.remove(path)


def divert_loggers() -> None:
    """Makes the loggers of imported modules of Ray write to the same file as its native code: see `connect`."""
    for name in list(logging.root.manager.loggerDict):
        for handler in logging.getLogger(name).handlers if name.partition(".")[0] == "ray" else ():
            if not isinstance(handler, logging.StreamHandler) or isinstance(handler, logging.FileHandler):
                continue
            # Handlers that keep records in memory are not Ray's.
            if sys.__stderr__ is not None and not isinstance(handler.stream, StringIO):
                handler.setStream(sys.__stderr__)


class _Actor:
    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)


def start_actors(ray: Any, n: int) -> list[Any]:
    """Starts actors whose method `call` calls any function. Ray restarts actors that die."""
    remote = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=RETRIES)(_Actor)
    return [remote.remote() for _ in range(n)]


@contextmanager
def translate_errors(ray: Any) -> Iterator[None]:
    """Re-raises actors' errors in the driver without Ray's traceback, or J730 if their processes keep dying."""
    try:
        yield
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, JointError):
            raise error.cause from error
        raise
    except ray.exceptions.RayActorError as error:
        raise JointOSError(Errors.J730, n=1 + RETRIES, reason=error) from error
