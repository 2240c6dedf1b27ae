"""Writes quotations as JSON, tables with a row per quotation, or coloured HTML pages."""

import csv
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, TextIO

from spacy.tokens import Doc, Span
from wasabi import table

from .layout import find_paragraph_starts
from .quotations import Quotation

# Documents with the names of their files and their quotations.
Quoted = Iterable[tuple[str, Doc, Sequence[Quotation]]]
COLUMNS = (
    *("file", "type", "text", "cue", "speaker", "character", "inferred", "confidence", "start", "end", "paragraph"),
)
HEADER = ("", "type", "speaker", "character", "cue", "quotation", "start")
MAX_CELL_WIDTH = 60
SEPARATOR = " … "
# Hues, in degrees, that differ for any number of characters: multiples of the golden angle.
GOLDEN_ANGLE = 137.508
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Quotations</title>
<style>
body { font: 1.1em/1.6 serif; max-width: 45em; margin: 2em auto; padding: 0 1em; white-space: pre-wrap; }
ul, h2 { white-space: normal; }
mark { border-radius: .2em; color: inherit; }
mark.inferred { border-bottom: 2px dotted; }
</style>
</head>
<body>
"""


def describe_document(name: str, doc: Doc, quotations: Sequence[Quotation]) -> dict[str, Any]:
    """Returns a document's name, text and quotations as JSON-serialisable data; `start` and `end` are character
    offsets."""
    numbered = _number_paragraphs(doc, quotations)
    described = [{**describe_quotation(quotation), "paragraph": paragraph} for quotation, paragraph in numbered]
    return {"file": name, "text": doc.text, "quotations": described}


def describe_quotation(quotation: Quotation) -> dict[str, Any]:
    """Returns a quotation as JSON-serialisable data: `contents` in order, and `cue`, `speaker`, `character` (its id)
    and `confidence`, which may be null. `order` is that of contents (Q), cue (C) and speaker (S), such as "QCSQ"."""
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
        "character": None if quotation.character is None else quotation.character.id,
        "inferred": quotation.is_inferred,
        "confidence": quotation.confidence,
        "order": "".join(letter for letter, _ in sorted(parts, key=lambda part: part[1].start)),
    }


def _describe_span(span: Span) -> dict[str, Any]:
    offsets = {"start": span.start_char, "end": span.end_char, "start_token": span.start, "end_token": span.end}
    return {"text": span.text, **offsets}


def _number_paragraphs(doc: Doc, quotations: Sequence[Quotation]) -> list[tuple[Quotation, int]]:
    """Returns quotations with the numbers of the paragraphs in which they start, from 1."""
    starts = find_paragraph_starts(doc)
    return [(quotation, bisect_right(starts, quotation.contents[0].start)) for quotation in quotations]


def list_rows(name: str, doc: Doc, quotations: Sequence[Quotation]) -> Iterator[dict[str, Any]]:
    """Yields a row of COLUMNS for each quotation. `start` and `end` enclose all of its parts."""
    for quotation, paragraph in _number_paragraphs(doc, quotations):
        yield {
            "file": name,
            "type": quotation.type.lower(),
            "text": SEPARATOR.join(map(_join_lines, quotation.contents)),
            "cue": _join_lines(quotation.cue),
            # Without the hyphens of French pronouns: "dit-elle", "demanda-t-il".
            "speaker": _join_lines(quotation.speaker).removeprefix("-").removeprefix("t-"),
            "character": "" if quotation.character is None else quotation.character.id,
            "inferred": str(quotation.is_inferred).lower(),
            "confidence": "" if quotation.confidence is None else quotation.confidence,
            "start": quotation.contents[0].start_char,
            "end": quotation.contents[-1].end_char,
            "paragraph": paragraph,
        }


def _join_lines(span: Span | None) -> str:
    return "" if span is None else " ".join(span.text.split())


def write_json_lines(docs: Quoted, file: TextIO) -> None:
    """Writes documents as JSON, one per line."""
    for each in docs:
        file.write(json.dumps(describe_document(*each), ensure_ascii=False) + "\n")


def write_json(docs: Quoted, file: TextIO) -> None:
    """Writes all documents as a JSON list."""
    json.dump([describe_document(*each) for each in docs], file, ensure_ascii=False, indent=2)
    file.write("\n")


def write_csv(docs: Quoted, file: TextIO) -> None:
    """Writes the quotations of all documents as comma-separated values, with a header."""
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for each in docs:
        writer.writerows(list_rows(*each))


def write_table(docs: Quoted, file: TextIO) -> None:
    """Writes documents as human-readable tables, one per document. Inferred characters are in brackets."""
    for each in docs:
        rows = []
        for number, row in enumerate(list_rows(*each), start=1):
            character = f"({row['character']})" if row["inferred"] == "true" else row["character"]
            cells = (row["type"], row["speaker"], character, row["cue"], row["text"], str(row["start"]))
            rows.append((str(number), *cells))
        file.write(table(rows, header=HEADER, divider=True, max_col=MAX_CELL_WIDTH, aligns=("r", *"llllll")) + "\n")


def write_html(docs: Quoted, file: TextIO) -> None:
    """Writes a page with the text of all documents and a colour for the quotations of each character. Inferred
    characters have a dotted underline."""
    file.write(PAGE)
    for name, doc, quotations in docs:
        characters = {quotation.character.id: quotation.character for quotation in quotations if quotation.character}
        ranked = sorted(characters.values(), key=lambda character: (-character.n_quotations, character.id))
        styles = {
            character.id: f' style="background: hsl({GOLDEN_ANGLE * index % 360:.0f} 75% 85%)"'
            for index, character in enumerate(ranked)
        }
        items = "".join(
            f"<li><mark{styles[character.id]}>{escape(character.id)}</mark> {character.n_quotations}</li>"
            for character in ranked
        )
        file.write(f"<h2>{escape(name)}</h2>\n<ul>{items}</ul>\n<div>")
        contents = ((content, quotation) for quotation in quotations for content in quotation.contents)
        # `doc.text` is built anew on each access.
        text, at = doc.text, 0
        for content, quotation in sorted(contents, key=lambda pair: pair[0].start):
            if content.start_char < at:
                continue
            speaker = "unknown" if quotation.character is None else quotation.character.id
            kind = f"{quotation.type.lower()}{' inferred' * quotation.is_inferred}"
            attributes = f'class="{kind}"{styles.get(speaker, "")} title="{escape(speaker)}"'
            file.write(f"{escape(text[at : content.start_char])}<mark {attributes}>{escape(content.text)}</mark>")
            at = content.end_char
        file.write(f"{escape(text[at:])}</div>\n")
    file.write("</body>\n</html>\n")


WRITERS = {"csv": write_csv, "html": write_html, "json": write_json, "jsonl": write_json_lines, "table": write_table}
