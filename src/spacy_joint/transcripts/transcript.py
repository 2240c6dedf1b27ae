"""A transcript: the words of a recording as one text, its turns, and the times of its parts.

The readers of all formats yield segments, of which `join` makes the transcript. Names, times and markup are no part of
the text. White space in it is one space between words, one line break between turns, and a blank line between
paragraphs of a turn.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

SOUND = re.compile(r"(?:\[[^\[\]]*\]\s*)+|\([^()]*\)|[♪♫].*|.*[♪♫]|#.*#", re.DOTALL)
# Times are rounded to milliseconds, which is what formats have.
DECIMALS = 3


class Segment(NamedTuple):
    """A part of a transcript: a cue, a line of it, or a word.

    text (str): The words. Segments are joined as they are, so white space at the ends separates words.
    speaker (str | None): The name of the speaker, if known. A change of it begins a turn.
    start_time, end_time (float | None): The times in seconds, both or neither.
    begins_turn (bool): Whether a turn begins here, even if the speaker has the same name or none.
    begins_paragraph (bool): Whether a paragraph begins here.
    is_sound (bool): Whether this is not speech, such as `[APPLAUSE]`. It never shares a sentence with speech.
    """

    text: str
    speaker: str | None = None
    start_time: float | None = None
    end_time: float | None = None
    begins_turn: bool = False
    begins_paragraph: bool = False
    is_sound: bool = False


class Turn(NamedTuple):
    """What one speaker says without interruption.

    speaker (str | None): The name of the speaker, if known.
    text (str): The words.
    start, end (int): Their character offsets in the text of the transcript.
    """

    speaker: str | None
    text: str
    start: int
    end: int


class TimedPart(NamedTuple):
    """The times, in seconds, of the characters from `start` to `end` (offsets in the text of the transcript)."""

    start: int
    end: int
    start_time: float
    end_time: float

    def find_time(self, offset: int) -> float:
        """The time of an offset in this part (float): characters take equally long."""
        share = (offset - self.start) / (self.end - self.start)
        return self.start_time + share * (self.end_time - self.start_time)


class Transcript(NamedTuple):
    """The words of a recording.

    text (str): The words, with a line break between turns.
    turns (Sequence[Turn]): The turns, in order. They cover all words.
    sentence_starts (Sequence[int]): The character offsets at which a sentence begins for certain: those of turns, and
        those where speech gives way to other sounds, or the other way round.
    timed_parts (Sequence[TimedPart]): The parts whose times are known, in order: words or cues.
    """

    text: str
    turns: Sequence[Turn]
    sentence_starts: Sequence[int]
    timed_parts: Sequence[TimedPart]

    def find_times(self, start: int, end: int) -> tuple[float, float] | None:
        """The start and end time, in seconds, of the characters from `start` to `end`; None if unknown.

        Within a word or cue, time is divided by the number of characters.
        """
        first, last = self._find_part(start), self._find_part(end - 1)
        if first is None or last is None:
            return None
        return round(first.find_time(start), DECIMALS), round(last.find_time(end), DECIMALS)

    def _find_part(self, offset: int) -> TimedPart | None:
        place = bisect_right(self.timed_parts, offset, key=lambda part: part.start) - 1
        return self.timed_parts[place] if place >= 0 and offset < self.timed_parts[place].end else None


def is_sound(text: str) -> bool:
    """Whether all of a text is no speech: [APPLAUSE], (door opens), ♪ la la ♪."""
    return SOUND.fullmatch(text.strip()) is not None


def spread(texts: Sequence[str], start_time: float, end_time: float) -> Iterator[tuple[float, float]]:
    """Divides a time among consecutive texts by their numbers of characters, without white space around them.

    texts (Sequence[str]): The texts.
    start_time, end_time (float): The time of all of them, in seconds.
    YIELDS (tuple[float, float]): The start and end time of each text.
    """
    lengths = [len(text.strip()) for text in texts]
    total = max(sum(lengths), 1)
    for before, after in pairwise(accumulate(lengths, initial=0)):
        rate = (end_time - start_time) / total
        yield start_time + before * rate, start_time + after * rate


def join(segments: Iterable[Segment]) -> Transcript:
    """Makes a transcript of its segments, in their order."""
    text: list[str] = []
    turns: list[tuple[str | None, int]] = []
    starts: list[int] = []
    timed: list[TimedPart] = []
    n = 0
    is_spaced = begins_turn = begins_paragraph = was_sound = False
    for segment in segments:
        begins_turn |= segment.begins_turn
        begins_paragraph |= segment.begins_paragraph
        is_spaced |= segment.text[:1].isspace()
        words = " ".join(segment.text.split())
        if words:
            begins_turn |= not turns or segment.speaker != turns[-1][0]
            if n:
                space = "\n" if begins_turn else "\n\n" if begins_paragraph else " " if is_spaced else ""
                text.append(space)
                n += len(space)
            if begins_turn:
                turns.append((segment.speaker, n))
            if begins_turn or segment.is_sound != was_sound:
                starts.append(n)
            if segment.start_time is not None and segment.end_time is not None:
                timed.append(TimedPart(n, n + len(words), segment.start_time, segment.end_time))
            text.append(words)
            n += len(words)
            is_spaced = begins_turn = begins_paragraph = False
            was_sound = segment.is_sound
        is_spaced |= segment.text[-1:].isspace()
    return _assemble("".join(text), turns, starts, timed)


def _assemble(
    text: str, turns: Sequence[tuple[str | None, int]], starts: list[int], timed: list[TimedPart]
) -> Transcript:
    ends = [start - 1 for _, start in turns[1:]] + [len(text)]
    made = [Turn(speaker, text[start:end], start, end) for (speaker, start), end in zip(turns, ends, strict=False)]
    return Transcript(text, made, starts, timed)
