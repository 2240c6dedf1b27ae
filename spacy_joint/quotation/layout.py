"""The layout of plain text: distinguishes line breaks that end a paragraph from those that only wrap a line, as in the
books of Project Gutenberg.

The decision is for a document as a whole. Text is wrapped if most lines are so long that the next word would not have
fitted, and most continue within a sentence; then, blank lines end paragraphs. In any other text (a paragraph per line,
verse, dialogue by lines), every line break does.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
from spacy.attrs import DEP, HEAD, IDX, POS, SENT_START, SPACY, TAG
from spacy.tokens import Doc, Span

from ..annotation.custom_columns import copy_columns
from ..annotation.spans import read_spans
from ..pipes.token_columns import find_whitespace

# A line break and the text after it that cannot be split: a word, or a Chinese or Japanese character.
BREAK = re.compile(r"(?<![^\S\n])[^\S\n]*\n\s*(?=(?P<next>[\u3001-\u9fff]|\S+))")
# The length of wrapped lines, in characters.
MIN_WIDTH, MAX_WIDTH = 30, 120
# Some lines may exceed the width. Lines wrapped by hand may leave room.
WIDTH_QUANTILE = 0.95
MIN_FULL = 0.75


def find_paragraph_starts(doc: Doc) -> list[int]:
    """Finds the first word of each paragraph, in order."""
    is_space = find_whitespace(doc)
    words = np.flatnonzero(~is_space)
    ends = np.zeros(len(doc), dtype=np.int64)
    ends[[i for i in np.flatnonzero(is_space & ~find_soft_breaks(doc)).tolist() if "\n" in doc[i].text]] = 1
    return words[np.diff(np.cumsum(ends)[words], prepend=-1) > 0].tolist()


def find_soft_breaks(doc: Doc) -> np.ndarray:
    """Returns which tokens are line breaks within a paragraph, with whitespace around them (bool, one per token)."""
    soft = np.zeros(len(doc), dtype=bool)
    wraps = np.array(find_wraps(doc.text), dtype=np.int64).reshape(-1, 2)
    if len(wraps):
        spaces = np.flatnonzero(find_whitespace(doc))
        offsets = doc.to_array([IDX]).astype(np.int64)[spaces]
        at = np.searchsorted(wraps[:, 0], offsets, side="right") - 1
        soft[spaces] = (at >= 0) & (offsets < wraps[at, 1])
    return soft


def find_wraps(text: str) -> list[tuple[int, int]]:
    """Finds the whitespace (first character, end) that joins the lines of a wrapped text."""
    breaks = [match for match in BREAK.finditer(text.rstrip()) if match.start() > 0]
    begins = [0, *(match.end() for match in breaks)]
    lengths = [match.start() - begin for begin, match in zip(begins, breaks, strict=False)]
    lines = [line for line in zip(lengths, breaks, strict=True) if line[1][0].count("\n") == 1]
    if not lines:
        return []
    width = sorted(length for length, _ in lines)[int(WIDTH_QUANTILE * (len(lines) - 1))]
    full = [length + 1 + len(match["next"]) > width for length, match in lines]
    going_on = [match["next"][0].isalpha() and not match["next"][0].isupper() for _, match in lines]
    if not (MIN_WIDTH <= width <= MAX_WIDTH and np.mean(full) >= MIN_FULL and np.mean(going_on) > 0.5):
        return []
    # Without blank lines, a line that leaves room for the next word is the last one of its paragraph.
    has_blank_lines = len(lines) < len(breaks)
    return [match.span() for (_, match), is_full in zip(lines, full, strict=True) if is_full or has_blank_lines]


def unwrap(doc: Doc, keys: Iterable[str]) -> tuple[Doc, Sequence[int]]:
    """Returns a copy of a wrapped document with one line per paragraph, or else the document itself; and the token of
    the document for each token of the copy. Keeps tags, trees or sentences, custom columns, and these spans."""
    soft = find_soft_breaks(doc)
    if not soft.any():
        return doc, range(len(doc))
    kept = np.flatnonzero(~soft)
    # For a line break, the number of the word before it.
    numbers = np.cumsum(~soft) - 1
    parsed = doc.has_annotation("DEP")
    # spaCy derives sentences from trees.
    attributes = [TAG, POS, DEP, HEAD] if parsed else [TAG, POS, SENT_START]
    values = doc.to_array(attributes)[kept]
    if parsed:
        heads = kept + values[:, -1].astype(np.int64)
        heads = np.where(soft[heads], kept, heads)
        values[:, -1] = (numbers[heads] - numbers[kept]).astype(np.uint64)
    spaces = (doc.to_array(SPACY) != 0) | np.append(soft[1:], False)
    plain = Doc(doc.vocab, words=[doc[i].text for i in kept.tolist()], spaces=spaces[kept].tolist())
    plain.from_array(attributes, values)  # type: ignore[arg-type]
    copy_columns(doc, plain, ~soft)
    for key in keys:
        if key in doc.spans:
            plain.spans[key] = [
                Span(plain, numbers[span.start], numbers[span.end - 1] + 1, label=span.label, span_id=span.id)
                for span in read_spans(doc, key)
            ]
    return plain, kept.tolist()
