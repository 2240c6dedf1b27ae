"""The JSON of speech recognisers: Whisper and what has the same format (WhisperX, with speakers, and OpenAI's API), and
whisper.cpp.

The text is that of the segments; their words only say when it was spoken. So words that cannot be found in the text,
such as the marks of whisper.cpp, are skipped, and words without times take those between their neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ..errors import Errors, JointValueError
from .transcript import Segment, is_sound


class Layout(NamedTuple):
    """The keys of a format, and how it gives times: the object that has them, their keys, and units per second."""

    segments: str
    words: str
    word: str
    times: str | None
    start: str
    end: str
    per_second: int


WHISPER = Layout("segments", "words", "word", None, "start", "end", 1)
WHISPER_CPP = Layout("transcription", "tokens", "text", "offsets", "from", "to", 1000)
LAYOUTS = (WHISPER, WHISPER_CPP)
# What whisper.cpp calls a speaker that it cannot tell.
UNKNOWN = "?"
NUMBER = (int, float)
KINDS = {dict: "an object", list: "a list", str: "a string", NUMBER: "a number"}
MAX_TIME = 1e15
Times = tuple[float, float] | None
Part = tuple[str, Times]


def read_whisper(text: str, source: str) -> Iterator[Segment]:
    """Reads the JSON of a recogniser.

    text (str): The JSON.
    source (str): The name of the file, for errors.
    YIELDS (Segment): Its words.
    RAISES ValueError: If it is not JSON (J464), not of a known recogniser (J465), or has invalid values (J466).
    """
    content = _parse(text, source)
    if content is None:
        return
    layout = _find_layout(content, source)
    begins_turn = False
    for number, segment in enumerate(content[layout.segments], start=1):
        place = f"{source}, segment {number}"
        spoken = _require(segment, dict, "the segment", place)
        words = _require(spoken.get("text"), str, "text", place)
        speaker = spoken.get("speaker")
        times = _read_times(spoken, layout, place)
        for part, own in _divide(words, times, _read_words(spoken, layout, place)):
            start, end = own or (None, None)
            yield Segment(part, _name(speaker), start, end, begins_turn, False, is_sound(words))
            begins_turn = False
        begins_turn = bool(spoken.get("speaker_turn_next"))


def _parse(text: str, source: str) -> Any:
    """The content; None if there is none."""
    try:
        return json.loads(text) if text.strip() else None
    except json.JSONDecodeError as error:
        raise JointValueError(Errors.J464, source=source, line=error.lineno, reason=error.msg) from error
    except (RecursionError, ValueError) as error:
        # Too many brackets or digits; Python does not say where.
        raise JointValueError(Errors.J464, source=source, line=1, reason=error) from error


def _find_layout(content: Any, source: str) -> Layout:
    for layout in LAYOUTS:
        if isinstance(content, dict) and isinstance(content.get(layout.segments), list):
            return layout
    raise JointValueError(Errors.J465, source=source)


def _require(value: Any, kind: type | tuple[type, ...], name: str, place: str) -> Any:
    if not isinstance(value, kind):
        raise JointValueError(Errors.J466, place=place, name=name, found=value, expected=KINDS[kind])
    return value


def _name(speaker: Any) -> str | None:
    return None if speaker in (None, "", UNKNOWN) else str(speaker)


def _read_times(owner: Mapping[str, Any], layout: Layout, place: str) -> Times:
    """The start and end of a segment or word; None if it has none that make sense."""
    if layout.times is not None:
        owner = _require(owner.get(layout.times, {}), dict, layout.times, place)
    times = []
    for key in (layout.start, layout.end):
        time = owner.get(key)
        if time is not None:
            times.append(_require(time, NUMBER, key, place))
    if len(times) < 2 or not 0 <= times[0] <= times[1] < MAX_TIME:
        return None
    return times[0] / layout.per_second, times[1] / layout.per_second


def _read_words(segment: Mapping[str, Any], layout: Layout, place: str) -> Iterator[Part]:
    for word in _require(segment.get(layout.words) or [], list, layout.words, place):
        spoken = _require(word, dict, "a word", place)
        yield _require(spoken.get(layout.word), str, layout.word, place).strip(), _read_times(spoken, layout, place)


def _divide(text: str, times: Times, words: Iterable[Part]) -> list[Part]:
    """Divides the text of a segment into its words that have times, and what is between them."""
    parts: list[Part] = []
    done = 0
    for word, word_times in words:
        begin = text.find(word, done)
        # Words without times are looked for, too, since they may occur again.
        if begin < 0 or not word:
            continue
        between = text[done:begin]
        done = begin + len(word)
        if between.strip() and word_times is not None:
            parts += [(between, None), (word, word_times)]
        else:
            parts.append((between + word, word_times))
    # White space separates this segment from the next one.
    parts.append((f"{text[done:]} ", None))
    return _fill(_merge(parts), times) if times else parts


def _merge(parts: Iterable[Part]) -> list[Part]:
    """Joins adjacent parts without times, which share the same gap."""
    merged: list[Part] = []
    for is_timed, group in groupby(parts, key=lambda part: part[1] is not None):
        members = list(group)
        merged += members if is_timed else [("".join(text for text, _ in members), None)]
    return merged


def _fill(parts: Sequence[Part], times: tuple[float, float]) -> list[Part]:
    """Gives parts without times those between their neighbours."""
    filled: list[Part] = []
    end = times[0]
    for number, (text, own) in enumerate(parts):
        if own is None:
            begin = next((later[0] for _, later in parts[number + 1 :] if later), times[1])
            own = (end, max(begin, end))
        filled.append((text, own))
        end = own[1]
    return filled
