"""The JSON of speech recognisers, podcasts and video platforms: SERVICES has the places of their words. Also reads
exported chats (messages.py).

An utterance has a text, words, or both: then the text counts, and words add their times and speakers (alignment.py).
Services that label each word with a speaker often mislabel a few words, so a change of speaker certainly begins a
sentence only where an utterance begins.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import Errors, JointValueError
from .alignment import align
from .messages import find_messages, read_messages
from .transcript import Format, Segment, is_sound, read_clock


class Service(NamedTuple):
    """A service and the path of its list of utterances, or of words, some of which have a key; "*" is any place."""

    name: str
    path: str
    key: str = ""
    has_words: bool = False
    per_second: int = 1  # the unit of the keys "start" and "end"


# In the order in which they are tried.
SERVICES = (
    Service("Gladia", "result.transcription.utterances"),
    Service("Gladia", "transcription.utterances"),
    Service("Gladia", "prediction"),
    Service("AssemblyAI", "utterances", "text", per_second=1000),
    Service("Whisper", "segments"),
    Service("whisper.cpp", "transcription"),
    Service("Hugging Face", "speakers", "timestamp"),
    Service("Hugging Face", "chunks", "timestamp"),
    Service("AWS Transcribe", "results.items", has_words=True),
    Service("AWS Transcribe", "Transcript"),
    Service("Deepgram", "results.channels"),
    Service("Speechmatics", "results", "type", has_words=True),
    Service("Google or Watson", "results", "alternatives"),
    Service("Google", "response.results", "alternatives"),
    Service("Google", "results.*.transcript.results", "alternatives"),
    Service("Google", "annotationResults.*.speechTranscriptions", "alternatives"),
    Service("Azure", "recognizedPhrases"),
    Service("Azure", "phrases"),
    Service("Rev or vosk", "monologues"),
    Service("NeMo", "timestamp.word", has_words=True),
    Service("YouTube", "events", "segs"),
    Service("Whisper", "transcript"),
    Service("ElevenLabs", "words", "type", has_words=True),
    Service("AssemblyAI", "words", "text", has_words=True, per_second=1000),
    Service("AssemblyAI", "sentences", "words", per_second=1000),
)
# Other objects, or lists of them, are utterances.
OTHER = Service("Whisper or vosk", "")
# Keys in lower case and without underscores, in order of preference: of texts, lists of words, and speakers; and of
# times: beginnings, ends or durations, and units per second.
TEXTS = (
    *("punctuatedword", "word", "text", "value", "content", "body", "sentence", "transcript", "transcription"),
    *("display", "displaytext", "utf8"),
)
WORDS = ("displaywords", "words", "elements", "items", "terms", "tokens", "result", "timestamps", "segs")
SPEAKERS = ("speaker", "speakername", "speakerid", "speakerlabel", "speakertag", "participantrole", "channellabel")
TIMES = (
    *(("start", "end", 1), ("starttime", "endtime", 1), ("startoffset", "endoffset", 1), ("ts", "endts", 1)),
    *(("timestamp", "endtimestamp", 1), ("timebegin", "timeend", 1), ("startsec", "endsec", 1), ("from", "to", 1000)),
    *(("startms", "endms", 1000), ("beginoffsetmillis", "endoffsetmillis", 1000), ("tstartms", "ddurationms", 1000)),
    *(("offsetinticks", "durationinticks", 10_000_000), ("offsetmilliseconds", "durationmilliseconds", 1000)),
    ("start", "duration", 1),
)
# Names of unknown speakers: "?" is whisper.cpp's, "UU" Speechmatics'.
UNKNOWN = (None, "", "?", "UU")
MAX_TIME = 1e15
# Whisper's marks of times, languages and tasks.
SPECIAL = re.compile(r"<\|[^|<>]*\|>")
BEFORE_VALUE = re.compile(r"\s*(?=\S)")
# Errors that values of the wrong type and missing values raise.
DAMAGE = (AttributeError, LookupError, OverflowError, TypeError, ValueError)


def read_recogniser(text: str, source: str) -> Iterator[Segment]:
    """Reads the JSON of a recogniser. RAISES ValueError: If the file, called `source` in errors, is not JSON (J464),
    not of a known recogniser or chat (J465), or damaged (J466)."""
    try:
        content = _load(text) if text.strip() else None
        # Fails if an escape is a lone surrogate.
        json.dumps(content, ensure_ascii=False).encode()
    except (RecursionError, ValueError) as error:
        # For too many brackets or digits, Python gives no line.
        line, reason = getattr(error, "lineno", 1), getattr(error, "msg", error)
        raise JointValueError(Errors.J464, file=source, line=line, format="JSON", reason=reason) from error
    if content is None:
        return
    if (messages := find_messages(content)) is not None:
        yield from read_messages(messages)
        return
    found = _find_utterances(content)
    if found is None:
        raise JointValueError(Errors.J465, source=source)
    service, listed = found
    number, segments, begins_turn = 0, list[Segment](), False
    try:
        # AWS and Watson may have speakers beside the words.
        beside = [*_follow(content, "results.speaker_labels.segments.*.items.*"), *_follow(content, "speaker_labels.*")]
        speakers = {label.get("from", label.get("start_time")): _read_speaker(_simplify(label)) for label in beside}
        for utterance in _arrange(service, listed):
            number += 1
            first, *others = _read_utterance(utterance, service.per_second, speakers)
            segments += [first._replace(begins_turn=begins_turn), *others]
            begins_turn = bool(utterance.get("speakerturnnext"))
    except DAMAGE as error:
        reason = f"{type(error).__name__} in part {number}: {error}" if number else f"{type(error).__name__}: {error}"
        raise JointValueError(Errors.J466, source=source, service=service.name, reason=reason) from error
    named = [each for each in _follow(content, "speakers.*") if isinstance(each, dict) and each.get("name")]
    names: dict[str | None, str] = {str(each.get("id")): str(each["name"]) for each in named}
    yield from (segment._replace(speaker=names.get(segment.speaker) or segment.speaker) for segment in segments)


def _load(text: str) -> Any:
    """Parses JSON, or a sequence of objects, as vosk's examples print them, which becomes a list."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        decoder, values, at = json.JSONDecoder(), list[Any](), 0
        while found := BEFORE_VALUE.match(text, at):
            value, at = decoder.raw_decode(text, found.end())
            # Only vosk has sequences of objects: any other JSON is damaged.
            if not isinstance(value, dict) or not {"text", "result", "alternatives", "partial"} & value.keys():
                raise
            values.append(value)
        return values


