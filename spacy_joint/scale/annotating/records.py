"""The records of a corpus: texts with metadata, in files of several formats, compressed or not. A damaged record counts
as one failure, and so does the rest of a damaged file."""

import codecs
import csv
import io
import json
from collections.abc import Iterator
from gzip import BadGzipFile
from pathlib import PurePosixPath
from typing import Any, BinaryIO, NamedTuple

from ...corpora import conllu, constituency_treebanks, docbin
from ...corpora.raw_text import JSONL, parse_object
from ...errors import Errors, JointValueError, check_choice
from ...files.compression import COMPRESSIONS, READ_ERRORS, decompress
from ...files.reading import read_lines
from ...transcripts.reading import FORMATS as TEXT_FORMATS
from ...transcripts.reading import SUFFIXES as TRANSCRIPT_SUFFIXES
from ...transcripts.reading import TEXT, guess_format
from .storage import StoredFile, open_raw

CSV, JSON, PARQUET, WET = "csv", "jsonl", "parquet", "wet"
FORMATS = (*TEXT_FORMATS, CSV, JSON, PARQUET, WET)
# A text whose format is guessed, and a record that cannot be read, whose text is the reason.
ANY_TEXT, FAILURE = "any", "failure"
RECORD_SUFFIXES = {".csv": CSV, JSONL: JSON, ".ndjson": JSON, ".parquet": PARQUET, ".wet": WET}
SUFFIXES = {**RECORD_SUFFIXES, ".txt": ANY_TEXT, **TRANSCRIPT_SUFFIXES}
# Rows of Parquet in memory at a time.
ROWS = 256
# The fields of WARC records that are kept.
WARC_FIELDS = {"WARC-Target-URI": "url", "WARC-Date": "date", "WARC-Record-ID": "id"}
# The columns of a record, or the reason why it cannot be read.
Row = dict[str, Any] | Exception
# Errors that readers of the formats raise.
ERRORS: tuple[type[Exception], ...] = (*READ_ERRORS, ValueError, csv.Error)


class Record(NamedTuple):
    """A text of a corpus."""

    source: str  # the address of the file
    number: int  # the line or row, from 1; 1 if the file is one text
    format: str  # of the text: see `transcripts.reading`; or FAILURE
    text: str  # the reason if it is a FAILURE
    meta: str  # a JSON object
    n_read: int  # bytes of the stored file that were read for the record

    @property
    def size(self) -> int:
        """The bytes of the text and the metadata."""
        return len(self.text.encode("utf8", "surrogatepass")) + len(self.meta.encode("utf8"))


class Reading(NamedTuple):
    """Settings for reading files."""

    format: str | None = None  # of all files; None: by suffix
    lines: bool = False  # whether each line of a text is a record
    text_column: str = "text"  # in CSV, Parquet and JSON lines
    meta: list[str] | None = None  # the metadata to keep; None: all


def _split_suffix(address: str) -> tuple[str, str]:
    """Returns the suffixes of a file and of its compression (lower case, or empty)."""
    path = PurePosixPath(address.lower())
    return (path.with_suffix("").suffix, path.suffix) if path.suffix in COMPRESSIONS else (path.suffix, "")


def is_readable(address: str) -> bool:
    """Returns whether the suffix of an address belongs to a known format."""
    return _split_suffix(address)[0] in SUFFIXES


def has_records(address: str) -> bool:
    """Returns whether the suffix of an address belongs to a format with many texts per file."""
    return _split_suffix(address)[0] in RECORD_SUFFIXES


def require_text(address: str) -> None:
    """Checks that the suffix of an address is not that of annotated documents. RAISES ValueError: Otherwise (J718)."""
    if _split_suffix(address)[0] in (conllu.SUFFIX, docbin.SUFFIX, *constituency_treebanks.SUFFIXES):
        command = "`spacy joint convert`, then `spacy apply`"
        raise JointValueError(Errors.J718, path=address, what="a file of annotated documents", command=command)


def read_records(file: StoredFile, reading: Reading) -> Iterator[Record]:
    """Reads the records of a file. If it is damaged, the last record has the reason. Raises OSError if the storage
    fails."""
    suffix, compression = _split_suffix(file.address)
    format_ = reading.format or SUFFIXES.get(suffix, ANY_TEXT)
    # File names may not be valid text.
    name = file.address.encode("utf8", "surrogateescape").decode("utf8", "backslashreplace")
    number = at = 0
    with open_raw(file.address) as raw:
        try:
            for number, row in _read(decompress(raw, compression), name, format_, reading):
                # Position of fetched bytes, which is ahead of decompression.
                before, at = at, min(raw.tell(), file.size)
                yield _make_record(name, number, row, format_, reading, at - before)
        except ERRORS as error:
            # Errors of storages have a number; errors of damaged data have none.
            if isinstance(error, OSError) and (type(error) not in (OSError, BadGzipFile) or error.errno is not None):
                raise
            yield Record(name, number + 1, FAILURE, str(error), "{}", file.size - at)


