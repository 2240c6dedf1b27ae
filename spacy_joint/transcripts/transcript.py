"""A transcript: the words of a recording as one text without names, times and markup, its turns, and the times of its
parts. Readers yield segments; `join` joins words by one space, turns by a line break, and paragraphs by a blank line.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import inf
from types import MappingProxyType
from typing import NamedTuple

SOUND = re.compile(r"(?:\[[^\[\]]*\]\s*)+|(?:\([^()]*\)\s*)+|<[^<>]*>|[♪♫].*|.*[♪♫]|#.*#", re.DOTALL)
# Written times: `01:02:03,500`, `1:02:03.5`, `02:03`, `2.00s`. Hours may be missing, or more than 99; both decimal
# marks occur in all formats.
CLOCK = r"(?:(?:\d{1,9}:)?\d{1,2}:\d{1,2}(?:[.,]\d{1,9})?|\d{1,6}\.\d{1,3}s)"
# A time, or the times of the beginning and the end.
TIMES = rf"{CLOCK}(?:\s*(?:-{{1,2}}>|[-–—])\s*{CLOCK})?"
# Characters of speech per second: assumed if its end is unknown, and at least if the next time is known.
SPEED, MIN_SPEED = 15, 10
# Times are rounded to milliseconds, as in the formats.
DECIMALS = 3
LINE_END = re.compile(r"\r\n|\r|\n")


class Cue(NamedTuple):
    """The times of a cue of captions, in seconds, and its source, so that writers can leave it unchanged: the format,
    the text above it, such as the header of the file, and its block, up to the next one."""

    start_time: float
    end_time: float
    format: str
    header: str
    block: str


class Segment(NamedTuple):
    """A part of a transcript: a cue, a line of it, or a word."""

    text: str  # joined without a separator, so white space at the ends separates words
    speaker: str | None = None  # a change of the name begins a turn
    times: tuple[float, float] | None = None  # the start and the end, in seconds
    begins_turn: bool = False  # even if the speaker has the same name or none
    begins_paragraph: bool = False
    is_sound: bool = False  # not speech, such as `[APPLAUSE]`, which never shares a sentence with speech
    is_word: bool = False  # the times are those of a word, so pauses can be measured
    # A change of the speaker may be inside a sentence: recognisers often give a few words to the wrong speaker.
    is_speaker_unsure: bool = False
    is_estimated: bool = False  # the start time is estimated by the number of characters
    cue: Cue | None = None  # the cue that begins here
    begins_line: bool = False  # a line of a cue or turn begins here; for the first, it need not be set


class Turn(NamedTuple):
    """Consecutive words of one speaker.

    speaker (str | None): The name of the speaker, if known.
    text (str): The words.
    start, end (int): Their character offsets in the text of the transcript.
    """

    speaker: str | None
    text: str
    start: int
    end: int


class TimedPart(NamedTuple):
    """The times, in seconds, of the characters from `start` to `end` (offsets in the text of the transcript).
    `is_word`: they were measured for this word, or piece of a word. `is_estimated`: the start was not measured."""

    start: int
    end: int
    start_time: float
    end_time: float
    is_word: bool = False
    is_estimated: bool = False

    def find_time(self, offset: int) -> float:
        """Finds the time of an offset in this part: characters take equally long."""
        share = (offset - self.start) / (self.end - self.start)
        return self.start_time + share * (self.end_time - self.start_time)


class Transcript(NamedTuple):
    """The words of a recording.

    text (str): The words, with a line break between turns.
    turns (Sequence[Turn]): The turns, in order. They cover all words.
    sentence_starts (Sequence[int]): The character offsets at which a sentence certainly begins: those of turns, except
        where a recogniser changes the speaker within an utterance, and those of changes between speech and other
        sounds.
    timed_parts (Sequence[TimedPart]): The parts whose times are known, in order: words or cues.
    cues (Mapping[int, Cue]): The cues of captions, by the character offsets at which they begin.
    lines (Collection[int]): The character offsets at which lines of cues and turns begin, except the first ones.
    """

    text: str
    turns: Sequence[Turn]
    sentence_starts: Sequence[int]
    timed_parts: Sequence[TimedPart]
    cues: Mapping[int, Cue] = MappingProxyType({})
    lines: Collection[int] = ()

    def find_times(self, start: int, end: int) -> tuple[float, float] | None:
        """Finds the start and end time, in seconds, of the characters from `start` to `end`; None if unknown. Within a
        word or cue, characters take equally long."""
        first, last = self._find_part(start), self._find_part(end - 1)
        if first is None or last is None:
            return None
        return round(first.find_time(start), DECIMALS), round(last.find_time(end), DECIMALS)

    def find_pause(self, start: int) -> float | None:
        """Finds the silence, in seconds, before the characters from `start`: 0 inside a word; None if unknown."""
        index = bisect_right(self.timed_parts, start, key=lambda part: part.start) - 1
        if index < 0 or not self.timed_parts[index].is_word or start >= self.timed_parts[index].end:
            return None
        before, part = self.timed_parts[max(index - 1, 0)], self.timed_parts[index]
        if start > part.start:
            return 0.0
        if index == 0 or not before.is_word or self.text[before.end : start].strip():
            return None
        return round(max(part.start_time - before.end_time, 0.0), DECIMALS)

    def is_estimated(self, start: int) -> bool:
        """Returns whether the time of the characters from `start` is estimated, by the number of characters in a longer
        part, such as a cue."""
        part = self._find_part(start)
        return part is not None and not part.is_word and (part.is_estimated or start > part.start)

    def _find_part(self, offset: int) -> TimedPart | None:
        index = bisect_right(self.timed_parts, offset, key=lambda part: part.start) - 1
        return self.timed_parts[index] if index >= 0 and offset < self.timed_parts[index].end else None


class Format(NamedTuple):
    """A format of transcripts."""

    name: str
    read: Callable[[str, str], Iterator[Segment]]  # given the content of a file, and its name for errors
    # Whether the lines of a file, with one of the suffixes or an unknown one, have this format.
    recognise: Callable[[Sequence[str]], bool]
    suffixes: tuple[str, ...] = ()


def read_clock(written: str) -> float | None:
    """Reads a time in seconds; None if it is impossible, such as 00:61."""
    if not re.fullmatch(CLOCK, written):
        return None
    if written[-1] == "s":
        return float(written[:-1])
    *hours, minutes, rest = written.replace(",", ".").split(":")
    seconds, _, fraction = rest.partition(".")
    if int(minutes) > 59 or int(seconds) > 59:
        return None
    whole = 3600 * int("".join(hours) or 0) + 60 * int(minutes) + int(seconds)
    return (1000 * whole + int(fraction[:DECIMALS].ljust(DECIMALS, "0"))) / 1000


def is_sound(text: str) -> bool:
    """Returns whether no part of a text is speech: [APPLAUSE], (door opens), <Media omitted>, ♪ la la ♪."""
    return SOUND.fullmatch(text.strip()) is not None


def spread(texts: Sequence[str], start_time: float, end_time: float) -> Iterator[tuple[float, float]]:
    """Yields estimated start and end times of consecutive texts, by their numbers of characters, stripped of white
    space."""
    lengths = [len(text.strip()) for text in texts]
    rate = (end_time - start_time) / max(sum(lengths), 1)
    for before, after in pairwise(accumulate(lengths, initial=0)):
        yield start_time + before * rate, start_time + after * rate


def estimate(segments: Sequence[Segment], start_time: float, end_time: float) -> Iterator[Segment]:
    """Yields consecutive segments with the times that `spread` estimates: all but the start of the first words."""
    texts = [segment.text for segment in segments]
    first = next((index for index, text in enumerate(texts) if text.strip()), 0)
    for index, times in enumerate(spread(texts, start_time, end_time)):
        yield segments[index]._replace(times=times, is_estimated=index > first)


def set_times(segments: list[Segment], stamps: Iterable[tuple[int, str]], *, may_be_daytime: bool = False) -> None:
    """Sets estimated times of segments, from each place with a written time to the next: see `spread`. There may be
    silence before the next one, and none are set if it is earlier. No times are set if they may be times of day: the
    first does not begin with 0, as in recordings, and none with a number above 23."""
    known = [(index, time, written) for index, written in stamps if (time := read_clock(written)) is not None]
    leading = [int(written.split(":")[0]) for _, _, written in known if ":" in written]
    if may_be_daytime and leading and leading[0] > 0 and max(leading) < 24:
        return
    for (first, start_time, _), (last, next_time, _) in pairwise([*known, (len(segments), inf, "")]):
        if start_time > next_time:
            continue
        n = sum(len(segment.text.strip()) for segment in segments[first:last])
        end_time = start_time + n / SPEED if next_time == inf else min(next_time, start_time + n / MIN_SPEED)
        segments[first:last] = estimate(segments[first:last], start_time, end_time)


def join(segments: Iterable[Segment]) -> Transcript:
    """Makes a transcript of its segments, in their order."""
    text: list[str] = []
    turns: list[tuple[str | None, int]] = []
    starts: list[int] = []
    timed: list[TimedPart] = []
    cues: dict[int, Cue] = {}
    lines: set[int] = set()
    cue: Cue | None = None
    n = 0
    is_spaced = begins_turn = begins_paragraph = begins_line = was_sound = False
    for segment in segments:
        begins_turn |= segment.begins_turn
        begins_paragraph |= segment.begins_paragraph
        begins_line |= segment.begins_line
        is_spaced |= segment.text[:1].isspace()
        cue = segment.cue or cue
        words = " ".join(segment.text.split())
        if words:
            is_unsure = segment.is_speaker_unsure and bool(turns) and not begins_turn
            begins_turn |= not turns or segment.speaker != turns[-1][0]
            space = "\n" if begins_turn else "\n\n" if begins_paragraph else " " if is_spaced else ""
            text += [space, words] if n else [words]
            start = n + len(space) if n else 0
            n = start + len(words)
            if begins_turn:
                turns.append((segment.speaker, start))
            if (begins_turn and not is_unsure) or segment.is_sound != was_sound:
                starts.append(start)
            if segment.times is not None:
                timed.append(TimedPart(start, n, *segment.times, segment.is_word, segment.is_estimated))
            if cue is not None:
                cues[start] = cue
            elif begins_line and not begins_turn:
                lines.add(start)
            cue, was_sound = None, segment.is_sound
            is_spaced = begins_turn = begins_paragraph = begins_line = False
        is_spaced |= segment.text[-1:].isspace()
    whole = "".join(text)
    ends = [start - 1 for _, start in turns[1:]] + [n]
    made = [Turn(speaker, whole[start:end], start, end) for (speaker, start), end in zip(turns, ends, strict=False)]
    return Transcript(whole, made, starts, timed, cues, lines)
