"""Writing output atomically: readers find either the old content or all of the new content.

The output is first written to a hidden file in the same directory, which is left behind if the process is killed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import Errors, JointError, JointOSError


@contextmanager
def replace_when_written(path: Path) -> Iterator[Path]:
    """Yields a temporary path next to `path` to write to, which replaces it at the end unless there is an error.

    RAISES OSError: If the file cannot be written (J440).
    """
    if path.exists() and not path.is_file():
        # A device or a pipe, such as /dev/stdout, must not be replaced.
        yield path
        return
    with _write_beside(path) as (target, temporary):
        yield temporary
        os.replace(temporary, target)


@contextmanager
def replace_directory_when_written(path: Path) -> Iterator[Path]:
    """The same for a directory, which the caller creates."""
    with _write_beside(path) as (target, temporary):
        yield temporary
        if not target.exists():
            temporary.rename(target)
            return
        # A directory cannot be replaced atomically: for a moment, the old and the new one exist under other names only.
        earlier = target.rename(temporary.with_name(f"{temporary.name}.earlier"))
        temporary.rename(target)
        shutil.rmtree(earlier)


@contextmanager
def _write_beside(path: Path) -> Iterator[tuple[Path, Path]]:
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield target, temporary
    except OSError as error:
        if isinstance(error, JointError):
            raise
        # `copytree` collects the errors of all files.
        reason = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror or error
        raise JointOSError(Errors.J440, path=path, reason=reason) from error
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            temporary.unlink(missing_ok=True)