def _find_utterances(content: Any) -> tuple[Service, list[Any]] | None:
    """Finds the service of some content, and the list that SERVICES describes; None if there is none."""
    while isinstance(content, list) and len(content) == 1 and isinstance(content[0], list):
        content = content[0]
    for service in SERVICES:
        lists = [value for value in _follow(content, service.path) if isinstance(value, list)]
        found = [part for each in lists for part in each]
        if lists and (not service.key or any(isinstance(part, dict) and service.key in part for part in found)):
            return service, found
    found = content if isinstance(content, list) else [content]
    try:
        known = [_simplify(part) for part in found if isinstance(part, dict)]
        known += [_simplify(word) for part in known for word in _list_words(part)]
        is_known = any(_find_text(part) is not None and ("alternatives" in part or _read_times(part)) for part in known)
    except DAMAGE:
        return None
    is_known |= isinstance(content, dict) and isinstance(content.get("text"), str)
    return (OTHER, found) if is_known else None


def _follow(content: Any, path: str) -> list[Any]:
    """Lists the values at a path."""
    values = [content]
    for key in path.split("."):
        nodes = (value for value in values if isinstance(value, dict | list))
        pairs = (pair for node in nodes for pair in (node.items() if isinstance(node, dict) else enumerate(node)))
        values = [value for name, value in pairs if key in (name, "*")]
    return values


def _simplify(spoken: Any) -> dict[str, Any]:
    """Simplifies the keys of an object, and adds those of its best alternative and its times."""
    if isinstance(spoken, list):
        # Watson's.
        return dict(zip(("text", "start", "end"), spoken, strict=True))
    simple = {key.replace("_", "").lower(): value for key, value in spoken.items()}
    for alternatives in filter(None, map(simple.get, ("alternatives", "nbest"))):
        simple |= _simplify(alternatives[0])
    if isinstance(simple.get("timestamp"), list):
        # Hugging Face's.
        simple["start"], simple["end"] = simple["timestamp"]
    return {**simple, **simple.get("offsets", {})}


def _keep_spoken(listed: Sequence[Any]) -> list[dict[str, Any]]:
    """Simplifies objects, without those that have neither text nor words, such as changes of speaker. RAISES
    LookupError: If none have."""
    kept = [part for part in map(_simplify, listed) if _find_text(part) is not None or _list_words(part)]
    if listed and not kept:
        raise LookupError("no text")
    return kept