def _make_record(address: str, number: int, row: Row, format_: str, reading: Reading, n_read: int) -> Record:
    try:
        if isinstance(row, Exception):
            raise row
        text = row.pop(reading.text_column, None)
        # Strings are encoded, too, since JSON may have surrogates, which are not valid text.
        data = text.encode("utf8", "surrogateescape") if isinstance(text, str) else text
        name = f"Record {number} of {address}"
        if not isinstance(data, bytes):
            raise JointValueError(Errors.J413, source=name, what=f"text in the column {reading.text_column}")
        text = "".join(read_lines(io.BytesIO(data), name))
        if format_ not in TEXT_FORMATS:
            format_ = guess_format(text) if format_ == ANY_TEXT and not reading.lines else TEXT
    except ValueError as error:
        return Record(address, number, FAILURE, str(error), "{}", n_read)
    kept = row if reading.meta is None else {key: row[key] for key in reading.meta if key in row}
    return Record(address, number, format_, text, _format_meta(kept), n_read)


def _format_meta(meta: dict[str, Any]) -> str:
    """Formats metadata as standard JSON: NaN, infinity, dates and the like become strings."""
    try:
        found = json.dumps(meta, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        plain = json.loads(json.dumps(meta, default=str), parse_constant=str)
        found = json.dumps(plain, ensure_ascii=False)
    # Strings of JSON may have surrogates.
    return found.encode("utf8", "replace").decode("utf8")


def _read(source: BinaryIO, name: str, format_: str, reading: Reading) -> Iterator[tuple[int, Row]]:
    """Yields the numbers of records, and their rows."""
    if format_ == PARQUET:
        yield from enumerate(_read_parquet(source, name, reading), start=1)
    elif format_ == CSV:
        yield from enumerate(_read_csv(source, name, reading.text_column), start=1)
    elif format_ == WET:
        yield from _read_wet(source, reading.text_column)
    elif format_ == JSON or reading.lines:
        for number, line in enumerate(source, start=1):
            if format_ == JSON and not line.isspace():
                yield number, _parse_json(line, name, number, reading.text_column)
            elif not line.isspace():
                yield number, {reading.text_column: line.rstrip(b"\r\n")}
    else:
        yield 1, {reading.text_column: source.read()}


def _parse_json(line: bytes, name: str, number: int, text_column: str) -> Row:
    try:
        found = parse_object(line, name, number, text_column)
    except JointValueError as error:
        return error
    text, meta = found.pop(text_column), found.pop("meta", {})
    return {**found, **(meta if isinstance(meta, dict) else {"meta": meta}), text_column: text}


def _read_csv(source: BinaryIO, name: str, text_column: str) -> Iterator[Row]:
    csv.field_size_limit(2**31 - 1)
    rows = csv.reader(codecs.iterdecode(source, "utf-8-sig", "surrogateescape"), strict=True)
    header = next(rows, [])
    check_choice(f"text column of {name}", text_column, header)
    for row in filter(None, rows):
        if len(row) == len(header):
            yield dict(zip(header, row, strict=True))
        else:
            yield ValueError(f"the row has {len(row)} fields, and the header has {len(header)}")


def _read_parquet(source: BinaryIO, name: str, reading: Reading) -> Iterator[dict[str, Any]]:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(source)
        names = file.schema_arrow.names
        check_choice(f"text column of {name}", reading.text_column, names)
        kept = None if reading.meta is None else [reading.text_column, *filter(names.__contains__, reading.meta)]
        for batch in file.iter_batches(batch_size=ROWS, columns=kept):
            for values in zip(*map(_list_values, batch.columns), strict=True):
                yield dict(zip(batch.schema.names, values, strict=True))
    except ArrowException as error:
        # For example, a type that it cannot read.
        raise ValueError(error) from error


def _list_values(column: Any) -> list[Any]:
    try:
        return column.to_pylist()
    except (ValueError, OverflowError):
        return list(map(_get_value, column))


def _get_value(value: Any) -> Any:
    """Gets a value; as a string if Python has no type for it, such as nanoseconds; as bytes if it is not UTF-8."""
    import pyarrow

    for type_ in (value.type, pyarrow.string(), pyarrow.binary()):
        try:
            return value.cast(type_).as_py()
        except (ValueError, OverflowError, pyarrow.ArrowException):
            continue
    return f"{value.type} that cannot be read"


def _read_wet(source: BinaryIO, text_column: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Reads plain text that was extracted from web pages, in WARC records (ISO 28500) of the type `conversion`."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for number, record in enumerate(ArchiveIterator(source, parse_http=False, stream_detect=False), start=1):
        content, length = record.reader.read(), int(record.headers.get("Content-Length") or -1)
        if len(content) != length:
            raise ValueError(f"a WARC record has {len(content)} bytes, and its length is {length}")
        if record.record_type == WarcRecordType.conversion:
            meta = {key: record.headers[field] for field, key in WARC_FIELDS.items() if field in record.headers}
            yield number, {**meta, text_column: content}
