"""Shards: annotated documents as the bytes of an output file, in several formats. Documents say where they come from.
They are encoded one by one, so a failure loses only one document."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from spacy.tokens import Doc, DocBin

from ...corpora.export import describe_sentences, describe_spans
from ...files.grouping import group_by_size
from .records import Record

if TYPE_CHECKING:
    import pyarrow

# The minimum bytes in memory of a row group of Parquet.
GROUP_BYTES = 1 << 26
ANNOTATION = ("sentences", "tokens", "spans")


class Format(NamedTuple):
    """A format of shards: encodes documents, given their records and the characters of these before them (0, except for
    parts of a very long text), and joins encoded documents to the parts of a file as they come."""

    suffix: str
    encode: Callable[[Doc, Record, int], Any]
    join: Callable[[Iterator[Any]], Iterator[bytes]]


def _describe_origin(record: Record, offset: int) -> dict[str, Any]:
    return {"source": record.source, "record": record.number, "offset": offset, "meta": json.loads(record.meta)}


def _encode_conllu(doc: Doc, record: Record, offset: int) -> bytes:
    from ...corpora.conllu_writing import format_sentences

    number = f"{record.source}:{record.number}" + (f"+{offset}" if offset else "")
    sentences = format_sentences(doc, number) if len(doc) else []
    return "".join("\n".join(lines) + "\n\n" for lines in sentences).encode("utf8")


def _encode_document(doc: Doc, record: Record, offset: int) -> bytes:
    described = {"text": doc.text, "sentences": describe_sentences(doc), "spans": describe_spans(doc)}
    return _to_line({**_describe_origin(record, offset), **described})


def _encode_sentences(doc: Doc, record: Record, offset: int) -> bytes:
    place = _describe_origin(record, offset)
    sentences = describe_sentences(doc, place.pop("offset"), has_text=True)
    return b"".join(_to_line({**place, **sentence}) for sentence in sentences)


def _to_line(described: dict[str, Any]) -> bytes:
    return (_format_json(described) + "\n").encode("utf8")


def _format_json(value: Any) -> str:
    # Extension attributes may have any type.
    return json.dumps(value, ensure_ascii=False, default=str)


def _encode_docbin(doc: Doc, record: Record, offset: int) -> DocBin:
    doc.user_data.update(_describe_origin(record, offset))
    return DocBin(docs=[doc], store_user_data=True)


def _join_docbins(encoded: Iterator[DocBin]) -> Iterator[bytes]:
    # A DocBin is one compressed message with the number of words in front, so it cannot be written in parts.
    joined = DocBin(store_user_data=True)
    for docs in encoded:
        joined.merge(docs)
    yield joined.to_bytes()


def _encode_row(doc: Doc, record: Record, offset: int) -> pyarrow.RecordBatch:
    import pyarrow

    row = {**_describe_origin(record, offset), "meta": record.meta, "text": doc.text, **_describe_columns(doc)}
    return pyarrow.RecordBatch.from_pylist([row], schema=make_schema())


def _describe_columns(doc: Doc) -> dict[str, Any]:
    sentences = describe_sentences(doc)
    return {
        "sentences": sentences,
        "tokens": [{"sentence": n, **token} for n, each in enumerate(sentences, start=1) for token in each["tokens"]],
        "spans": [{**span, "attributes": _format_json(span["attributes"])} for span in describe_spans(doc)],
    }


def add_annotation(table: pyarrow.Table, docs: Iterable[Doc]) -> pyarrow.Table:
    """Adds the columns `sentences`, `tokens` and `spans` of Parquet shards to a table, given the annotated document of
    each row. RAISES ValueError: If there are more or fewer documents than rows (pyarrow.ArrowInvalid)."""
    import pyarrow

    columns = list(map(_describe_columns, docs))
    for field in map(make_schema().field, ANNOTATION):
        table = table.append_column(field, [pyarrow.array([row[field.name] for row in columns], field.type)])
    return table


@lru_cache(maxsize=1)
def make_schema() -> pyarrow.Schema:
    """Makes the schema of Parquet shards, with a row per document."""
    import pyarrow
    from pyarrow import float64, int32, int64, string

    place = {"start": int32(), "end": int32()}
    sentence = {**place, "speaker": string(), "start_time": float64(), "end_time": float64()}
    words = dict.fromkeys(("lemma", "tag", "pos", "morph"), string())
    token = {"sentence": int32(), "id": int32(), "text": string(), **place, **words, "head": int32(), "dep": string()}
    span = {"key": string(), "label": string(), "id": string(), **place, "text": string(), "attributes": string()}
    columns = {"source": string(), "record": int64(), "offset": int64(), "meta": string(), "text": string()}
    for name, fields in zip(ANNOTATION, (sentence, token, span), strict=True):
        columns[name] = pyarrow.list_(pyarrow.struct(list(fields.items())))
    return pyarrow.schema(list(columns.items()))


def _join_rows(encoded: Iterator[pyarrow.RecordBatch]) -> Iterator[bytes]:
    import pyarrow
    from pyarrow import parquet

    written = io.BytesIO()

    def take() -> bytes:
        # The writer counts its bytes itself.
        content = written.getvalue()
        written.seek(0)
        written.truncate()
        return content

    with parquet.ParquetWriter(written, make_schema(), compression="zstd") as writer:
        for group in group_by_size(encoded, attrgetter("nbytes"), GROUP_BYTES):
            writer.write_table(pyarrow.Table.from_batches(group).combine_chunks())
            yield take()
    yield take()


FORMATS = {
    "conllu": Format(".conllu", _encode_conllu, iter),
    "json": Format(".json", _encode_document, iter),
    "jsonl": Format(".jsonl", _encode_sentences, iter),
    "parquet": Format(".parquet", _encode_row, _join_rows),
    "spacy": Format(".spacy", _encode_docbin, _join_docbins),
}