def _arrange(service: Service, listed: Sequence[Any]) -> list[dict[str, Any]]:
    """Arranges the items that a service lists as utterances."""
    parts, has_words = _keep_spoken(listed), service.has_words
    if service.path == "results.channels" and len(parts) > 1:
        # Each channel is a person, as in telephone calls.
        words = [{**word, "speaker": f"channel {at}"} for at, part in enumerate(parts) for word in _list_words(part)]
        parts, has_words = sorted(words, key=lambda word: word["start"]), True
    elif service.key == "timestamp":
        has_words = all(len(part["text"].split()) == 1 for part in parts)
    elif parts and any(_simplify(word).get("speakertag") for word in _list_words(parts[-1])):
        # With speakers, the last result of Google repeats the words of all others.
        *others, n = [len(_list_words(part)) for part in parts]
        parts = parts[-1:] if n >= sum(others) else parts
    return [{"words": parts}] if has_words and parts else parts


def _read_utterance(
    utterance: Mapping[str, Any], per_second: int, speakers: Mapping[Any, str | None]
) -> Iterator[Segment]:
    words = _keep_spoken(_list_words(utterance))
    texts = [_find_text(word) or "" for word in words]
    if any(text != text.strip() for text in texts):
        joined = "".join(texts)
    else:
        are_marks = [str(word.get("type")).lower().startswith("punct") for word in words]
        joined = "".join(text if is_mark else f" {text}" for text, is_mark in zip(texts, are_marks, strict=True))
    whole = SPECIAL.sub("", _find_text(utterance) or joined)
    parts = [
        Segment(
            text,
            times=_read_times(word, per_second),
            speaker=_read_speaker(word) or speakers.get(word.get("starttime", word.get("start"))),
        )
        for word, text in zip(words, texts, strict=True)
    ]
    is_all_sound = is_sound(whole)
    spoken = Segment(whole, times=_read_times(utterance, per_second), speaker=_read_speaker(utterance))
    for at, part in enumerate(align(spoken, parts)):
        yield part._replace(is_sound=is_all_sound, is_speaker_unsure=at > 0, is_estimated=at > 0 and not part.is_word)


def _find_text(spoken: Mapping[str, Any]) -> str | None:
    return next((spoken[key] for key in TEXTS if isinstance(spoken.get(key), str)), None)


def _list_words(spoken: Mapping[str, Any]) -> list[Any]:
    """Lists the words of an utterance: objects, or Watson's lists."""
    lists = [value for key in WORDS if isinstance(value := spoken.get(key), list)]
    return next((value for value in lists if any(isinstance(word, dict | list) for word in value)), [])


def _read_speaker(spoken: Mapping[str, Any]) -> str | None:
    """Reads the name of a speaker, which may be a number; None if it is unknown."""
    # Google's numbers begin with 1.
    known = (spoken[key] for key in SPEAKERS if spoken.get(key) not in UNKNOWN and (spoken[key] or key != "speakertag"))
    speaker = next(known, None)
    speaker = speaker.get("name") if isinstance(speaker, dict) else speaker
    return None if speaker in UNKNOWN else str(speaker)


def _read_times(spoken: Mapping[str, Any], per_second: int = 1) -> tuple[float, float] | None:
    """Reads times in seconds; None if they are missing or impossible."""
    for first, last, unit in TIMES:
        # Google leaves out zeros.
        start = spoken.get(first, 0 if first in ("starttime", "startoffset") else None)
        end = spoken.get(last)
        if start is not None and end is not None:
            start, end = map(_read_number, (start, end))
            end = start + end if "duration" in last else end
            unit = per_second if last == "end" and isinstance(start, int) else unit
            return (start / unit, end / unit) if 0 <= start <= end < MAX_TIME else None
    return None


def _read_number(time: Any) -> Any:
    """Reads 1.5, "1.5", "1.500s", "00:00:01,500", or {"seconds": 1, "nanos": 500000000}."""
    if isinstance(time, dict):
        return float(time.get("seconds", 0)) + float(time.get("nanos", 0)) / 1e9
    if isinstance(time, str):
        return read_clock(time) if ":" in time else float(time.removesuffix("s"))
    return time


def is_json(lines: Sequence[str]) -> bool:
    """Returns whether the first line begins an object, or a list of objects."""
    first = next((line.strip() for line in lines if line.strip()), "")
    return first in ("{", "[") or first.startswith(('{"', '[{"'))


RECOGNISER = Format("recogniser", read_recogniser, is_json, (".json",))
