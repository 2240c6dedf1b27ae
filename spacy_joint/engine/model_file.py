"""The file format of models: a header with metadata, followed by the arrays in their memory layout.

Nothing is pickled, arrays are views of the content, and each has a checksum. Files are read whole: if they were mapped
into memory, a process would crash or predict nonsense when its file is truncated or overwritten.

Layout: the magic, a version (uint32), the length of the header (uint32), its checksum (uint32), the header (JSON), and
each array at a multiple of ALIGNMENT. All numbers are little-endian.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import Errors, JointValueError, report_damage

MAGIC = b"SPJOINT\0"
VERSION = 1
ALIGNMENT = 64
PREFIX = struct.Struct("<8sIII")
MAX_HEADER = 1 << 24
# The allowed types of arrays: numbers of fixed size.
DTYPES = frozenset(np.dtype(kind).newbyteorder("<").str for kind in "bBhHiIlLqQfd")


def pack(meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Returns the content of a model file with JSON-serialisable metadata and one-dimensional arrays."""
    described, blob = [], bytearray()
    for name, array in arrays.items():
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        entry = {"name": name, "dtype": little.dtype.str, "n": little.size, "at": len(blob)}
        described.append({**entry, "crc32": zlib.crc32(_bytes_of(little))})
        blob += _bytes_of(little)
        blob += bytes(-len(blob) % ALIGNMENT)
    header = json.dumps({"meta": meta, "arrays": described}, sort_keys=True).encode("utf8")
    prefix = PREFIX.pack(MAGIC, VERSION, len(header), zlib.crc32(header)) + header
    return prefix + bytes(-len(prefix) % ALIGNMENT) + blob


def unpack(content: Any, source: str = "the bytes") -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Returns the metadata and the arrays of a model file; the arrays are read-only views of `content`. RAISES
    ValueError: If it is not a model, truncated, damaged, or of a different version; `source` names it."""
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
    with report_damage(source, "its header"):
        described = json.loads(header.decode("utf8"))
        for entry in described["arrays"]:
            if entry["dtype"] not in DTYPES:
                raise TypeError
            name, dtype, start = entry["name"], np.dtype(entry["dtype"]), first + entry["at"]
            if not first <= start <= start + entry["n"] * dtype.itemsize <= size:
                raise JointValueError(Errors.J052, source=source, what=f"the array '{name}'")
            array = np.frombuffer(content, dtype=dtype, count=entry["n"], offset=start)
            array.flags.writeable = False
            if zlib.crc32(_bytes_of(array)) != entry["crc32"]:
                raise JointValueError(Errors.J052, source=source, what=f"the array '{name}'")
            arrays[name] = array
        if not isinstance(described["meta"], dict):
            raise TypeError
    return described["meta"], arrays


def _bytes_of(array: np.ndarray) -> memoryview:
    # An empty array has no bytes to view.
    return memoryview(array.view(np.uint8)) if array.size else memoryview(b"")  # type: ignore[arg-type]
