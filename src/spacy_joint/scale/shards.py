"""Shards: annotated documents as the bytes of an output file, in several formats.

Every document has the address of its file (`source`), the number of its record there (`record`), what was known of it
(`meta`), and the number of characters before it (`offset`), which is 0 except for the parts of a very long text.
Documents are encoded one by one, so that the failure of one is not that of a shard.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..corpora.export import describe_sentences, describe_spans

if TYPE_CHECKING:
    import pyarrow
    from spacy.tokens import Doc, DocBin


# Of Parquet, in a group: they are read together.
ROWS = 100


class Origin(NamedTuple):
    """Where a document comes from.

    source (str): The address of its file.
    record (int): The number of its record in the file, from 1.
    offset (int): The number of characters of the record before it.
    meta (dict): What was known of it.
    """

    source: str
    record: int
    offset: int
    meta: dict[str, Any]


class Format(NamedTuple):
    """A format of shards.

    suffix (str): That of its files.
    encode (Callable): Encodes a document.
    join (Callable): Makes a file of encoded documents.
    """

    suffix: str
    encode: Callable[[Doc, Origin], Any]
    join: Callable[[Sequence[Any]], bytes]


def _encode_conllu(doc: Doc, origin: Origin) -> bytes:
    from ..corpora.conllu_writing import format_sentences

    number = f"{origin.source}:{origin.record}"
    number += f"+{origin.offset}" if origin.offset else ""
    lines = ["\n".join(lines) + "\n\n" for lines in format_sentences(doc, number)] if len(doc) else []
    return "".join(lines).encode("utf8")


def _encode_document(doc: Doc, origin: Origin) -> bytes:
    return _to_line(
        {
            **origin._asdict(),
            "text": doc.text,
            "sentences": describe_sentences(doc),
            "spans": describe_spans(doc),
        }
    )


def _encode_sentences(doc: Doc, origin: Origin) -> bytes:
    text = doc.text
    place = {"source": origin.source, "record": origin.record, "meta": origin.meta}
    return b"".join(
        _to_line({**place, "text": text[sentence["start"] : sentence["end"]], **_move(sentence, origin.offset)})
        for sentence in describe_sentences(doc)
    )


def _move(sentence: dict[str, Any], offset: int) -> dict[str, Any]:
    if not offset:
        return sentence
    tokens = [{**token, **{key: token[key] + offset for key in ("start", "end")}} for token in sentence["tokens"]]
    return {**sentence, "start": sentence["start"] + offset, "end": sentence["end"] + offset, "tokens": tokens}


def _to_line(described: dict[str, Any]) -> bytes:
    return (_format_json(described) + "\n").encode("utf8")


def _format_json(value: Any) -> str:
    # Extension attributes may be anything.
    return json.dumps(value, ensure_ascii=False, default=str)


def _encode_docbin(doc: Doc, origin: Origin) -> DocBin:
    from spacy.tokens import DocBin

    doc.user_data.update(origin._asdict())
    return DocBin(docs=[doc], store_user_data=True)


def _join_docbins(encoded: Sequence[DocBin]) -> bytes:
    from spacy.tokens import DocBin

    joined = DocBin(store_user_data=True)
    for docs in encoded:
        joined.merge(docs)
    return joined.to_bytes()


def _encode_row(doc: Doc, origin: Origin) -> pyarrow.RecordBatch:
    import pyarrow

    described = describe_sentences(doc)
    row = {
        **origin._asdict(),
        "meta": _format_json(origin.meta),
        "text": doc.text,
        "sentences": described,
        "tokens": [
            {"sentence": number, **token}
            for number, sentence in enumerate(described, start=1)
            for token in sentence["tokens"]
        ],
        "spans": [{**span, "attributes": _format_json(span["attributes"])} for span in describe_spans(doc)],
    }
    return pyarrow.RecordBatch.from_pylist([row], schema=make_schema())


@lru_cache(maxsize=1)
def make_schema() -> pyarrow.Schema:
    """The columns of Parquet (pyarrow.Schema). A row is a document."""
    import pyarrow
    from pyarrow import float64, int32, int64, string

    place = {"start": int32(), "end": int32()}
    sentence = {**place, "speaker": string(), "start_time": float64(), "end_time": float64()}
    words = dict.fromkeys(("lemma", "tag", "pos", "morph"), string())
    token = {"sentence": int32(), "id": int32(), "text": string(), **place, **words, "head": int32(), "dep": string()}
    span = {"key": string(), "label": string(), "id": string(), **place, "text": string(), "attributes": string()}
    columns = {
        "source": string(),
        "record": int64(),
        "offset": int64(),
        "meta": string(),
        "text": string(),
        **{
            name: pyarrow.list_(pyarrow.struct(list(fields.items())))
            for name, fields in (("sentences", sentence), ("tokens", token), ("spans", span))
        },
    }
    return pyarrow.schema(list(columns.items()))


def _join_rows(encoded: Sequence[pyarrow.RecordBatch]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    written = io.BytesIO()
    with parquet.ParquetWriter(written, make_schema(), compression="zstd") as writer:
        # Copies are made of what is written at once.
        for first in range(0, len(encoded), ROWS):
            writer.write_table(pyarrow.Table.from_batches(encoded[first : first + ROWS]).combine_chunks())
    return written.getvalue()


FORMATS = {
    "conllu": Format(".conllu", _encode_conllu, b"".join),
    "json": Format(".json", _encode_document, b"".join),
    "jsonl": Format(".jsonl", _encode_sentences, b"".join),
    "parquet": Format(".parquet", _encode_row, _join_rows),
    "spacy": Format(".spacy", _encode_docbin, _join_docbins),
}
