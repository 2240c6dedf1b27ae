"""Finds the lines of plays and transcripts: paragraphs that start with the speaker's name in capitals, such as "ANNA.
Come in." or "ANNA (rising): Come in."

A document counts as a play as a whole: if enough paragraphs start with such names, and some names recur.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from spacy.tokens import Doc

from ..annotation.quotations import Run

# The longest name, and the longest stage direction between a name and its speech, in tokens.
MAX_NAME, MAX_DIRECTION = 4, 20
MIN_LINES = 3
MIN_SHARE = 1 / 3
ENDS = frozenset((".", ":"))
BRACKETS = {"(": ")", "[": "]"}


class Line(NamedTuple):
    """A line of a speaker."""

    name: str
    cue: int  # the mark after the name
    speech: Run  # first token and end, without stage directions at its start


def find_lines(doc: Doc, paragraph_starts: Sequence[int]) -> list[Line]:
    """Finds the lines of a play, in order; none if the document is not a play."""
    # A line that begins in lower case continues the one before.
    starts = [start for start in paragraph_starts if not doc[start].text[0].islower()]
    paragraphs = pairwise([*starts, len(doc)])
    lines = [line for begin, end in paragraphs if _is_capital(doc, begin) and (line := _read_line(doc, begin, end))]
    n_names = len({line.name for line in lines})
    is_play = len(lines) >= max(MIN_LINES, MIN_SHARE * len(starts)) and 1 < n_names < len(lines)
    return lines if is_play else []


def _is_capital(doc: Doc, i: int) -> bool:
    text = doc[i].text
    return len(text.strip(".")) > 1 and text.isupper()


def _read_line(doc: Doc, begin: int, end: int) -> Line | None:
    at = begin
    while at < min(end, begin + MAX_NAME) and _is_capital(doc, at):
        at += 1
    name = doc[begin:at].text
    if at < end and doc[at].text in BRACKETS:
        at = _skip_direction(doc, at, end)
    # The mark may be part of a token, such as an abbreviation or "):".
    cue = at if at < end and doc[at].text in ENDS else at - 1
    if cue <= begin or cue >= end or doc[cue].text[-1] not in ENDS:
        return None
    first = cue + 1
    while first < end and (doc[first].text.isspace() or doc[first].text in BRACKETS):
        first = _skip_direction(doc, first, end) if doc[first].text in BRACKETS else first + 1
    while end > first and doc[end - 1].text.isspace():
        end -= 1
    return Line(name, cue, (first, end)) if first < end else None


def _skip_direction(doc: Doc, begin: int, end: int) -> int:
    """Returns the token after a stage direction in brackets; the end of the paragraph if no bracket closes."""
    closing = BRACKETS[doc[begin].text]
    return next((i + 1 for i in range(begin, min(end, begin + MAX_DIRECTION)) if doc[i].text[0] == closing), end)
