"""Files and directories by their addresses: local, or in object stores and clusters (fsspec). Files are written to a
hidden folder and renamed, so readers never see partial files."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from glob import glob
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, BinaryIO, NamedTuple
from uuid import uuid4

from ...errors import Errors, JointError, JointFileNotFoundError, JointOSError, JointValueError

# The folder of unfinished files.
PART = ".part"


class StoredFile(NamedTuple):
    """A file of a corpus."""

    address: str  # absolute
    size: int  # in bytes, as stored


def find_files(address: str) -> tuple[list[StoredFile], bool]:
    """Finds the files at an address, sorted: a file, the files in a directory that are not hidden, or the files that
    match a pattern. Also returns whether they were found by search, not named. Raises J711 if there are none, J441 if
    the storage cannot be read."""
    files, path = _open_filesystem(address)
    try:
        if files.isfile(path):
            return [StoredFile(make_absolute(address), files.size(path))], False
        if _is_local(files):
            listed = [StoredFile(name, os.path.getsize(name)) for name in _find_local(path) if os.path.isfile(name)]
        else:
            is_directory = files.isdir(path)
            found = (files.find if is_directory else files.glob)(path, detail=True)
            listed = [
                StoredFile(files.unstrip_protocol(name), info["size"])
                for name, info in found.items()
                if info["type"] == "file"
                and not (is_directory and any(map(_is_hidden, PurePosixPath(name).relative_to(path).parts)))
            ]
    except OSError as error:
        path = getattr(error, "filename", None) or address
        raise JointOSError(Errors.J441, path=path, reason=error.strerror or error) from error
    if not listed:
        raise JointFileNotFoundError(Errors.J711, address=address)
    return sorted(listed), True


def _find_local(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield from (PurePath(found).as_posix() for found in glob(path, recursive=True))
        return

    def fail(error: OSError) -> None:
        raise error

    seen: set[str] = set()
    for directory, folders, names in os.walk(path, onerror=fail, followlinks=True):
        if (real := os.path.realpath(directory)) in seen:
            # A link leads to a directory that was read before.
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        yield from (PurePath(directory, name).as_posix() for name in names if not _is_hidden(name))


def _open_filesystem(address: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    if not address:
        # It would be the current directory.
        raise JointValueError(Errors.J712, address=repr(address), reason="the address is empty")
    try:
        # No cache: other processes write.
        return url_to_fs(address, use_listings_cache=False)
    except (ImportError, ValueError) as error:
        raise JointValueError(Errors.J712, address=address, reason=error) from error


def _is_local(files: Any) -> bool:
    return "file" in files.protocol


def make_absolute(address: str) -> str:
    """Makes an address that is also valid for processes in other directories."""
    files, path = _open_filesystem(address)
    return Path(path).absolute().as_posix() if _is_local(files) else address


def identify(address: str) -> str:
    """Returns one string for all spellings of an address, with links resolved."""
    if "://" in address:
        files, address = _open_filesystem(address)
        if not _is_local(files):
            return files.unstrip_protocol(address).rstrip("/")
    return os.path.realpath(address)


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_"))


def open_raw(address: str) -> BinaryIO:
    """Opens a file without decompressing it."""
    files, path = _open_filesystem(address)
    return files.open(path, "rb")


class Directory:
    """A directory to write to, of any storage."""

    def __init__(self, address: str) -> None:
        self.address = make_absolute(address)
        self._files, path = _open_filesystem(self.address)
        self.path, self.is_local = path.rstrip("/"), _is_local(self._files)

    def list_sizes(self, folder: str = "") -> dict[str, int]:
        """Lists the names in a folder, with the lengths of files."""
        path = f"{self.path}/{folder}".rstrip("/")
        try:
            found = self._files.ls(path, detail=True)
        except FileNotFoundError:
            return {}
        return {PurePosixPath(info["name"]).name: info["size"] for info in found if info["name"].rstrip("/") != path}

    def read(self, name: str) -> bytes | None:
        """Reads a file; None if there is none."""
        return next(self.read_all([name]))

    def read_all(self, names: Sequence[str]) -> Iterator[bytes | None]:
        """Reads files, in this order, together if the storage can; None for missing files."""
        for start in range(0, len(names), 500):
            part = names[start : start + 500]
            found = self._files.cat_ranges([f"{self.path}/{name}" for name in part], None, None, on_error="return")
            for name, content in zip(part, found, strict=True):
                if isinstance(content, Exception) and not isinstance(content, FileNotFoundError):
                    raise JointOSError(Errors.J441, path=f"{self.address}/{name}", reason=content) from content
                yield content if isinstance(content, bytes) else None

    def replace(self, name: str, parts: Iterable[bytes]) -> None:
        """Writes a file, which replaces an earlier one once all of it is stored. Raises J440 if that fails."""
        path, part = f"{self.path}/{name}", f"{self.path}/{PART}/{uuid4().hex}"
        try:
            for each in (path, part):
                self._files.makedirs(each.rpartition("/")[0], exist_ok=True)
            with self._files.open(part, "wb") as file:
                file.writelines(parts)
                if self.is_local:
                    file.flush()
                    os.fsync(file.fileno())
            self._rename(part, path)
        except BaseException as error:
            with suppress(OSError):
                self._files.rm_file(part)
            if not isinstance(error, OSError) or isinstance(error, JointError):
                raise
            raise JointOSError(Errors.J440, path=f"{self.address}/{name}", reason=error.strerror or error) from error

    def create(self, name: str, content: bytes) -> None:
        """Writes a file of an object store unless it exists."""
        with suppress(FileExistsError):
            self._files.pipe_file(f"{self.path}/{name}", content, mode="create")

    def _rename(self, source: str, target: str) -> None:
        if not self.is_local:
            self._files.copy(source, target, on_error="raise")
            self._files.rm_file(source)
            return
        os.replace(source, target)
        # Not all systems can flush directories.
        with suppress(OSError):
            descriptor = os.open(os.path.dirname(target), os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def remove(self, name: str) -> None:
        """Removes a file, if it exists."""
        with suppress(FileNotFoundError):
            self._files.rm_file(f"{self.path}/{name}")

    def remove_leftovers(self) -> None:
        """Removes unfinished files of processes that died, and their folder."""
        for name in self.list_sizes(PART):
            if re.fullmatch("[0-9a-f]{32}", name):
                self.remove(f"{PART}/{name}")
        if self.is_local:
            with suppress(OSError):
                os.rmdir(f"{self.path}/{PART}")
