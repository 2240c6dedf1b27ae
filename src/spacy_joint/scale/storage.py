"""Files and directories anywhere: local ones, and those of object stores and clusters, by their addresses (fsspec).

Objects are written beside their destination and renamed, so readers find all of one or nothing. A hidden file may be
left behind by a process that is killed.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any, BinaryIO, NamedTuple, cast
from uuid import uuid4

from ..errors import Errors, JointFileNotFoundError, JointOSError, JointValueError

# Bytes that are decompressed at once; if they are damaged, all of them are lost.
BUFFER = 1 << 16
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}


class StoredFile(NamedTuple):
    """A file of a corpus.

    address (str): Where it is, relative to the working directory if it was given so.
    size (int): Its length in bytes, as it is stored.
    """

    address: str
    size: int


def find_files(address: str) -> tuple[list[StoredFile], bool]:
    """Finds files, sorted by address.

    address (str): A file, a directory (with all below it, except what is hidden), or a pattern such as `*.jsonl.gz`.
    RETURNS (tuple[list[StoredFile], bool]): The files, and whether they were found rather than named one by one.
    RAISES OSError: If there is none (J711), or if the storage cannot be read (J441).
    """
    files, path = _open_filesystem(address)
    try:
        if files.isfile(path):
            return [StoredFile(address, files.size(path))], False
        found = files.find(path, detail=True) if files.isdir(path) else files.glob(path, detail=True)
        is_directory = files.isdir(path)
    except OSError as error:
        raise JointOSError(Errors.J441, path=address, reason=error.strerror or error) from error
    listed = [
        StoredFile(_name(files, name, address), info["size"])
        for name, info in sorted(found.items())
        # Links may lead elsewhere.
        if (info["type"] == "file" or (info.get("islink") and files.isfile(name)))
        and not (is_directory and _is_hidden(name, path))
    ]
    if not listed:
        raise JointFileNotFoundError(Errors.J711, address=address)
    return listed, True


def _open_filesystem(address: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    try:
        # Listings change while other processes write.
        return url_to_fs(address, use_listings_cache=False)
    except (ImportError, ValueError) as error:
        raise JointValueError(Errors.J712, address=address, reason=error) from error


def _name(files: Any, found: str, given: str) -> str:
    """The address of a file that was found, in the style of the address that was given."""
    if "://" in given:
        return files.unstrip_protocol(found)
    return found if os.path.isabs(given) else PurePosixPath(os.path.relpath(found)).as_posix()


def make_absolute(address: str) -> str:
    """The same address for processes in other directories."""
    return address if "://" in address else os.path.abspath(address)


def _is_hidden(name: str, directory: str) -> bool:
    return any(part.startswith((".", "_")) for part in PurePosixPath(name).relative_to(directory).parts)


def open_raw(address: str) -> BinaryIO:
    """Opens a file as it is stored."""
    files, path = _open_filesystem(address)
    return files.open(path, "rb")


def decompress(raw: BinaryIO, suffix: str) -> BinaryIO:
    """What is in a compressed file, whose parts may be compressed separately. Reading damaged data raises an `OSError`
    without a number."""
    if suffix not in COMPRESSIONS:
        return raw
    import pyarrow

    stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(raw, mode="r"), COMPRESSIONS[suffix])
    return cast(BinaryIO, io.BufferedReader(stream, BUFFER))


class Directory:
    """A directory to write to, of any storage.

    address (str): Its path or address.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._files, self._path = _open_filesystem(address)

    def covers(self, address: str) -> bool:
        """Whether a file is in this directory."""
        files, path = _open_filesystem(address)
        return type(files) is type(self._files) and path.startswith(f"{self._path.rstrip('/')}/")

    def list_names(self, folder: str) -> list[str]:
        """The names of the files of a folder in it, sorted; hidden ones, too."""
        path = f"{self._path}/{folder}"
        if not self._files.isdir(path):
            return []
        return sorted(PurePosixPath(name).name for name in self._files.ls(path, detail=False))

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if there is none."""
        try:
            return self._files.cat_file(f"{self._path}/{name}")
        except FileNotFoundError:
            return None

    def read_all(self, names: Sequence[str]) -> Iterator[bytes]:
        """The contents of files, in this order; storages that can read several at once do."""
        for start in range(0, len(names), 500):
            paths = [f"{self._path}/{name}" for name in names[start : start + 500]]
            found = self._files.cat(paths)
            yield from (found[path] for path in paths)

    def replace(self, name: str, parts: Iterable[bytes]) -> None:
        """Writes a file, which replaces an earlier one when it is complete.

        RAISES OSError: If it cannot be written (J440).
        """
        path = PurePosixPath(self._path, name)
        beside = path.with_name(f".{path.name}.{uuid4().hex}")
        try:
            self._files.makedirs(str(path.parent), exist_ok=True)
            with self._files.open(str(beside), "wb") as file:
                for part in parts:
                    file.write(part)
            self._files.mv(str(beside), str(path))
        except OSError as error:
            raise JointOSError(Errors.J440, path=f"{self.address}/{name}", reason=error.strerror or error) from error

    def remove(self, name: str) -> None:
        """Removes a file, if it exists."""
        with suppress(FileNotFoundError):
            self._files.rm_file(f"{self._path}/{name}")
