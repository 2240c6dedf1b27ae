"""Captions: SubRip (.srt; also YouTube's .sbv, with times such as `0:00:01.000,0:00:03.000`) and WebVTT (.vtt;
https://www.w3.org/TR/webvtt1). Styles, positions and comments are skipped.

`divide_cues` divides a file into cues, whose times webvtt-py parses. Voice tags (`<v Anna>`), names (`ANNA:`, see
`labels`), `>>` and, within a cue, dashes mark speakers. Captions that roll up, as on live television, repeat the last
line of the previous cue: it counts once.
"""

import html
import re
from collections.abc import Iterator, Sequence, Set
from itertools import chain, pairwise

from webvtt import Caption, WebVTT

from ..errors import Errors, JointValueError, Message
from .labels import CHANGE, find_caption_names, find_label
from .transcript import CLOCK, LINE_END, Cue, Format, Segment, estimate, is_sound, read_clock

ARROW = "-->"
HEADER = "WEBVTT"
SRT_BEGINNING = re.compile(rf"\s*(?:\d+\s+)?{CLOCK}(?:\s*{ARROW}\s*|,){CLOCK}")
SBV_TIMES = re.compile(rf"^({CLOCK}),({CLOCK})[ \t]*(?=\r?$)", re.MULTILINE)
# The number of a cue is right above the times, or alone between blank lines above them.
SRT_NUMBER = re.compile(rf"(?:^\d+\n|(?<!.\n)^\d+\n+)(?=.*{ARROW})", re.MULTILINE)
# Removed before parsing, because text of a cue may follow after a blank line.
VTT_ASIDE = re.compile(rf"(?<=\n\n)(?!.*{ARROW})(?:NOTE(?:[ \t].*)?|STYLE|REGION)(?:\n(?!.*{ARROW}).+)*$", re.MULTILINE)
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
# Webex names the speaker above the times: 12 "Anna Smith" (123)
NAMED = re.compile(r'\d+ "(?P<name>[^"<>]+)" \(\d+\)')
DASH = re.compile(r"^\s*[-‐–—]\s*(?=\S)")  # noqa: RUF001
# Another speaker in the same line: "- Where? - At home.", ">> Where? >> At home."
SAID = re.compile(r"(?<=[.?!…])\s+(?=[-‐–—]\s*\S)")  # noqa: RUF001
CHANGED = re.compile(r"\s+(?=(?:>|&gt;){2})")
# Captions roll up if lines are repeated at least this often, and by most cues.
MIN_REPETITIONS = 3


def read_srt(content: str, source: str) -> Iterator[Segment]:
    """Reads SubRip or .sbv. RAISES ValueError: If the file, called `source` in errors, is damaged (J460-J462)."""
    name = "srt" if ARROW in content else "sbv"
    content = SBV_TIMES.sub(rf"\1 {ARROW} \2", content)
    lines = LINE_END.split(content)
    rows = [row for row in SRT_NUMBER.sub("", "\n".join(map(str.strip, lines))).split("\n") if row]
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if rows and ARROW not in rows[0]:
        raise _make_error(Errors.J460, lines, filled[0], source)
    if rows and rows[-1].isdecimal() and not lines[filled[-1] - 1].strip():
        raise _make_error(Errors.J460, lines, filled[-1], source)
    return _read_cues(_parse("\n".join(rows), lines, source), divide_cues(content), name)


def read_vtt(content: str, source: str) -> Iterator[Segment]:
    """Reads WebVTT. RAISES ValueError: If the file, called `source` in errors, is damaged (J460-J463)."""
    lines = LINE_END.split(content)
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return iter(())
    if not VTT.recognise(lines):
        raise JointValueError(Errors.J463, source=source)
    # The standard allows nothing above the header. Blank lines move below it, so later lines keep their numbers.
    lines.insert(0, lines.pop(first))
    text = VTT_ASIDE.sub(lambda match: "\n" * match[0].count("\n"), "\n".join(map(str.strip, lines)))
    if gap := re.search(r"\n{2,}(?=.)", divide_cues(text)[0]):
        raise _make_error(Errors.J460, lines, text.count("\n", 0, gap.end()), source)
    return _read_cues(_parse(text, lines, source), divide_cues(content), "vtt")


SRT = Format("srt", read_srt, lambda lines: SRT_BEGINNING.match("\n".join(lines[:9])) is not None, (".srt", ".sbv"))
VTT = Format("vtt", read_vtt, lambda lines: next(filter(str.strip, lines), "").split()[:1] == [HEADER], (".vtt",))


def _parse(text: str, lines: Sequence[str], source: str) -> list[Caption]:
    """Parses the cues of a text, one for each line of the file that has an arrow. By the standard, a blank line ends a
    cue, but files have blank lines within cues, so all lines up to the next cue are its text."""
    captions: list[Caption] = []
    times = [number for number, line in enumerate(lines) if ARROW in line]
    for number, block in zip(times, divide_cues(text)[1:], strict=True):
        rows = [row for row in block.split("\n") if row]
        identifier = "" if ARROW in rows[0] else rows.pop(0)
        # WebVTT has decimal points and SubRip commas, but files mix them.
        parsed = WebVTT.from_string(f"{HEADER}\n\n{rows.pop(0).replace(',', '.')}").captions
        if not parsed or parsed[0].end_time < parsed[0].start_time:
            raise _make_error(Errors.J462 if parsed else Errors.J461, lines, number, source)
        if rows and (named := NAMED.fullmatch(identifier)):
            rows[0] = f"<v {named['name']}>{rows[0]}"
        parsed[0].lines = rows
        captions += parsed
    return captions


def _make_error(error: Message, lines: Sequence[str], number: int, source: str) -> JointValueError:
    return JointValueError(error, source=source, line=number + 1, found=lines[number].strip())


