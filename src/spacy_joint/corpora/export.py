"""Writing annotated documents as text: CoNLL-U, JSON lines, and tables for human readers.

JSON and tables number the words of a sentence from 1, without whitespace, as CoNLL-U does; the root has head 0. The
sentences of transcripts have their speaker and their times in seconds, if known. `are_parts` says that the documents
are consecutive parts of a single one, as those of a stream.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

from wasabi import color, table

from ..annotation.speech import describe_speech, format_speech
from ..pipes.streaming import OFFSETS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

HEADER = ("", "token", "tag", "head", "label")
MAX_CELL_WIDTH = 40


def write_conllu(docs: Iterable[Doc], file: TextIO, *, are_parts: bool = False) -> None:
    """Writes documents as CoNLL-U: see `corpora.conllu_writing.write_conllu`."""
    from .conllu_writing import write_conllu

    write_conllu(docs, file, are_parts=are_parts)


def write_sentences(docs: Iterable[Doc], file: TextIO, *, are_parts: bool = False) -> None:
    """Writes documents as JSON, one sentence per line, with the number of its document from 1; `start` and `end` are
    character offsets in the document."""
    number = 0
    for doc in docs:
        number = 1 if are_parts else number + 1
        text, offset = doc.text, OFFSETS.get(doc, 0)
        for sentence in describe_sentences(doc, offset):
            words = text[sentence["start"] - offset : sentence["end"] - offset]
            described = {"document": number, "text": words, **sentence}
            file.write(json.dumps(described, ensure_ascii=False) + "\n")


def write_json(docs: Iterable[Doc], file: TextIO) -> None:
    """Writes documents as JSON, one per line; `start` and `end` are character offsets in `text`."""
    for doc in docs:
        file.write(json.dumps({"text": doc.text, "sentences": describe_sentences(doc)}, ensure_ascii=False) + "\n")


def write_table(docs: Iterable[Doc], file: TextIO, *, are_parts: bool = False) -> None:
    """Writes documents as tables, one per sentence, whose numbers run through all documents."""
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
            # Colour is for terminals only.
            title = color(title, bold=True) if file.isatty() else title
            body = table(rows, header=HEADER, divider=True, max_col=MAX_CELL_WIDTH, aligns=("r", "l", "l", "l", "l"))
            file.write(f"{title}\n{body}\n")


def describe_sentences(doc: Doc, offset: int = 0) -> list[dict[str, Any]]:
    """The sentences of a document as JSON-serialisable data; `start` and `end` are character offsets in its text.

    offset (int): What to add to them.
    """
    return [_describe_sentence(words, heads, offset) for words, heads in _list_sentences(doc)]


def describe_spans(doc: Doc) -> list[dict[str, Any]]:
    """The spans of all groups of a document, and its entities as the group `ents`, as JSON-serialisable data.

    `attributes` are the extension attributes of a span that are stored; `start` and `end` are character offsets.
    """
    attributes: dict[tuple[int, int], dict[str, Any]] = {}
    for key, value in doc.user_data.items():
        # As spaCy stores them; those of tokens have no end.
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


def _describe_sentence(words: list[Token], heads: list[int], offset: int) -> dict[str, Any]:
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
    return {"start": tokens[0]["start"], "end": tokens[-1]["end"], **describe_speech(words), "tokens": tokens}


def _list_sentences(doc: Doc) -> Iterator[tuple[list[Token], list[int]]]:
    """The words of each non-empty sentence, and their heads."""
    for sentence in doc.sents:
        words = [token for token in sentence if not token.text.isspace()]
        if words:
            numbers = {word.i: number for number, word in enumerate(words, start=1)}
            yield words, [_number_head(word, numbers) for word in words]


def _number_head(word: Token, numbers: dict[int, int]) -> int:
    """The number of the nearest ancestor that is not whitespace; 0 for a root."""
    return next((numbers[ancestor.i] for ancestor in word.ancestors if ancestor.i in numbers), 0)
