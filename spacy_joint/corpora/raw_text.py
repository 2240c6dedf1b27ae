"""Raw text: documents as lists of paragraphs, and their division into passages of a given length."""

import json
import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, groupby, pairwise
from pathlib import Path
from typing import Any

from spacy.pipeline import Sentencizer

from ..errors import Errors, JointValueError
from ..files.reading import read_lines, require_file

JSONL = ".jsonl"
# Characters that may end a sentence, and that may follow its end.
FINAL = frozenset(Sentencizer.default_punct_chars) | {"…"}
CLOSING = "\"'\u201d\u2019\u00bb)]* "


def read_paragraphs(path: Path, *, lines: bool = False) -> Iterator[list[str]]:
    """Read documents, as lists of paragraphs, from text or JSON lines with the key "text" (J402, J403, J650).

    With `lines`, each line is a paragraph, and blank lines separate documents. Otherwise, blank lines separate
    paragraphs, and a file, or a line of JSON, is a document.
    """
    with require_file(path).open("rb") as source:
        if path.suffix != JSONL:
            yield from _divide(read_lines(source, path), lines)
            return
        for number, line in enumerate(read_lines(source, path), start=1):
            if line.strip():
                yield from _divide(parse_object(line, path, number)["text"].splitlines(), lines)


def read_prose(path: Path) -> Iterator[str]:
    """Read the paragraphs of a text in which underscores mark italics and double hyphens are dashes without spaces."""
    with require_file(path).open("rb") as source:
        lines = (line.replace("_", " ").replace("--", " -- ") for line in read_lines(source, path))
        yield from chain.from_iterable(_divide(lines, False))


def parse_object(line: str | bytes, path: str | Path, number: int, key: str = "text") -> dict[str, Any]:
    """Parse an object with a text (J650). Numbers that other readers cannot represent, such as NaN, become strings."""
    try:
        found = json.loads(line, parse_constant=str, parse_float=_parse_float, parse_int=_parse_int)
        # Fails unless it is a string, without lone surrogates.
        found[key].encode()
    except (AttributeError, ValueError, TypeError, LookupError, RecursionError):
        raise JointValueError(Errors.J650, path=path, line=number, key=key) from None
    return found


def _parse_float(digits: str) -> float | str:
    return number if math.isfinite(number := float(digits)) else digits


def _parse_int(digits: str) -> int | str:
    return int(digits) if len(digits) < 20 else digits


def _divide(lines: Iterator[str] | Sequence[str], each_line: bool) -> Iterator[list[str]]:
    blocks = (list(block) for has_words, block in groupby(map(str.split, lines), key=bool) if has_words)
    if each_line:
        for block in blocks:
            yield [" ".join(words) for words in block]
    elif paragraphs := [" ".join(chain.from_iterable(block)) for block in blocks]:
        yield paragraphs


def is_prose(paragraph: str) -> bool:
    """Return whether a paragraph ends like a sentence; headings and lists do not."""
    return paragraph.rstrip(CLOSING)[-1:] in FINAL


def divide_evenly(paragraphs: Sequence[str], words: int) -> Iterator[list[str]]:
    """Divide a document into passages of about `words` to less than twice as many words, except where a paragraph is
    longer. A document with fewer words is one passage."""
    ends = list(accumulate((len(paragraph.split()) for paragraph in paragraphs), initial=0))
    n_passages = max(ends[-1] // words, 1)
    # A paragraph belongs to the passage in which its middle is.
    indices = [(start + end) * n_passages // (2 * ends[-1]) for start, end in pairwise(ends)]
    for _, group in groupby(zip(indices, paragraphs, strict=True), key=lambda pair: pair[0]):
        yield [paragraph for _, paragraph in group]
