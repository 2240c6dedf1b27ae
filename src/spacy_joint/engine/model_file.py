"""The file format of models: a header with metadata, followed by the arrays as they are in memory.

Nothing is pickled or copied: the arrays of a file opened by its path are memory-mapped, so loading is instant and
processes share the pages. Every array has a checksum, and the header identifies the labels and templates of the model;
files that do not match are refused before they are used.

Layout: the magic, a version (uint32), the length of the header (uint32), its checksum (uint32), the header (JSON), and
each array at a multiple of ALIGNMENT. All numbers are little-endian.
"""

import json
import mmap
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Errors, JointValueError

MAGIC = b"SPJOINT\0"
VERSION = 1
ALIGNMENT = 64
PREFIX = struct.Struct("<8sIII")
MAX_HEADER = 1 << 24
# The allowed types of arrays: numbers of fixed size, which numpy does not have to interpret.
DTYPES = frozenset(np.dtype(kind).newbyteorder("<").str for kind in "bBhHiIlLqQfd")


def pack(meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Makes the content of a model file.

    meta (Mapping): The metadata of the model; JSON-serialisable.
    arrays (Mapping[str, np.ndarray]): One-dimensional arrays.
    RETURNS (bytes): The content.
    """
    described, start = [], 0
    for name, array in arrays.items():
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        data = _bytes_of(little)
        described.append(
            ({"name": name, "dtype": little.dtype.str, "n": little.size, "at": start, "crc32": zlib.crc32(data)}, data)
        )
        start += -(-len(data) // ALIGNMENT) * ALIGNMENT
    header = json.dumps({"meta": meta, "arrays": [about for about, _ in described]}, sort_keys=True).encode("utf8")
    content = bytearray(PREFIX.pack(MAGIC, VERSION, len(header), zlib.crc32(header)) + header)
    content.extend(b"\0" * (-len(content) % ALIGNMENT))
    for _, data in described:
        content.extend(data)
        content.extend(b"\0" * (-len(content) % ALIGNMENT))
    return bytes(content)


def unpack(content: Any, source: str = "the bytes") -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Reads the content of a model file.

    content (bytes | mmap): The content; the arrays are views of it.
    source (str): The name of the content in errors.
    RETURNS (tuple[dict, dict[str, np.ndarray]]): The metadata, and the arrays, which are read-only.
    RAISES ValueError: If it is not a model, truncated, damaged, or of a different version.
    """
    size = len(content)
    if size < PREFIX.size or bytes(content[: len(MAGIC)]) != MAGIC:
        raise JointValueError(Errors.J050, source=source)
    _, version, header_size, header_crc = PREFIX.unpack(bytes(content[: PREFIX.size]))
    if version != VERSION:
        raise JointValueError(Errors.J051, source=source, version=version, known=VERSION)
    header = bytes(content[PREFIX.size : PREFIX.size + header_size])
    if header_size > MAX_HEADER or len(header) != header_size or zlib.crc32(header) != header_crc:
        raise JointValueError(Errors.J052, source=source, what="its header")
    first = -(-(PREFIX.size + header_size) // ALIGNMENT) * ALIGNMENT
    arrays = {}
    try:
        described = json.loads(header.decode("utf8"))
        for about in described["arrays"]:
            if about["dtype"] not in DTYPES:
                raise JointValueError(Errors.J052, source=source, what="its header")
            name, dtype, start = about["name"], np.dtype(about["dtype"]), first + about["at"]
            if not first <= start <= start + about["n"] * dtype.itemsize <= size:
                raise JointValueError(Errors.J052, source=source, what=f"the array '{name}'")
            array = np.frombuffer(content, dtype=dtype, count=about["n"], offset=start)
            array.flags.writeable = False
            if zlib.crc32(_bytes_of(array)) != about["crc32"]:
                raise JointValueError(Errors.J052, source=source, what=f"the array '{name}'")
            arrays[name] = array
        if not isinstance(described["meta"], dict):
            raise TypeError
        return described["meta"], arrays
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise JointValueError(Errors.J052, source=source, what="its header") from error


def _bytes_of(array: np.ndarray) -> memoryview:
    # An empty array has no bytes to view.
    return memoryview(array.view(np.uint8)) if array.size else memoryview(b"")  # type: ignore[arg-type]


def write(path: Path, content: bytes) -> None:
    """Writes a file under a temporary name, then renames it, so that readers never see a partial file."""
    beside = path.with_name(path.name + ".part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Memory-maps a model file: see `unpack`."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            raise JointValueError(Errors.J050, source=str(path))
        return unpack(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), str(path))
