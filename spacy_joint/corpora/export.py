"""Writing annotated documents as JSON lines, and as tables for human readers.

Both number the words of a sentence from 1, without whitespace, as CoNLL-U does; the root has head 0. The sentences of
transcripts have their speaker and their times in seconds, if known. With `are_parts`, the documents are consecutive
parts of a single one, as in a stream.
"""

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from spacy.tokens import Doc, Span, Token
from wasabi import color, table

from ..annotation.sentences import list_words
from ..annotation.speech import describe_speech, format_speech
from ..pipes.streaming import find_offset

HEADER = ("", "token", "tag", "head", "label")
MAX_CELL_WIDTH = 40
DIGITS = 3


def write_sentences(docs: Iterable[Doc], file: TextIO, *, are_parts: bool = False) -> None:
    """Write each sentence as a line of JSON, with the number of its document, from 1, and offsets in the document.
    Sentences of a stream's pending documents have `"partial": true`, and the last one `"end_probability"`, if known."""
    number = 0
    for doc in docs:
        number = 1 if are_parts else number + 1
        sentences = describe_sentences(doc, find_offset(doc) or 0, has_text=True)
        if sentences and doc._.end_probability is not None:
            sentences[-1]["end_probability"] = round(doc._.end_probability, DIGITS)
        for sentence in sentences:
            partial = {"partial": True} if doc._.is_partial else {}
            described = {"document": number, **partial, **sentence}
            file.write(json.dumps(described, ensure_ascii=False) + "\n")


def write_json(docs: Iterable[Doc], file: TextIO) -> None:
    """Write each document as a line of JSON; `start` and `end` are character offsets in `text`."""
    for doc in docs:
        file.write(json.dumps({"text": doc.text, "sentences": describe_sentences(doc)}, ensure_ascii=False) + "\n")


def write_table(docs: Iterable[Doc], file: TextIO, *, are_parts: bool = False) -> None:
    """Write a table per sentence. Sentences are numbered through all documents."""
    number = 0
    for doc in docs:
        for words, heads in _list_sentences(doc):
            number += 1
            rows = [
                (index, word.text, word.tag_, f"{head} {words[head - 1].text}" if head else "0", word.dep_)
                for index, (word, head) in enumerate(zip(words, heads, strict=True), start=1)
            ]
            speech = format_speech(words)
            title = f"Sentence {number} ({speech})" if speech else f"Sentence {number}"
            title = color(title, bold=True) if file.isatty() and not os.environ.get("NO_COLOR") else title
            body = table(rows, header=HEADER, divider=True, max_col=MAX_CELL_WIDTH, aligns=("r", "l", "l", "l", "l"))
            file.write(f"{title}\n{body}\n")


def describe_sentences(doc: Doc, offset: int = 0, *, has_text: bool = False) -> list[dict[str, Any]]:
    """Describe the sentences of a document as JSON-serialisable data, by default without their text; `offset` is added
    to `start` and `end`, which are character offsets."""
    # Each access to `Doc.text` joins the tokens again.
    whole = doc.text if has_text else ""
    described: list[dict[str, Any]] = []
    for words, heads in _list_sentences(doc):
        tokens = [
            {
                "id": index,
                "text": word.text,
                "start": word.idx + offset,
                "end": word.idx + offset + len(word),
                "lemma": word.lemma_,
                "tag": word.tag_,
                "pos": word.pos_,
                "morph": str(word.morph),
                "head": head,
                "dep": word.dep_,
            }
            for index, (word, head) in enumerate(zip(words, heads, strict=True), start=1)
        ]
        start, end = words[0].idx, words[-1].idx + len(words[-1])
        text = {"text": whole[start:end]} if has_text else {}
        bounds = {"start": start + offset, "end": end + offset}
        described.append({**text, **bounds, **describe_speech(words), "tokens": tokens})
    return described


def describe_spans(doc: Doc) -> list[dict[str, Any]]:
    """Describe the spans of all groups and `ents`, with stored extension attributes, as JSON-serialisable data."""
    attributes: dict[tuple[int, int], dict[str, Any]] = {}
    for key, value in doc.user_data.items():
        # spaCy's keys of extension attributes; those of tokens have no end.
        if isinstance(key, tuple) and len(key) == 4 and key[0] == "._." and key[3] is not None:
            attributes.setdefault((key[2], key[3]), {})[key[1]] = value
    groups: dict[str, Iterable[Span]] = {"ents": doc.ents, **doc.spans}
    return [
        {
            "key": key,
            "label": span.label_,
            "id": span.id_,
            "start": span.start_char,
            "end": span.end_char,
            "text": span.text,
            "attributes": attributes.get((span.start_char, span.end_char), {}),
        }
        for key, group in groups.items()
        for span in group
    ]


def _list_sentences(doc: Doc) -> Iterator[tuple[list[Token], list[int]]]:
    """List the words of each non-empty sentence, and their heads."""
    for words in list_words(doc):
        numbers = {word.i: number for number, word in enumerate(words, start=1)}
        # The nearest ancestor that is not whitespace; 0 for a root.
        yield words, [next((numbers[above.i] for above in word.ancestors if above.i in numbers), 0) for word in words]
