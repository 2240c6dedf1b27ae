"""The JSON of Whisper, of WhisperX (with speakers) and OpenAI's API, which share its format, of whisper.cpp, and of
Hugging Face's pipelines and Gladia, which are arranged like it.

Segments give the text; their words only add times and, in WhisperX, speakers, so words that are not in the text are
skipped. Words without times or a speaker take them from their neighbours.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ..errors import Errors, JointValueError
from .transcript import Segment, is_sound


class Layout(NamedTuple):
    """The keys of a format, and its times: the object that contains them, their keys, and units per second."""

    segments: str
    words: str
    word: str
    times: str | None
    start: str
    end: str
    per_second: int


# Whisper's and whisper.cpp's.
LAYOUTS = (
    Layout("segments", "words", "word", None, "start", "end", 1),
    Layout("transcription", "tokens", "text", "offsets", "from", "to", 1000),
)
# The name of unknown speakers in whisper.cpp.
UNKNOWN = "?"
NUMBER = (int, float)
KINDS = {dict: "an object", list: "a list", str: "a string", NUMBER: "a number"}
MAX_TIME = 1e15


class Part(NamedTuple):
    """A word of a segment, or text between words that have times."""

    text: str
    times: tuple[float, float] | None
    speaker: str | None
    is_word: bool = False


def arrange(content: dict[str, Any]) -> dict[str, Any]:
    """Arranges the chunks of Hugging Face's pipelines, which may be words, and the utterances of Gladia like Whisper's
    segments; returns other objects as they are."""
    match content:
        case {"result": {"transcription": {"utterances": list(utterances)}}}:
            return {"segments": utterances}
        case {"text": str(text), "chunks": [{"timestamp": [_, _]}, *_] as chunks}:
            chunks = content.get("speakers") or chunks
            parts = [{**chunk, "start": chunk["timestamp"][0], "end": chunk["timestamp"][1]} for chunk in chunks]
            if all(len(part["text"].split()) == 1 for part in parts):
                return {"segments": [{"text": text, "words": [{**part, "word": part["text"]} for part in parts]}]}
            return {"segments": parts}
    return content


def recognise_whisper(content: dict[str, Any]) -> bool:
    """Returns whether an object is of a known layout."""
    return _find_layout(content) is not None or _has_loose_words(content)


def _find_layout(content: dict[str, Any]) -> Layout | None:
    return next((layout for layout in LAYOUTS if isinstance(content.get(layout.segments), list)), None)


def _has_loose_words(content: dict[str, Any]) -> bool:
    """Returns whether OpenAI's API was asked for words without segments, or for neither."""
    words = content.get("words", [])
    are_words = isinstance(words, list) and all(isinstance(word, dict) and "word" in word for word in words)
    return isinstance(content.get("text"), str) and are_words


def read_whisper(content: dict[str, Any], source: str) -> Iterator[Segment]:
    """Reads an object of a known layout. RAISES ValueError: If it has invalid values (J030)."""
    layout = _find_layout(content)
    if layout is None:
        layout, content = LAYOUTS[0], {LAYOUTS[0].segments: [content]}
    begins_turn = False
    for number, segment in enumerate(content[layout.segments], start=1):
        place = f"{source}, segment {number}"
        whole = _read_part(segment, "the segment", "text", layout, place)
        words = _require(segment.get(layout.words) or [], list, layout.words, place)
        parts = divide(whole, [_read_part(word, "a word", layout.word, layout, place) for word in words])
        for at, part in enumerate(parts):
            start, end = part.times or (None, None)
            is_all_sound = is_sound(whole.text)
            is_estimated = at > 0 and not part.is_word
            spoken = Segment(
                part.text, part.speaker, start, end, begins_turn, False, is_all_sound, part.is_word, at > 0
            )
            yield spoken._replace(is_estimated=is_estimated)
            begins_turn = False
        begins_turn = bool(segment.get("speaker_turn_next"))


def _require(value: Any, kind: type | tuple[type, ...], name: str, place: str) -> Any:
    if not isinstance(value, kind):
        raise JointValueError(Errors.J030, name=f"{place}: {name}", value=value, allowed=KINDS[kind])
    return value


def _read_part(value: Any, name: str, key: str, layout: Layout, place: str) -> Part:
    """Reads a segment or word, by the key of its text; missing and impossible times become None."""
    spoken = _require(value, dict, name, place)
    text, speaker = _require(spoken.get(key), str, key, place), spoken.get("speaker")
    if layout.times is not None:
        spoken = _require(spoken.get(layout.times, {}), dict, layout.times, place)
    keys = (key for key in (layout.start, layout.end) if spoken.get(key) is not None)
    found = [_require(spoken[key], NUMBER, key, place) for key in keys]
    times = None
    if len(found) == 2 and 0 <= found[0] <= found[1] < MAX_TIME:
        times = found[0] / layout.per_second, found[1] / layout.per_second
    return Part(text, times, None if speaker in (None, "", UNKNOWN) else str(speaker))


def divide(segment: Part, words: Sequence[Part]) -> list[Part]:
    """Divides a segment into its words that have times, and the text between them. Words may differ in case."""
    lowered = segment.text.lower()

    def find(text: str, start: int) -> int:
        found = segment.text.find(text, start)
        return lowered.find(text.lower(), start) if found < 0 and len(lowered) == len(segment.text) else found

    parts: list[Part] = []
    done = 0
    speaker = next((word.speaker for word in words if word.speaker is not None), segment.speaker)
    for word in words:
        text = word.text.strip()
        begin = find(text, done)
        # Words without times are found, too, so that times of later words of the same form fit.
        if begin < 0 or not text:
            continue
        between = segment.text[done:begin]
        done = begin + len(text)
        text = segment.text[begin:done]
        if between.strip() and word.times is not None:
            parts.append(Part(between, None, speaker))
            between = ""
        speaker = word.speaker or speaker
        parts.append(Part(between + text, word.times, speaker, word.times is not None))
    # White space separates this segment from the next one.
    parts.append(Part(f"{segment.text[done:]} ", None, speaker))
    return _fill(_merge(parts), segment.times) if segment.times else parts


def _merge(parts: Iterable[Part]) -> list[Part]:
    """Joins adjacent parts of one speaker without times, which share a gap."""
    merged: list[Part] = []
    for (is_timed, speaker), group in groupby(parts, key=lambda part: (part.times is not None, part.speaker)):
        members = list(group)
        merged += members if is_timed else [Part("".join(part.text for part in members), None, speaker)]
    return merged


def _fill(parts: Sequence[Part], times: tuple[float, float]) -> list[Part]:
    """Gives parts without times the time between their neighbours."""
    filled: list[Part] = []
    end = times[0]
    for number, part in enumerate(parts):
        own = part.times
        if own is None:
            begin = next((later.times[0] for later in parts[number + 1 :] if later.times), times[1])
            own = (end, max(begin, end))
        filled.append(part._replace(times=own))
        end = own[1]
    return filled
