"""Finds the lines of plays, transcripts, interviews and chats: paragraphs that start with the speaker's name.

In plays, names are in capitals, such as "ANNA. Come in.", "ANNA (rising): Come in." or "ANNA — Come in."; in
interviews, a colon follows them ("Ann Lee: I do.", "Q: Do you?"), and an answer may have several paragraphs. A document
counts as one of these as a whole: if enough paragraphs start with such names, and some names recur.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from spacy.tokens import Doc, Span

from ..annotation.quotations import Run
from .dialogue import DASHES, trim
from .mark_roles import SENTENCE_ENDS
from .names import read_names
from .words import WORDS

# The longest name, and the longest stage direction between a name and its speech, in tokens.
MAX_NAME, MAX_DIRECTION = 4, 20
MIN_LINES = 3
MIN_SHARE = 1 / 3
ENDS = DASHES | {".", ":"}
# What encloses stage directions; in French print, as in "ANNA, à part. — Oui."
BRACKETS = {"(": ")", "[": "]", ",": "."}
# Question and answer; these tokens are name and mark.
LETTERS = frozenset(("Q.", "A."))


class Line(NamedTuple):
    """A line of a speaker."""

    begin: int  # the first word of the name
    name: str
    cue: int  # the mark after the name
    speech: Run  # first token and end, without stage directions at its start


def find_lines(doc: Doc, paragraph_starts: Sequence[int]) -> list[Line]:
    """Finds the lines of a play or an interview, in order; none if the document is neither."""
    # A line that begins in lower case continues the one before.
    starts = [start for start in paragraph_starts if not doc[start].text[0].islower()]
    lines = _read_lines(doc, starts, is_play=True)
    n_names = len({line.name for line in lines})
    if len(lines) >= max(MIN_LINES, MIN_SHARE * len(starts)) and 1 < n_names < len(lines):
        return lines
    lines = _read_lines(doc, starts, is_play=False)
    recurring = [name for name, count in Counter(line.name for line in lines).items() if count > 1]
    # In chats, lines may end without a mark.
    speeches = [doc[begin:end] for *_, (begin, end) in lines]
    n_spoken = sum(_is_sentence(each) or any(word.lower_ in WORDS["spoken"] for word in each) for each in speeches)
    if len(recurring) < 2 or n_spoken * 2 < len(lines):
        return []
    begins, first, last = {line.begin for line in lines}, lines[0].begin, lines[-1].begin
    if len(lines) < MIN_SHARE * sum(first <= start <= last for start in starts):
        return []
    # Other paragraphs of sentences, up to the last line, belong to the line before.
    paragraphs = pairwise([*starts, len(doc)])
    others = {start for start, end in paragraphs if first < start < last and _is_sentence(doc[start:end])} - begins
    return _read_lines(doc, [start for start in starts if start not in others], is_play=False)


def _read_lines(doc: Doc, starts: Sequence[int], is_play: bool) -> list[Line]:
    paragraphs = pairwise([*starts, len(doc)])
    return [line for begin, end in paragraphs if (line := _read_line(doc, begin, end, is_play))]


def _is_sentence(paragraph: Span) -> bool:
    """Returns whether a paragraph has words and ends with a sentence, perhaps a quoted one."""
    words = [token.text for token in paragraph if not token.text.isspace()]
    return any(word[0].isalpha() for word in words) and any(word[-1] in SENTENCE_ENDS for word in words[-2:])


def _is_name(doc: Doc, i: int, is_play: bool) -> bool:
    """Returns whether a token can be a part of a name."""
    text = doc[i].text
    if is_play:
        if text == "." and doc[i - 1].lower_ in read_names().title_genders:
            return doc[i + 1 : i + 2].text.isupper()
        return len(text.strip(".")) > 1 and text.isupper()
    return text[0].isupper() or text in read_names().particles or text == "-"


def _read_line(doc: Doc, begin: int, end: int, is_play: bool) -> Line | None:
    at = begin
    while at < min(end, begin + MAX_NAME) and _is_name(doc, at, is_play):
        at += 1
    name = doc[begin:at].text
    if at < end and doc[at].text in BRACKETS:
        at = _skip_direction(doc, at, end)
    # The mark may be part of a token, such as an abbreviation or "):".
    cue = at if at < end and doc[at].text in ENDS else at - 1
    is_letter = not is_play and doc[begin].text in LETTERS
    if is_letter:
        name, cue = doc[begin].text, begin
    elif cue <= begin or cue >= end or not doc[cue].text.endswith(tuple(ENDS) if is_play else ":"):
        return None
    first = cue + 1
    while first < end and (doc[first].text.isspace() or doc[first].text in BRACKETS):
        first = _skip_direction(doc, first, end) if doc[first].text in BRACKETS else first + 1
    first, end = trim(doc, first, end, DASHES)
    return Line(begin, name, cue, (first, end)) if first < end else None


def _skip_direction(doc: Doc, begin: int, end: int) -> int:
    """Returns the token after a stage direction in brackets; the end of the paragraph if no bracket closes."""
    closing = BRACKETS[doc[begin].text]
    return next((i + 1 for i in range(begin, min(end, begin + MAX_DIRECTION)) if doc[i].text[0] == closing), end)
