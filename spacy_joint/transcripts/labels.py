"""The names of speakers at the beginning of lines: `ANNA: at the garage`, `Anna Smith:`, `>> ANNA:`, `SPEAKER_01:`,
`[SPEAKER_01]:` (as WhisperX writes captions), `**Anna:**` and `**Anna** (01:02):` (Markdown), `Q.` and `A.` (court
records), `[01/02/2026, 09:30:12] Anna:` and `01/02/2026, 09:30 - Anna:` (WhatsApp). Ordinary text has colons, too, so a
whole file decides which beginnings of lines are names."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from itertools import groupby
from typing import NamedTuple

from .transcript import CLOCK, read_clock

MAX_NAME_LENGTH = 40
BRACKETED_TIME = rf"\[{CLOCK}\]|\({CLOCK}\)"
TIME = rf"{BRACKETED_TIME}|{CLOCK}"
LABEL = re.compile(
    rf"""\s*
    (?P<mark>>>+\s*)?
    (?:(?P<time_before>{TIME})\s+)?
    (?P<name>[^\W\d_][\w.'’&-]{{0,{MAX_NAME_LENGTH}}}(?:[ ][\w.'’&-]{{1,{MAX_NAME_LENGTH}}}){{0,4}})
    (?:[ ]\([^():]{{1,40}}\))?
    (?:\s+(?P<time_after>{TIME}))?
    \s*:(?:\s+(?P<time_behind>{BRACKETED_TIME}))?(?:\s+|$)
    """,
    re.VERBOSE,
)
BOLD = re.compile(
    rf"""\s*
    \*\*(?:(?P<time_before>{TIME})\s+)?
    (?P<name>[^\s*:\[\]()](?:[^*:\[\]()]{{0,{MAX_NAME_LENGTH - 2}}}[^\s*:\[\]()])?)
    (?:\s+(?P<time_inside>{TIME}))?
    \s*(?P<colon>:)?\s*\*\*
    (?:\s*(?P<time_after>{TIME}))?
    (?(colon)|\s*:)(?:\s+|$)
    """,
    re.VERBOSE,
)
# Excludes addresses of links in Markdown, `[1]: https://...`.
BRACKETED = re.compile(r"\s*(?P<mark>>>+\s*)?\[(?P<name>[^\[\]]*[^\W_][^\[\]]*)\]:(?:\s+|$)(?!\w+://)")
# Questions and answers of court records; a file must have both. Lines may be numbered.
EXAMINATION = re.compile(r"\s*(?:\d{1,2}\s+)?(?P<name>[QA])(?:[.]\s+|\s{3,}|\t\s*)(?=\S)")
BOTH = {"Q", "A"}
# The date and time of a message. Those of logs have no comma.
DATE, TIME_OF_DAY = r"\d{1,4}[./-]\d\d?[./-]\d{2,4}", r"\d\d?:\d\d(?::\d\d)?(?:\s?[AaPp][.]?\s?[Mm][.]?)?"
STAMP = rf"\u200e?\[?{DATE},[ ]{TIME_OF_DAY}(?:\]|[ ]-)\s+"
MESSAGE = re.compile(rf"{STAMP}(?P<name>[^:\"“\s][^:\"“]{{0,{MAX_NAME_LENGTH}}}):(?:\s+|$)")
# Without a name, these show a change of speaker.
CHANGE = re.compile(rf"\s*>>+\s*|{STAMP}")
PARTICLES = {"al", "bin", "da", "de", "del", "der", "di", "du", "la", "le", "of", "the", "van", "von"}
NUMBERED = re.compile(r"(?:speaker|spk)[ _-]?\w{1,3}", re.IGNORECASE)
# Words before colons in letters, emails, logs and documents.
NOT_NAMES = {
    *("attn", "bcc", "cc", "date", "debug", "error", "example", "fatal", "from", "info", "nb", "note", "notes", "p.s."),
    *("ps", "re", "sent", "source", "subject", "tip", "to", "trace", "warn", "warning"),
}


class Label(NamedTuple):
    """The beginning of a line that may name its speaker."""

    name: str
    time: float | None  # next to the name, in seconds
    end: int  # where the words begin
    is_marked: bool  # whether it is certainly a name: `>> ANNA:`, `SPEAKER_01:`


def read_label(line: str) -> Label | None:
    """Reads a possible name of a speaker at the beginning of a line; returns None if there is none."""
    message = MESSAGE.match(line)
    if message is not None:
        return Label(message["name"], None, message.end(), True)
    bracketed = BRACKETED.match(line)
    if bracketed is not None and read_clock(bracketed["name"]) is None:
        return Label(bracketed["name"], None, bracketed.end(), True)
    bold = BOLD.match(line)
    if bold is not None and bold["name"].lower() not in NOT_NAMES:
        written = bold["time_before"] or bold["time_inside"] or bold["time_after"] or ""
        return Label(bold["name"], read_clock(written.strip("[]()")), bold.end(), False)
    examination = EXAMINATION.match(line)
    if examination is not None:
        return Label(examination["name"], None, examination.end(), False)
    match = LABEL.match(line)
    if match is None:
        return None
    name, words = match["name"], match["name"].split()
    # A single word, as in chats, or capitalised words.
    has_form = len(words) == 1 or all(not word[0].islower() or word in PARTICLES for word in words)
    if not has_form or len(name) > MAX_NAME_LENGTH or name.lower() in NOT_NAMES:
        return None
    written = (match["time_before"] or match["time_after"] or match["time_behind"] or "").strip("[]()")
    return Label(name, read_clock(written), match.end(), bool(match["mark"] or NUMBERED.fullmatch(name)))


def find_names(lines: Sequence[str]) -> Set[str]:
    """Finds names of speakers at the beginnings of lines, in a file that may have none. A name recurs, is in capitals,
    or is marked."""
    counts = Counter(label.name for label in _read_labels(lines))
    return {*_find_sure_names(lines), *(name for name, count in counts.items() if count > 1)}


def find_caption_names(lines: Sequence[str], n_cues: int) -> Set[str]:
    """Finds names of speakers in captions, which may name only unseen speakers, and whose lines may begin anywhere in a
    sentence."""
    lines = [line for line in lines if not EXAMINATION.match(line)]
    names = find_names(lines)
    n_named = sum(label.name in names for label in _read_labels(lines))
    # In films, words such as "Listen:" recur. So a name that is neither in capitals nor marked only counts if at least
    # every third cue has a name.
    return names if 3 * n_named >= n_cues else _find_sure_names(lines)


def _find_sure_names(lines: Sequence[str]) -> set[str]:
    # Capitals tell nothing if most lines are in capitals.
    are_telling = 2 * sum(map(str.isupper, lines)) <= len(lines)
    return {label.name for label in _read_labels(lines) if label.is_marked or (are_telling and label.name.isupper())}


def find_all_names(lines: Sequence[str]) -> Set[str]:
    """Finds names of speakers in a file whose turns begin with names, where a capital suffices for a name."""
    return {*find_names(lines), *(label.name for label in _read_labels(lines) if label.name[0].isupper())}


def are_turns(lines: Sequence[str]) -> bool:
    """Returns whether turns begin with names: the first line begins with one, and some name is marked, or recurs after
    another one, or all lines begin with names in capitals, of which there are several."""
    # A chat may begin with a notice, `01/02/2026, 09:30 - Anna created the group`.
    filled = [line for line in lines if line.strip() and (MESSAGE.match(line) or not re.match(STAMP, line))]
    first = read_label(filled[0]) if filled else None
    if first is None or first.name not in find_names(filled):
        return False
    labels = _read_labels(filled)
    # Each name once, if it begins several turns in succession.
    names = [name for name, _ in groupby(label.name for label in labels)]
    are_all_capitals = len(labels) == len(filled) and all(map(str.isupper, names)) and len(names) > 1
    return are_all_capitals or len(set(names)) < len(names) or any(label.is_marked for label in labels)


def _read_labels(lines: Sequence[str]) -> list[Label]:
    labels = [label for line in lines if (label := read_label(line))]
    # Without `Q.`, `A.` is a letter of a list, or a sentence of one word.
    return labels if {label.name for label in labels} >= BOTH else [label for label in labels if label.name not in BOTH]
