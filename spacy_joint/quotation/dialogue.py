"""Dialogue by dashes, as in French, Spanish or Russian print: a paragraph that starts with a dash is a speaker's turn.

Narration inside a turn stands between dashes (—Vamos —dijo Ana—. Es tarde.), or follows a reporting verb after a comma
(— Partons, dit Anna.). Text after such a verb, up to the next dash, counts as narration.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from spacy.tokens import Doc

from .marks import STOPS

Run = tuple[int, int]
# Not in English, German or Dutch, where such paragraphs are usually lists.
LANGUAGES = frozenset(
    re.findall(r"\w+", "bg ca cs da el es et eu fi fr gl hr hu it lt lv mk nb nn no pl pt ro ru sk sl sr sv tr uk")
)
DASHES = frozenset(("–", "—", "―"))
NARRATION, COMMA = frozenset(".,;:"), frozenset(",")
# Words that may stand between a comma and its reporting verb, as in "lui dit Anna" and "se preguntó Ana".
CLITICS = frozenset(("a", "le", "lui", "leur", "me", "m'", "m’", "se", "s'", "s’", "si"))


def find_dialogue(doc: Doc, paragraph_starts: Sequence[int], cues: Set[int]) -> list[Run]:
    """The spoken parts of turns (first token, end), in order, without dashes and final commas, given possible cues."""
    if doc.lang_ not in LANGUAGES:
        return []
    runs = []
    for begin, end in zip(paragraph_starts, [*paragraph_starts[1:], len(doc)], strict=True):
        while doc[end - 1].text.isspace():
            end -= 1
        # A turn is a sentence; an item of a list often is not.
        if doc[begin].text in DASHES and doc[end - 1].text[-1] in STOPS:
            runs += _find_spoken(doc, begin, end, cues)
    return runs


def _find_spoken(doc: Doc, begin: int, end: int, cues: Set[int]) -> list[Run]:
    runs = []
    first: int | None = begin + 1
    for i in range(begin + 1, end):
        if first is None:
            first = i + 1 if doc[i].text in DASHES else None
        elif _opens_narration(doc, i, cues):
            runs.append((first, i))
            first = None
    if first is not None:
        runs.append((first, end))
    # Without punctuation before its first word that belongs to narration, and commas at its end.
    trimmed = (trim(doc, *run, NARRATION, COMMA) for run in runs)
    return [run for run in trimmed if any(token.text[0].isalnum() for token in doc[run[0] : run[1]])]


def _opens_narration(doc: Doc, i: int, cues: Set[int]) -> bool:
    before, following = find_word(doc, i, -1), find_word(doc, i, 1)
    after_stop = doc[before].text[-1] in STOPS
    if doc[i].text in DASHES:
        attached = bool(doc[i - 1].whitespace_) and not doc[i].whitespace_
        return attached or after_stop or following in cues
    return after_stop and doc[i].text.islower() and (i in cues or (doc[i].text in CLITICS and following in cues))


def find_word(doc: Doc, i: int, step: int) -> int:
    """The nearest token before (-1) or after (1) a token that is not whitespace; the token itself if there is none."""
    at = i + step
    while 0 <= at < len(doc) and doc[at].text.isspace():
        at += step
    return at if 0 <= at < len(doc) else i


def trim(doc: Doc, begin: int, end: int, before: Set[str], after: Set[str]) -> Run:
    """A run (first token, end) without whitespace and these texts before its first word, and after its last one."""
    while begin < end and (doc[begin].text in before or doc[begin].text.isspace()):
        begin += 1
    while begin < end and (doc[end - 1].text in after or doc[end - 1].text.isspace()):
        end -= 1
    return begin, end
