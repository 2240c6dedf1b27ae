"""The names of speakers at the beginning of lines: `ANNA: at the garage`, `Anna Smith:`, `>> ANNA:`, `SPEAKER_01:`.

Ordinary text has colons, too. So it is decided for a file as a whole which beginnings of its lines are names, and
whether it is a transcript at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from itertools import groupby
from typing import NamedTuple

from .clock import CLOCK, read_clock

MAX_NAME_LENGTH = 40
LABEL = re.compile(
    rf"""\s*
    (?P<mark>>>+\s*)?
    (?:(?:\[(?P<time1>{CLOCK})\]|\((?P<time2>{CLOCK})\)|(?P<time3>{CLOCK}))\s+)?
    (?P<name>[^\W\d_][\w.'’&-]*(?:[ ][\w.'’&-]+){{0,4}})
    (?:[ ]\([^():]{{1,40}}\))?
    (?:\s+(?:\[(?P<time4>{CLOCK})\]|\((?P<time5>{CLOCK})\)|(?P<time6>{CLOCK})))?
    \s*:(?:\s+|$)
    """,
    re.VERBOSE,
)
# In captions, these marks alone say that somebody else speaks.
CHANGE = re.compile(r"\s*>>+\s*")
PARTICLES = {"al", "bin", "da", "de", "del", "der", "di", "du", "la", "le", "of", "the", "van", "von"}
NUMBERED = re.compile(r"(?:speaker|spk)[ _-]?\w{1,3}", re.IGNORECASE)
# What stands before colons in letters, mails, logs and documents.
NOT_NAMES = {
    *("attn", "bcc", "cc", "date", "debug", "error", "example", "fatal", "from", "info", "nb", "note", "notes", "p.s."),
    *("ps", "re", "sent", "source", "subject", "tip", "to", "trace", "warn", "warning"),
}


class Label(NamedTuple):
    """The beginning of a line that may name its speaker.

    name (str): The name.
    time (float | None): The time next to it, in seconds.
    end (int): Where the words begin.
    is_marked (bool): Whether it cannot be mistaken for other text: `>> ANNA:`, `SPEAKER_01:`.
    """

    name: str
    time: float | None
    end: int
    is_marked: bool


def read_label(line: str) -> Label | None:
    """What may be the name of a speaker at the beginning of a line; None if nothing is."""
    match = LABEL.match(line)
    if match is None or not _may_be_name(match["name"]):
        return None
    written = next((match[f"time{i}"] for i in range(1, 7) if match[f"time{i}"]), "")
    is_marked = bool(match["mark"] or NUMBERED.fullmatch(match["name"]))
    return Label(match["name"], read_clock(written), match.end(), is_marked)


def _may_be_name(text: str) -> bool:
    """A name is one word, as in chats, or its words have capitals."""
    words = text.split()
    has_form = len(words) == 1 or all(not word[0].islower() or word in PARTICLES for word in words)
    return has_form and len(text) <= MAX_NAME_LENGTH and text.lower() not in NOT_NAMES


def find_names(lines: Sequence[str]) -> Set[str]:
    """The names of speakers with which lines begin, in a file where they may be missing.

    A name recurs, or is in capitals, or marked.
    """
    counts = Counter(label.name for label in _read_labels(lines))
    return {*_find_sure_names(lines), *(name for name, count in counts.items() if count > 1)}


def find_caption_names(lines: Sequence[str], n_cues: int) -> Set[str]:
    """The same in captions, which may name only those who are not seen.

    In films, words such as "Listen:" recur. So a name that is neither in capitals nor marked only counts if there are
    names in every third cue at least.
    """
    names = find_names(lines)
    n_named = sum(label.name in names for label in _read_labels(lines))
    return names if 3 * n_named >= n_cues else _find_sure_names(lines)


def _find_sure_names(lines: Sequence[str]) -> set[str]:
    # Where all text is in capitals, they say nothing.
    are_telling = 2 * sum(map(str.isupper, lines)) <= len(lines)
    return {label.name for label in _read_labels(lines) if label.is_marked or (are_telling and label.name.isupper())}


def find_all_names(lines: Sequence[str]) -> Set[str]:
    """The same in a file whose turns begin with names: there, a name that occurs once need only have a capital."""
    return {*find_names(lines), *(label.name for label in _read_labels(lines) if label.name[0].isupper())}


def are_turns(lines: Sequence[str]) -> bool:
    """Whether lines are a transcript in which turns begin with names.

    The first line must begin with a name. Besides, names must be marked; or one must recur after another; or all lines
    must begin with names in capitals, of which there are several.
    """
    filled = [line for line in lines if line.strip()]
    labels = _read_labels(filled)
    first = read_label(filled[0]) if filled else None
    if first is None or first.name not in find_names(filled):
        return False
    # Each name once, if it begins several turns in succession.
    names = [name for name, _ in groupby(label.name for label in labels)]
    are_all_capitals = len(labels) == len(filled) and all(map(str.isupper, names))
    return (
        any(label.is_marked for label in labels)
        or len(set(names)) < len(names)
        or (are_all_capitals and len(names) > 1)
    )


def _read_labels(lines: Sequence[str]) -> list[Label]:
    return [label for line in lines if (label := read_label(line))]
