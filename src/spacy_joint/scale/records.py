"""The records of a corpus: texts with what is known of them, in files of several formats, compressed or not.

Reading divides files into records as they are stored. What is in a record is found out later, by the process that
annotates it (`annotator`), so that reading is fast and a damaged record is one failure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ..corpora.raw_text import JSONL
from ..transcripts.reading import FORMATS as TEXT_FORMATS
from ..transcripts.reading import SUFFIXES as TRANSCRIPT_SUFFIXES
from .storage import COMPRESSIONS, StoredFile, decompress, open_raw

if TYPE_CHECKING:
    import pyarrow

JSON, PARQUET, WET = "jsonl", "parquet", "wet"
FORMATS = (*TEXT_FORMATS, JSON, PARQUET, WET)
# Formats of records, besides the names of formats of texts: a line of a text, a text of unknown format, an object with
# the keys "text" and "meta", and the reason why the rest of a file cannot be read.
LINE, ANY_TEXT, OBJECT, FAILURE = "line", "any", "object", "failure"
SUFFIXES = {JSONL: JSON, ".ndjson": JSON, ".parquet": PARQUET, ".wet": WET, ".txt": ANY_TEXT, **TRANSCRIPT_SUFFIXES}
# Rows of Parquet that are held at a time.
ROWS = 256
# The fields of WARC records that are kept.
WARC_FIELDS = {"warc-target-uri": "url", "warc-date": "date", "warc-record-id": "id"}
CONVERSION = "conversion"


class Record(NamedTuple):
    """A record as it is stored.

    source (str): The address of its file.
    number (int): Its place in the file, from 1: a line, or a row, or 1 for a file that is one text.
    format (str): What `data` is: one of the formats above.
    data (bytes): The record itself.
    """

    source: str
    number: int
    format: str
    data: bytes


class Reading(NamedTuple):
    """How files are read.

    format (str | None): The format of all files; None is by suffix.
    lines (bool): Whether each line of a text is a record.
    text_column (str): The column, or key, of texts in Parquet and JSON lines.
    """

    format: str | None = None
    lines: bool = False
    text_column: str = "text"


class ReadRecord(NamedTuple):
    """A record, and how many bytes of the stored file have been read with it."""

    record: Record
    n_read: int


def split_suffix(address: str) -> tuple[str, str]:
    """The suffix of a file without that of its compression, and that of its compression (lower case, or empty)."""
    path = PurePosixPath(address.lower())
    if path.suffix in COMPRESSIONS:
        return path.with_suffix("").suffix, path.suffix
    return path.suffix, ""


def is_readable(address: str) -> bool:
    """Whether the suffix is one of a known format."""
    return split_suffix(address)[0] in SUFFIXES


def read_records(file: StoredFile, reading: Reading) -> Iterator[ReadRecord]:
    """Reads the records of a file. If the file is damaged, the last record says why, and the rest is left out.

    RAISES OSError: If the storage fails.
    """
    suffix, compression = split_suffix(file.address)
    format_ = reading.format or SUFFIXES.get(suffix, ANY_TEXT)
    number = at = 0
    with open_raw(file.address) as raw:
        try:
            source = decompress(raw, compression)
            for number, kind, data in _read(source, format_, reading):
                # Only bytes that have been fetched are known, which is more than have been decompressed.
                before, at = at, min(raw.tell(), file.size)
                yield ReadRecord(Record(file.address, number, kind, data), at - before)
        except (OSError, ValueError) as error:
            # Arrow's errors of damaged data are values, or have no number; those of storages have one.
            if isinstance(error, OSError) and (type(error) is not OSError or error.errno is not None):
                raise
            yield ReadRecord(Record(file.address, number + 1, FAILURE, str(error).encode("utf8")), file.size - at)


def _read(source: BinaryIO, format_: str, reading: Reading) -> Iterator[tuple[int, str, bytes]]:
    if format_ in OBJECT_READERS:
        yield from OBJECT_READERS[format_](source, reading.text_column)
    elif reading.lines:
        for number, line in enumerate(source, start=1):
            if not line.isspace():
                yield number, LINE, line
    else:
        yield 1, format_, source.read()


def _read_json(source: BinaryIO, text_column: str) -> Iterator[tuple[int, str, bytes]]:
    for number, line in enumerate(source, start=1):
        if not line.isspace():
            yield number, OBJECT, line


def _read_parquet(source: BinaryIO, text_column: str) -> Iterator[tuple[int, str, bytes]]:
    from pyarrow.parquet import ParquetFile

    rows: Iterator[pyarrow.RecordBatch] = ParquetFile(source).iter_batches(batch_size=ROWS)
    number = 0
    for batch in rows:
        for row in batch.to_pylist():
            number += 1
            text = row.pop(text_column, None)
            yield number, OBJECT, _format_object(text, row, text_column)


def _read_wet(source: BinaryIO, text_column: str) -> Iterator[tuple[int, str, bytes]]:
    """Reads plain text that was extracted from web pages, in WARC records (ISO 28500) of the type `conversion`."""
    number = 0
    while version := _skip_blank_lines(source):
        if not version.startswith(b"WARC/"):
            raise ValueError(f"a WARC record begins with {version[:20]!r}")
        lines = takewhile(bytes.strip, iter(source.readline, b""))
        pairs = (line.decode("utf8", "replace").partition(":") for line in lines)
        fields = {name.strip().lower(): value.strip() for name, _, value in pairs}
        length = int(fields.get("content-length", -1))
        content = source.read(length) if length >= 0 else b""
        if len(content) != length:
            raise ValueError(f"a WARC record has {len(content)} bytes, and its length is {length}")
        number += 1
        if fields.get("warc-type") == CONVERSION:
            meta = {key: fields[field] for field, key in WARC_FIELDS.items() if field in fields}
            try:
                yield number, OBJECT, _format_object(content.decode("utf8"), meta, text_column)
            except UnicodeDecodeError as error:
                yield number, FAILURE, str(error).encode("utf8")


def _skip_blank_lines(source: BinaryIO) -> bytes:
    return next((line for line in iter(source.readline, b"") if line.strip()), b"")


def _format_object(text: Any, meta: dict[str, Any], text_column: str) -> bytes:
    return json.dumps({text_column: text, "meta": meta}, ensure_ascii=False, default=str).encode("utf8")


OBJECT_READERS: dict[str, Callable[[BinaryIO, str], Iterator[tuple[int, str, bytes]]]] = {
    JSON: _read_json,
    PARQUET: _read_parquet,
    WET: _read_wet,
}
