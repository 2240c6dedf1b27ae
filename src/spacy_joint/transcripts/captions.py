"""Captions: SubRip (.srt) and WebVTT (.vtt; https://www.w3.org/TR/webvtt1).

webvtt-py parses WebVTT, and SubRip that has been brought into this form. It skips what it does not understand, so this
module joins text after a blank line with its cue, and says in which line a file is damaged. Words, speakers and times
are read; styles, positions and comments are left out.

Speakers are given by voice tags (`<v Anna>`), names (`ANNA:`, see `labels`), `>>`, or, within a cue, dashes. Captions
that roll up, as those of live television do, repeat the last line of the cue before: it counts once.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from webvtt import Caption, WebVTT

from ..errors import Errors, JointValueError, Message
from .clock import CLOCK, read_clock
from .labels import CHANGE, find_caption_names, read_label
from .transcript import Segment, is_sound, spread

ARROW = "-->"
HEADER = "WEBVTT"
TIMES = re.compile(rf"^.*{ARROW}.*", re.MULTILINE)
SRT_BEGINNING = re.compile(rf"\s*(?:\d+\s+)?{CLOCK}\s*{ARROW}\s*{CLOCK}")
# A number counts cues if it is right above times, or alone between blank lines above them.
SRT_NUMBER = re.compile(rf"(?:^\d+\n|(?<!.\n)^\d+\n+)(?=.*{ARROW})", re.MULTILINE)
# Left out here, because text of a cue may follow after a blank line.
VTT_ASIDE = re.compile(rf"(?<=\n\n)(?!.*{ARROW})(?:NOTE(?:[ \t].*)?|STYLE|REGION)(?:\n(?!.*{ARROW}).+)*$", re.MULTILINE)
# Blank lines that neither a cue nor the end follows.
VTT_GAP = re.compile(rf"(?<!\n)\n{{2,}}(?!\n|\Z|(?:.+\n)?.*{ARROW})")
MARKUP = re.compile(
    rf"""
    <v(?:\.[^\s>]*)?\s+(?P<voice>[^\s<>][^<>]*)>   # <v.loud Anna>
    | (?P<voice_end></v>)
    | <(?P<time>{CLOCK})>
    | </?[a-zA-Z][^<>]*>                    # <i>, <c.yellow>, <font color="red">
    | \{{\\[^{{}}]*\}} | \{{/?[biu]\}}      # {{\an8}}, {{i}}
    | (?P<space>\\[Nnh])
    """,
    re.VERBOSE,
)
DASH = re.compile(r"\s*[-‐–—]\s*(?=\S)")  # noqa: RUF001
# From this number of repetitions on, and if most cues repeat a line, captions roll up.
MIN_REPETITIONS = 3


class Run(NamedTuple):
    """A part of a line of a cue in one voice, and the time stamp before it, in seconds."""

    text: str
    voice: str | None
    time: float | None


def read_srt(lines: Sequence[str], source: str) -> Iterator[Segment]:
    """Reads SubRip.

    lines (Sequence[str]): The lines of the file, without line ends.
    source (str): The name of the file, for errors.
    YIELDS (Segment): Its words.
    RAISES ValueError: If the file is damaged (J460-J462).
    """
    text = SRT_NUMBER.sub("", _join_lines(lines))
    rows = [row for row in text.split("\n") if row]
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if rows and ARROW not in rows[0]:
        raise _make_error(Errors.J460, lines, filled[0], source)
    if rows and rows[-1].isdecimal() and not lines[filled[-1] - 1].strip():
        raise _make_error(Errors.J460, lines, filled[-1], source)
    cues = [f"\n{row}" if ARROW in row else row for row in rows]
    return _read_cues(_parse("\n".join([HEADER, *cues]), lines, source))


def read_vtt(lines: Sequence[str], source: str) -> Iterator[Segment]:
    """Reads WebVTT. See `read_srt`.

    RAISES ValueError: If the file is damaged (J460-J463).
    """
    if not any(lines):
        return iter(())
    if not is_vtt(lines):
        raise JointValueError(Errors.J463, source=source)
    text = VTT_ASIDE.sub(lambda match: "\n" * match[0].count("\n"), _join_lines(lines))
    gap = VTT_GAP.search(text)
    if gap is not None and ARROW not in text[: gap.start()]:
        raise _make_error(Errors.J460, lines, text.count("\n", 0, gap.end()), source)
    # A blank line ends a cue by the standard, but files have them in the middle of cues.
    return _read_cues(_parse(VTT_GAP.sub("\n", text), lines, source))


def is_vtt(lines: Sequence[str]) -> bool:
    """Whether a file has the header of WebVTT."""
    return bool(lines) and re.match(rf"{HEADER}(?:\s|$)", lines[0]) is not None


def is_srt(lines: Sequence[str]) -> bool:
    """Whether a file begins with a cue."""
    return SRT_BEGINNING.match("\n".join(lines[:9])) is not None


def _join_lines(lines: Sequence[str]) -> str:
    """The text of lines, in which blank lines are empty."""
    return "\n".join(map(str.strip, lines))


def _parse(text: str, lines: Sequence[str], source: str) -> list[Caption]:
    """The cues of WebVTT, one for each line of the file that has an arrow."""
    captions = _parse_vtt(text)
    times = [number for number, line in enumerate(lines) if ARROW in line]
    if len(captions) < len(times):
        damaged = next(number for number in times if not _parse_vtt(f"{HEADER}\n\n{lines[number]}"))
        raise _make_error(Errors.J461, lines, damaged, source)
    for number, caption in zip(times, captions, strict=True):
        if caption.end_time < caption.start_time:
            raise _make_error(Errors.J462, lines, number, source)
    return captions


def _parse_vtt(text: str) -> list[Caption]:
    # Times have a decimal point in WebVTT and a comma in SubRip, but files have either.
    return WebVTT.from_string(TIMES.sub(lambda match: match[0].replace(",", "."), text)).captions


def _make_error(error: Message, lines: Sequence[str], number: int, source: str) -> JointValueError:
    return JointValueError(error, source=source, line=number + 1, found=lines[number].strip())


def _read_cues(cues: Sequence[Caption]) -> Iterator[Segment]:
    _roll_down(cues)
    names = find_caption_names([plain for cue in cues for line in cue.lines if (plain := _strip(line))], len(cues))
    speaker: str | None = None
    begins_turn = False
    for cue in cues:
        rows = [(row, "".join(run.text for run in row)) for row in _split(cue.lines)]
        is_all_sound = is_sound("".join(text for _, text in rows))
        is_dialogue = sum(bool(DASH.match(text)) for _, text in rows) > 1
        said: list[tuple[Run, Segment]] = []
        for row, text in rows:
            begins, speaker, is_other = _read_beginning(text, speaker, names, is_dialogue)
            begins_turn |= is_other
            is_row_sound = is_all_sound or is_sound(text[begins:])
            for run in _cut(row, begins):
                said.append(
                    (run, Segment(run.text, run.voice or speaker, None, None, begins_turn, False, is_row_sound))
                )
                begins_turn = False
        start_time, end_time = (time.in_milliseconds() / 1000 for time in (cue.start_time, cue.end_time))
        times = _find_times([run for run, _ in said], start_time, end_time)
        for (_, segment), (start, end) in zip(said, times, strict=True):
            yield segment._replace(start_time=start, end_time=end)


def _roll_down(cues: Sequence[Caption]) -> None:
    """Removes the lines that captions repeat because they roll up."""
    plain = [[line for line in map(_strip, cue.lines) if line] for cue in cues]
    pairs = [(before, after) for before, after in pairwise(plain) if before and after]
    n_repeated = sum(before[-1] == after[0] for before, after in pairs)
    if n_repeated < MIN_REPETITIONS or 2 * n_repeated <= len(pairs):
        return
    for number in range(len(cues) - 1, 0, -1):
        before, after = plain[number - 1], plain[number]
        if before and after and before[-1] == after[0]:
            first = next(i for i, line in enumerate(cues[number].lines) if _strip(line))
            del cues[number].lines[: first + 1]


def _strip(line: str) -> str:
    return " ".join(html.unescape(MARKUP.sub(" ", line)).split())


def _split(lines: Sequence[str]) -> list[list[Run]]:
    """The runs of each line of a cue. The last one of each line ends in a line break."""
    rows: list[list[Run]] = [[]]
    voice: str | None = None
    time: float | None = None
    text = "".join(f"{line}\n" for line in lines)
    position = 0

    def add(part: str) -> None:
        nonlocal time
        for piece in re.findall(r"[^\n]*\n|[^\n]+", part):
            rows[-1].append(Run(html.unescape(piece), voice, time))
            time = None
            if piece.endswith("\n"):
                rows.append([])

    for match in MARKUP.finditer(text):
        add(text[position : match.start()])
        position = match.end()
        if match["voice"]:
            voice = " ".join(html.unescape(match["voice"]).split())
        elif match["voice_end"]:
            voice = None
        elif match["time"]:
            time = read_clock(match["time"])
        elif match["space"]:
            add(" ")
    add(text[position:])
    return rows


def _read_beginning(line: str, speaker: str | None, names: Set[str], is_dialogue: bool) -> tuple[int, str | None, bool]:
    """Where the words of a line begin, its speaker, and whether a turn begins."""
    dash = DASH.match(line) if is_dialogue else None
    begin = dash.end() if dash else 0
    label = read_label(line[begin:])
    if label is not None and label.name in names:
        return begin + label.end, label.name, bool(dash)
    change = CHANGE.match(line, begin)
    if change is not None:
        return change.end(), None, True
    return (begin, None, True) if dash else (0, speaker, False)


def _cut(row: Sequence[Run], begin: int) -> Iterator[Run]:
    """The runs of a line from a character on."""
    for run in row:
        if begin < len(run.text):
            yield run._replace(text=run.text[begin:])
        begin = max(begin - len(run.text), 0)


def _find_times(runs: Sequence[Run], start_time: float, end_time: float) -> Iterator[tuple[float, float]]:
    """The times of the runs of a cue: from one time stamp to the next, and between stamps by the number of characters.

    Stamps outside the cue, or before an earlier one, are moved to where they make sense.
    """
    stamps = [(0, start_time)]
    for number, run in enumerate(runs):
        if run.time is not None:
            stamps.append((number, min(max(run.time, stamps[-1][1]), end_time)))
    for (first, begin), (last, end) in pairwise([*stamps, (len(runs), end_time)]):
        yield from spread([run.text for run in runs[first:last]], begin, end)
