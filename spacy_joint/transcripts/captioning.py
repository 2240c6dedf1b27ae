"""Cutting words into captions within limits, at the least cost. The cut is exact: a dynamic program compares all cuts.

The cost is a sum over lines and captions: the costs of words where lines end (the arcs that they cut, see words.py),
the space and time of lines and captions, and the amounts by which they violate limits. Maximum widths (except those of
single words) and maximum durations are never violated. Maximum rates and minimum durations may be, where people speak
too fast or too little.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ..errors import check_range
from .transcript import Cue

# Costs, in the units of FORBIDDEN in words.py. Of each line and caption:
LINE, CAPTION = 20, 40
# Of a full line. Shorter lines cost less, by the square of their width, so lines of a caption are about equally long.
FULL_LINE = 60
# The factor of the cost of arcs that the end of a caption cuts, rather than the end of a line.
END = 2
# Of a second of silence in a caption, of a sentence that begins within a line, and a turn within a caption.
SILENCE, SENTENCE, TURN = 60, 10, 300
MAX_SILENCE = 5.0  # seconds: longer ones cost no more
# Of each character above the maximum rate, and of each second below the minimum duration.
TOO_FAST, TOO_SHORT = 100, 2000


class Limits(NamedTuple):
    """The limits of captions: lines, characters of a line, seconds, and characters per second."""

    max_lines: int = 2
    max_width: int = 42
    min_seconds: float = 1.0
    max_seconds: float = 7.0
    max_rate: float = 20.0

    def check(self) -> None:
        """RAISES ValueError: If a limit is out of range (J030)."""
        check_range("max_lines", self.max_lines, 1, 10)
        check_range("max_width", self.max_width, 1, 1000)
        check_range("min_seconds", self.min_seconds, 0, 60)
        check_range("max_seconds", self.max_seconds, max(self.min_seconds, 0.1), 3600)
        check_range("max_rate", self.max_rate, 1, 1000)


class Unit(NamedTuple):
    """A word to cut. `width` counts its characters, and those of the name of a speaker before it; `cost` is the cost of
    a line end before it. Turns and sounds begin a line (`begins_line`)."""

    width: int
    start_time: float
    end_time: float
    cost: int
    begins_line: bool
    begins_turn: bool
    begins_sentence: bool


class Caption(NamedTuple):
    """A caption: the offsets of the words with which its lines begin, and the end; its times in seconds; and its cue in
    the source, if that stays unchanged."""

    starts: tuple[int, ...]
    end: int
    start_time: float
    end_time: float
    cue: Cue | None = None


def cut_captions(units: Sequence[Unit], limits: Limits, begin: int = 0, end: int | None = None) -> list[Caption]:
    """Cuts the words from `begin` to `end` into captions, at the least cost."""
    last = len(units) if end is None else end
    # The least cost up to each word, and the lines of the last caption.
    best: dict[int, tuple[float, tuple[int, ...]]] = {begin: (0.0, ())}
    for start in range(begin, last):
        for stop, cost, starts in _list_captions(units, limits, start, last):
            total = best[start][0] + cost
            if stop not in best or total < best[stop][0]:
                best[stop] = total, starts
    captions: list[Caption] = []
    stop = last
    while stop > begin:
        captions.append(make_caption(units, limits, best[stop][1], stop))
        stop = captions[-1].starts[0]
    return captions[::-1]


def _list_captions(
    units: Sequence[Unit], limits: Limits, start: int, last: int
) -> list[tuple[int, float, tuple[int, ...]]]:
    """Lists all captions that may begin with a word: their ends, their costs, and the beginnings of their lines."""
    # The costs of silences and turns within captions, by their lengths, up to the longest one.
    inner = [0.0]
    reach = start + 1
    # Even words with the same time do not fit all into one caption: words and spaces fill its lines.
    last = min(last, start + limits.max_lines * (limits.max_width // 2 + 1))
    while reach < last and _continues(units, limits, start, reach):
        before, unit = units[reach - 1], units[reach]
        silence = min(max(unit.start_time - before.end_time, 0.0), MAX_SILENCE)
        inner.append(inner[-1] + SILENCE * silence + TURN * unit.begins_turn)
        reach += 1
    best: dict[int, tuple[float, tuple[int, ...]]] = {}
    lines: dict[int, tuple[float, tuple[int, ...]]] = {start: (0.0, ())}
    for _ in range(limits.max_lines):
        longer: dict[int, tuple[float, tuple[int, ...]]] = {}
        for at, (cost, starts) in lines.items():
            if at < reach:
                cost += LINE + (units[at].cost if starts else 0)
                for stop, shape in _list_lines(units, limits.max_width, at, reach):
                    if stop not in longer or cost + shape < longer[stop][0]:
                        longer[stop] = cost + shape, (*starts, at)
        lines = longer
        for stop, option in lines.items():
            if stop not in best or option[0] < best[stop][0]:
                best[stop] = option
    return [
        (stop, cost + inner[stop - start - 1] + _weigh_caption(units, limits, start, stop), starts)
        for stop, (cost, starts) in best.items()
    ]


def _continues(units: Sequence[Unit], limits: Limits, start: int, stop: int) -> bool:
    """Returns whether a caption may continue with a word: it must not end too late, nor start before the previous word,
    as in another recording."""
    is_later = units[stop].start_time >= units[stop - 1].start_time
    return is_later and units[stop].end_time - units[start].start_time <= limits.max_seconds


def _list_lines(units: Sequence[Unit], max_width: int, start: int, reach: int) -> list[tuple[int, float]]:
    """Lists the lines that may begin with a word: their ends and the costs of their shapes."""
    width, cost = -1, 0.0
    found: list[tuple[int, float]] = []
    for stop in range(start, reach):
        unit = units[stop]
        width += 1 + unit.width
        if stop > start:
            if width > max_width or unit.begins_line:
                break
            cost += SENTENCE * unit.begins_sentence
        found.append((stop + 1, cost + FULL_LINE * (width / max_width) ** 2))
    return found


def _weigh_caption(units: Sequence[Unit], limits: Limits, start: int, stop: int) -> float:
    caption = make_caption(units, limits, (start,), stop)
    seconds = caption.end_time - caption.start_time
    cost = CAPTION + TOO_SHORT * max(limits.min_seconds - seconds, 0.0)
    cost += TOO_FAST * max(_count_characters(units, start, stop) - limits.max_rate * seconds, 0.0)
    return cost + (END * units[stop].cost if stop < len(units) else 0)


def _count_characters(units: Sequence[Unit], start: int, stop: int) -> int:
    return sum(unit.width for unit in units[start:stop]) + stop - start - 1


def make_caption(units: Sequence[Unit], limits: Limits, starts: tuple[int, ...], stop: int) -> Caption:
    """Makes a caption, which stays long enough to be read unless the next one follows sooner."""
    start_time, end_time = units[starts[0]].start_time, max(unit.end_time for unit in units[starts[0] : stop])
    needed = max(limits.min_seconds, _count_characters(units, starts[0], stop) / limits.max_rate)
    following = units[stop].start_time if stop < len(units) else float("inf")
    if following < start_time:
        following = float("inf")
    end_time = max(end_time, min(start_time + needed, following))
    return Caption(starts, stop, start_time, min(end_time, start_time + limits.max_seconds))


def count_breaches(units: Sequence[Unit], limits: Limits, captions: Sequence[Caption], forbidden: int) -> int:
    """Counts how often captions have too many lines, are too wide or too long, or end a line where the cost is
    `forbidden` or more."""
    n = 0
    for caption in captions:
        n += len(caption.starts) > limits.max_lines
        n += round(caption.end_time - caption.start_time, 3) > limits.max_seconds
        for start, end in pairwise([*caption.starts, caption.end]):
            n += end - start > 1 and _count_characters(units, start, end) > limits.max_width
            n += end < len(units) and units[end].cost >= forbidden
    return n
