"""Writes output atomically: readers find either the old content or all of the new content. Output first goes to a
hidden file with a unique name in the same directory, so several processes may write the same output."""

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO
from uuid import uuid4

from ..errors import Errors, JointError, JointOSError, JointValueError


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yields a temporary path to write to, which replaces `path` at the end unless there is an error (J440)."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        # A device or a pipe, such as /dev/stdout, must not be replaced.
        yield path
        return
    with _write_beside(path) as (target, temporary):
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)


@contextmanager
def open_atomic(path: Path) -> Iterator[TextIO]:
    """Yields an open text file (UTF-8, LF line endings) that replaces `path` at the end: see `atomic_write`."""
    with atomic_write(path) as temporary, temporary.open("w", encoding="utf8", newline="\n") as file:
        yield file


def write_bytes(path: Path, content: bytes) -> None:
    """Writes bytes to a file, atomically."""
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)


def write_json(path: Path, value: Any, *, indent: int = 2) -> None:
    """Writes a value as JSON to a file, atomically."""
    with open_atomic(path) as file:
        file.write(json.dumps(value, ensure_ascii=False, indent=indent) + "\n")


@contextmanager
def atomic_write_directory(path: Path, pattern: str = "config.cfg") -> Iterator[Path]:
    """Yields a temporary path for a directory, which the caller creates: see `atomic_write`. An existing directory is
    replaced only if it is empty or has a file that matches `pattern`, as earlier outputs do (by default,
    pipelines). RAISES ValueError: Otherwise (J713)."""
    check_directory(path, pattern)
    with _write_beside(path) as (target, temporary):
        yield temporary
        # A directory cannot be replaced atomically: for a moment, the old and the new one exist under other names only.
        # Meanwhile, another process may put its own there, which is then replaced, too.
        replaced = []
        while True:
            with suppress(FileNotFoundError):
                replaced.append(target.rename(_name_beside(target)))
            try:
                temporary.rename(target)
                break
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                    raise
        for earlier in replaced:
            try:
                shutil.rmtree(earlier)
            except BaseException:  # such as an interruption
                shutil.rmtree(earlier, ignore_errors=True)
                raise


def check_directory(path: Path, pattern: str = "config.cfg") -> None:
    """Checks that `atomic_write_directory` can write a directory (J440, J713), before work that takes long."""
    # Retried, since another process that replaces the directory may just have moved it away.
    if all(reasons := [_find_obstacle(path, pattern) for _ in range(3)]):
        raise JointValueError(Errors.J713, address=path, reason=reasons[-1])
    check_writable(path)


def check_writable(path: Path) -> None:
    """Checks that `atomic_write` can write a path (J440), before work that takes long."""
    with _write_beside(path) as (_, temporary):
        temporary.touch()


def _find_obstacle(path: Path, pattern: str) -> str | None:
    """Returns why a path must not be replaced; None if there is nothing, or an earlier output."""
    try:
        names = sorted(os.listdir(path))
        return None if not names or any(path.glob(pattern)) else f"it has other files, such as {names[0]}"
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return "it is a file"


def _name_beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{uuid4().hex}")


@contextmanager
def _write_beside(path: Path) -> Iterator[tuple[Path, Path]]:
    target = path.resolve()
    temporary = _name_beside(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield target, temporary
    except OSError as error:
        if isinstance(error, JointError):
            raise
        # `copytree` collects the errors of all files.
        reason = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror or error
        if isinstance(error, FileExistsError):  # of `mkdir`
            reason = "its directory is a file"
        raise JointOSError(Errors.J440, path=path, reason=reason) from error
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            with suppress(OSError):
                temporary.unlink()
