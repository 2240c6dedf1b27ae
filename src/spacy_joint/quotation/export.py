"""Writing quotations, with speakers and positions, as JSON and as tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from spacy.tokens import Doc, Span
from wasabi import table

from .attribution import Quotation
from .quotation_spans import get_quotations

HEADER = ("", "type", "speaker", "cue", "quotation", "start")
MAX_CELL_WIDTH = 60
Read = Callable[[Doc], list[Quotation]]


def describe_document(doc: Doc, read: Read = get_quotations) -> dict[str, Any]:
    """A document's text and quotations as JSON-serialisable data; `start` and `end` are character offsets in the text.

    read (Callable): Returns the quotations, like `QuotationSpans.get_quotations`.
    """
    return {"text": doc.text, "quotations": [describe_quotation(quotation) for quotation in read(doc)]}


def describe_quotation(quotation: Quotation) -> dict[str, Any]:
    """A quotation as JSON-serialisable data: `contents` in order, and `cue` and `speaker`, which may be null.

    `order` is the order of contents (Q), cue (C) and speaker (S), such as "QCSQ".
    """
    parts = [("Q", content) for content in quotation.contents]
    parts += [(letter, span) for letter, span in (("C", quotation.cue), ("S", quotation.speaker)) if span is not None]
    return {
        "type": quotation.type.lower(),
        "contents": [
            {**_describe_span(content), "type": content.label_.lower(), "score": round(score, 4)}
            for content, score in zip(quotation.contents, quotation.scores, strict=True)
        ],
        "cue": None if quotation.cue is None else _describe_span(quotation.cue),
        "speaker": None if quotation.speaker is None else _describe_span(quotation.speaker),
        "order": "".join(letter for letter, _ in sorted(parts, key=lambda part: part[1].start)),
    }


def _describe_span(span: Span) -> dict[str, Any]:
    return {
        "text": span.text,
        "start": span.start_char,
        "end": span.end_char,
        "start_token": span.start,
        "end_token": span.end,
    }


def write_json_lines(docs: Iterable[Doc], file: TextIO, read: Read = get_quotations) -> None:
    """Writes documents as JSON, one per line."""
    for doc in docs:
        file.write(json.dumps(describe_document(doc, read), ensure_ascii=False) + "\n")


def write_json(docs: Iterable[Doc], file: TextIO, read: Read = get_quotations) -> None:
    """Writes all documents as a JSON list."""
    json.dump([describe_document(doc, read) for doc in docs], file, ensure_ascii=False, indent=2)
    file.write("\n")


def write_table(docs: Iterable[Doc], file: TextIO, read: Read = get_quotations) -> None:
    """Writes documents as human-readable tables, one per document."""
    for doc in docs:
        rows = [_describe_row(number, quotation) for number, quotation in enumerate(read(doc), start=1)]
        file.write(table(rows, header=HEADER, divider=True, max_col=MAX_CELL_WIDTH, aligns=("r", *"lllll")) + "\n")


def _describe_row(number: int, quotation: Quotation) -> tuple[str, ...]:
    text = " … ".join(" ".join(content.text.split()) for content in quotation.contents)
    speaker = "" if quotation.speaker is None else " ".join(quotation.speaker.text.split())
    cue = "" if quotation.cue is None else quotation.cue.text
    return str(number), quotation.type.lower(), speaker, cue, text, str(quotation.contents[0].start_char)
