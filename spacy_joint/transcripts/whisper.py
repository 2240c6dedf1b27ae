"""The JSON of Whisper, of WhisperX (with speakers) and OpenAI's API, which share its format, of whisper.cpp, and of
Hugging Face's pipelines and Gladia, which are arranged like it.

Segments give the text; their words only add times and, in WhisperX, speakers, so words that are not in the text are
skipped. Words without times or a speaker take them from their neighbours.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

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
# Names of unknown speakers: "?" is whisper.cpp's, "UU" Speechmatics'.
UNKNOWN = (None, "", "?", "UU")
MAX_TIME = 1e15


class Part(NamedTuple):
    """A word of a segment, or text between words that have times."""

    text: str
    times: tuple[float, float] | None
    speaker: str | None
    is_word: bool = False


def recognise_whisper(content: dict[str, Any]) -> bool:
    """Returns whether an object is of a known layout."""
    match content:
        case {"segments": list()} | {"transcription": list()} | {"result": {"transcription": {"utterances": list()}}}:
            return True
        case {"text": str(), "result": _}:
            # Of vosk.
            return False
        case {"text": str()}:
            # OpenAI's API may return words without segments, or neither.
            words = content.get("words", [])
            return isinstance(words, list) and all(isinstance(word, dict) and "word" in word for word in words)
    return False


def read_whisper(content: dict[str, Any]) -> Iterator[Segment]:
    """Reads an object of a known layout."""
    content = _arrange(content)
    layout = next((layout for layout in LAYOUTS if layout.segments in content), LAYOUTS[0])
    begins_turn = False
    for segment in content.get(layout.segments, [content]):
        whole = _read_part(segment, "text", layout)
        words = [_read_part(word, layout.word, layout) for word in segment.get(layout.words) or []]
        is_all_sound = is_sound(whole.text)
        for at, part in enumerate(divide(whole, words)):
            start, end = part.times or (None, None)
            spoken = Segment(
                part.text, part.speaker, start, end, begins_turn, False, is_all_sound, part.is_word, at > 0
            )
            yield spoken._replace(is_estimated=at > 0 and not part.is_word)
            begins_turn = False
        begins_turn = bool(segment.get("speaker_turn_next"))


def _arrange(content: dict[str, Any]) -> dict[str, Any]:
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


def _read_part(spoken: dict[str, Any], key: str, layout: Layout) -> Part:
    """Reads a segment or word, by the key of its text."""
    times = spoken.get(layout.times, {}) if layout.times else spoken
    found = read_times(times.get(layout.start), times.get(layout.end), layout.per_second)
    return Part(spoken[key], found, name_speaker(spoken.get("speaker")))


def read_times(start: Any, end: Any, per_second: float = 1) -> tuple[float, float] | None:
    """Reads times in seconds; None if they are missing or impossible."""
    if start is None or end is None:
        return None
    first, last = map(_read_number, (start, end))
    return (first / per_second, last / per_second) if 0 <= first <= last < MAX_TIME else None


def _read_number(time: Any) -> Any:
    """Reads 1.5, "1.5", "1.500s", or {"seconds": 1, "nanos": 500000000}."""
    if isinstance(time, dict):
        return float(time.get("seconds", 0)) + float(time.get("nanos", 0)) / 1e9
    return float(time.removesuffix("s")) if isinstance(time, str) else time


def name_speaker(speaker: Any) -> str | None:
    """Returns the name of a speaker, which may be a number; None if it is unknown."""
    return None if speaker in UNKNOWN else str(speaker)


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