def divide_cues(content: str) -> list[str]:
    """Divides a file into its header and the blocks of its cues, each up to the next one."""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", content)
    starts = [0]
    for number, line in enumerate(lines):
        if ARROW in line:
            # An identifier is a line above the times, after a blank line or at the beginning.
            has_identifier = number > 0 and ARROW not in lines[number - 1] and bool(lines[number - 1].strip())
            has_identifier &= number < 2 or not lines[number - 2].strip()
            starts.append(number - has_identifier)
    return ["".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]


def _read_cues(cues: Sequence[Caption], written: Sequence[str], format: str) -> Iterator[Segment]:
    """Reads the lines of cues, in runs of one speaker. `written` has the header of the file and a block per cue."""
    is_rolling = _roll_down(cues)
    for cue in cues:
        parts = [(SAID if DASH.match(strip_markup(line)) else CHANGED).split(line) for line in cue.lines]
        cue.lines[:] = chain.from_iterable(parts)
    lines = [line for cue in cues for line in cue.lines]
    # If voice tags name speakers, names before colons do not.
    has_voices = any(match["voice"] for line in lines for match in MARKUP.finditer(line))
    named = [] if has_voices else [DASH.sub("", plain) for line in lines if (plain := strip_markup(line))]
    names = find_caption_names(named, len(cues))
    speaker: str | None = None
    header, segments, last = written[0], list[Segment](), -1
    for index, cue in enumerate(cues, start=1):
        rows = [(row, "".join(part for part, *_ in row)) for row in _split(cue.lines)]
        is_all_sound = is_sound("".join(text for _, text in rows))
        is_dialogue = sum(bool(DASH.match(text)) for _, text in rows) > 1
        start_time, end_time = (time.in_milliseconds() / 1000 for time in (cue.start_time, cue.end_time))
        said, stamps = list[Segment](), [(0, start_time)]
        for row, text in rows:
            begin, speaker, begins_turn, direction = _read_beginning(text, speaker, names, is_dialogue)
            is_row_sound = is_all_sound or is_sound(text[begin:])
            said.append(Segment(f"{direction} ", speaker, None, begins_turn, is_sound=True, begins_line=True))
            for part, voice, time in row:
                if time is not None:
                    # Stamps are kept within the cue and in order.
                    stamps.append((len(said), min(max(time, stamps[-1][1]), end_time)))
                said.append(Segment(part[begin:], voice or speaker, is_sound=is_row_sound))
                begin = max(begin - len(part), 0)
        # From stamp to stamp, by the number of characters.
        pairs = pairwise([*stamps, (len(said), end_time)])
        said = [each for (first, start), (stop, end) in pairs for each in estimate(said[first:stop], start, end)]
        segments += said
        if any(segment.text.strip() for segment in said):
            last = len(segments) - len(said)
            found = Cue(start_time, end_time, format, header, written[index])
            segments[last] = segments[last]._replace(cue=None if is_rolling else found)
            header = ""
        elif last < 0 or (above := segments[last].cue) is None:
            header += written[index]
        else:
            # Cues without words go with the one above.
            segments[last] = segments[last]._replace(cue=above._replace(block=above.block + written[index]))
    yield from segments


def _roll_down(cues: Sequence[Caption]) -> bool:
    """Removes the lines that captions repeat because they roll up; returns whether they do."""
    plain = [[line for line in map(strip_markup, cue.lines) if line] for cue in cues]
    # None: one of the two has no text.
    repeats = [before[-1] == after[0] if before and after else None for before, after in pairwise(plain)]
    if repeats.count(True) < max(MIN_REPETITIONS, repeats.count(False) + 1):
        return False
    for cue, repeats_line in zip(cues[1:], repeats, strict=True):
        if repeats_line:
            first = next(i for i, line in enumerate(cue.lines) if strip_markup(line))
            del cue.lines[: first + 1]
    return True


def strip_markup(line: str) -> str:
    """Returns the plain text of a line of a cue."""
    return " ".join(html.unescape(MARKUP.sub(" ", line)).split())


def _split(lines: Sequence[str]) -> list[list[tuple[str, str | None, float | None]]]:
    """Splits lines of a cue, with their line breaks, into parts, each with its voice and the time of a stamp before."""
    rows: list[list[tuple[str, str | None, float | None]]] = [[]]
    voice: str | None = None
    time: float | None = None
    text = "".join(f"{line}\n" for line in lines)
    matches = list(MARKUP.finditer(text))
    for begin, match in zip([0, *(match.end() for match in matches)], [*matches, None], strict=True):
        parts = re.findall(r"[^\n]*\n|[^\n]+", text[begin : match.start() if match else None])
        for part in [*parts, " "] if match and match["space"] else parts:
            rows[-1].append((html.unescape(part), voice, time))
            time = None
            if part.endswith("\n"):
                rows.append([])
        if match and (match["voice"] or match["voice_end"]):
            voice = " ".join(html.unescape(match["voice"] or "").split()) or None
        elif match and match["time"]:
            time = read_clock(match["time"])
    return rows


def _read_beginning(
    line: str, speaker: str | None, names: Set[str], is_dialogue: bool
) -> tuple[int, str | None, bool, str]:
    """Reads the beginning of a line: the offset of its words, its speaker, whether a turn begins, and the
    direction, as in `ANNA (on phone): hi`."""
    dash = DASH.match(line) if is_dialogue else None
    begin = dash.end() if dash else 0
    label = find_label(line[begin:], names)
    if label is None:
        return (begin, None, True, "") if dash else (0, speaker, False, "")
    return begin + label.end, label.name or None, bool(dash or CHANGE.match(line, begin)), label.direction
