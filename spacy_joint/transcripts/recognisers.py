"""The JSON of speech recognisers, recognised by its keys: AWS Transcribe, Google, Azure, Deepgram, AssemblyAI,
Speechmatics, Rev, ElevenLabs, Watson, vosk, and the formats of whisper.py; also of exported chats (messages.py).

Words come with their marks, times and speakers, as far as a service gives them. Services that label each word with a
speaker often mislabel a few words, so a change of speaker certainly begins a sentence only where an utterance begins.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..errors import Errors, JointValueError
from .messages import find_messages, read_messages
from .transcript import Format, Segment
from .whisper import Part, divide, name_speaker, read_times, read_whisper, recognise_whisper

# Errors that values of the wrong type and missing values raise.
DAMAGE = (AttributeError, LookupError, OverflowError, TypeError, ValueError)
# Keys of vosk's results. Results without words have just a text, like other objects; partial ones are skipped.
VOSK_KEYS = frozenset(("result", "alternatives", "partial"))
TICKS = 10_000_000  # per second, in Azure


class Spoken(NamedTuple):
    """A word, or a mark that belongs to the word before it."""

    text: str
    times: tuple[float, float] | None
    speaker: Any = None  # see `name_speaker`
    is_mark: bool = False
    begins_utterance: bool = False


class Service(NamedTuple):
    """The JSON of a service: recognises its objects, and reads their words, or else their segments."""

    name: str
    recognise: Callable[[dict[str, Any]], bool]
    read: Callable[[dict[str, Any]], Iterable[Any]]
    has_words: bool = True


def read_recogniser(text: str, source: str) -> Iterator[Segment]:
    """Reads the JSON of a recogniser. RAISES ValueError: If the file, called `source` in errors, is not JSON (J464),
    not of a known recogniser or chat (J465), or damaged (J466)."""
    try:
        content = _load(text) if text.strip() else None
    except (RecursionError, ValueError) as error:
        # Python gives no line for too many brackets or digits.
        line, reason = getattr(error, "lineno", 1), getattr(error, "msg", error)
        raise JointValueError(Errors.J464, file=source, line=line, format="JSON", reason=reason) from error
    if content is None:
        return
    if (messages := find_messages(content)) is not None:
        yield from read_messages(messages)
        return
    found = _wrap(content) if isinstance(content, list) else content if isinstance(content, dict) else {}
    service = next((service for service in SERVICES if _is_of(service, found)), None)
    if service is None:
        raise JointValueError(Errors.J465, source=source)
    try:
        parts = list(service.read(found))
        segments = list(_make_segments(parts)) if service.has_words else parts
    except DAMAGE as error:
        reason = f"{type(error).__name__}: {error}"
        raise JointValueError(Errors.J466, source=source, service=service.name, reason=reason) from error
    yield from segments


def _load(text: str) -> Any:
    """Parses JSON, or a sequence of objects, as vosk's examples print them, which becomes a list."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        decoder, values, at = json.JSONDecoder(), list[Any](), 0
        while at < len(text.rstrip()):
            begin = at + len(text[at:]) - len(text[at:].lstrip())
            value, at = decoder.raw_decode(text, begin)
            # Only vosk has sequences of objects: any other JSON is damaged.
            if not isinstance(value, dict) or not {"text", *VOSK_KEYS} & value.keys():
                raise
            values.append(value)
        return values


def _wrap(parts: list[Any]) -> dict[str, Any]:
    """Wraps a list in an object: results of vosk, or segments, as users of faster-whisper save them."""
    are_segments = bool(parts) and all(isinstance(part, dict) and {"start", "text"} <= part.keys() for part in parts)
    return {"segments": parts} if are_segments else {"results": {"vosk": parts}}


def _is_of(service: Service, content: dict[str, Any]) -> bool:
    try:
        return service.recognise(content)
    except DAMAGE:
        return False


def _make_segments(words: Sequence[Spoken]) -> Iterator[Segment]:
    """Joins words with the marks after them."""
    starts = [place for place, word in enumerate(words) if not (word.is_mark and place)]
    for first, last in pairwise([*starts, len(words)]):
        word, text = words[first], "".join(part.text for part in words[first:last])
        start, end = word.times or (None, None)
        yield Segment(
            f" {text}",
            name_speaker(word.speaker),
            start,
            end,
            is_word=word.times is not None,
            is_speaker_unsure=not word.begins_utterance,
        )


def _read_aws(content: dict[str, Any]) -> Iterator[Spoken]:
    results = content["results"]
    turns = results.get("speaker_labels", {}).get("segments", [])
    # Earlier versions have speakers beside the words.
    speakers = {item["start_time"]: item["speaker_label"] for turn in turns for item in turn["items"]}
    for item in results["items"]:
        start = item.get("start_time")
        speaker = item.get("speaker_label", speakers.get(start))
        times = read_times(start, item.get("end_time"))
        yield Spoken(item["alternatives"][0]["content"], times, speaker, item["type"] == "punctuation")


def _read_elevenlabs(content: dict[str, Any]) -> Iterator[Spoken]:
    for word in content["words"]:
        if word["type"] != "spacing":
            yield Spoken(word["text"], read_times(word["start"], word["end"]), word.get("speaker_id"))


def _read_watson(content: dict[str, Any]) -> Iterator[Spoken]:
    speakers = {label["from"]: label["speaker"] for label in content.get("speaker_labels", ())}
    for result in content["results"]:
        for text, start, end in result["alternatives"][0]["timestamps"]:
            yield Spoken(text, read_times(start, end), speakers.get(start))


def _read_speechmatics(content: dict[str, Any]) -> Iterator[Spoken]:
    for item in content["results"]:
        if item.get("alternatives"):
            best = item["alternatives"][0]
            times = read_times(item["start_time"], item["end_time"])
            yield Spoken(best["content"], times, best.get("speaker"), item["type"] == "punctuation")


def _read_google(content: dict[str, Any]) -> Iterator[Spoken]:
    results = [result["alternatives"][0] for result in _find_google_results(content) if result.get("alternatives")]
    # With speakers, the last result repeats the words of all others.
    if len(results) > 1 and any(_get(word, "speakerTag") for word in results[-1].get("words", ())):
        words = [len(result.get("words", ())) for result in results]
        results = results[-1:] if words[-1] >= sum(words[:-1]) else results
    for result in results:
        for word in result.get("words", ()):
            # Zero is left out.
            start = _get(word, "startTime", "startOffset") or 0
            times = read_times(start, _get(word, "endTime", "endOffset"))
            yield Spoken(word["word"], times, _get(word, "speakerTag", "speakerLabel") or None)
        if not result.get("words"):
            yield Spoken(result.get("transcript", ""), None)


def _find_google_results(content: dict[str, Any]) -> list[dict[str, Any]]:
    # An operation has its results in a response.
    results: list[dict[str, Any]] = content.get("response", content)["results"]
    return results


def _get(word: dict[str, Any], *names: str) -> Any:
    """Gets a value by its names, which may be in snake case."""
    for name in names:
        for key in (name, "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)):
            if key in word:
                return word[key]
    return None


def _read_deepgram(content: dict[str, Any]) -> Iterator[Spoken]:
    channels = content["results"]["channels"]
    words = []
    for number, channel in enumerate(channels):
        for word in channel["alternatives"][0]["words"]:
            # Each channel is a person, as in telephone calls.
            speaker = f"channel {number}" if len(channels) > 1 else word.get("speaker")
            text = word.get("punctuated_word", word["word"])
            words.append(Spoken(text, read_times(word["start"], word["end"]), speaker))
    return iter(sorted(words, key=lambda word: word.times or (0, 0)) if len(channels) > 1 else words)


def _read_assemblyai(content: dict[str, Any]) -> Iterator[Spoken]:
    for utterance in content.get("utterances") or [content]:
        for place, word in enumerate(utterance["words"]):
            times = read_times(word["start"], word["end"], 1000)
            yield Spoken(word["text"], times, word.get("speaker"), begins_utterance=not place)


def _read_rev(content: dict[str, Any]) -> Iterator[Spoken]:
    for monologue in content["monologues"]:
        begins = True
        for element in monologue["elements"]:
            text = element["value"].strip()
            if text:
                times = read_times(element.get("ts"), element.get("end_ts"))
                is_mark = element["type"] == "punct" and not begins
                yield Spoken(text, times, monologue.get("speaker"), is_mark, begins)
                begins = False


def _list_vosk_results(content: dict[str, Any]) -> list[dict[str, Any]]:
    # Written by vosk's command, by a program that keeps all results, or a single result.
    if "monologues" in content:
        return [{"result": monologue["terms"], "text": None} for monologue in content["monologues"]]
    return content["results"]["vosk"] if "results" in content else [content]


def _recognise_vosk(content: dict[str, Any]) -> bool:
    results = _list_vosk_results(content)
    are_results = all(isinstance(result, dict) and {"text", *VOSK_KEYS} & result.keys() for result in results)
    return are_results and any(VOSK_KEYS & result.keys() for result in results)


def _read_vosk(content: dict[str, Any]) -> Iterator[Spoken]:
    for result in _list_vosk_results(content):
        best = result["alternatives"][0] if result.get("alternatives") else result
        for place, word in enumerate(best.get("result", ())):
            text = word["word"] if "word" in word else word["text"]
            yield Spoken(text, read_times(word.get("start"), word.get("end")), begins_utterance=not place)
        if not best.get("result") and best.get("text"):
            yield Spoken(best["text"], None)


def _read_azure(content: dict[str, Any]) -> Iterator[Spoken]:
    phrases: Iterable[dict[str, Any]] = content.get("recognizedPhrases") or content["phrases"]
    for phrase in phrases:
        if "nBest" in phrase:
            best = phrase["nBest"][0]
            text, unit, per_second = best["display"], "InTicks", TICKS
            words = best.get("displayWords") or best.get("words", [])
        else:
            text, unit, per_second = phrase["text"], "Milliseconds", 1000
            words = phrase.get("words", [])

        def read(part: dict[str, Any], unit: str = unit, per_second: int = per_second) -> tuple[float, float] | None:
            start, length = part.get(f"offset{unit}"), part.get(f"duration{unit}")
            return None if start is None or length is None else read_times(start, start + length, per_second)

        speaker = phrase.get("speaker")
        spoken = [Part(_get(word, "displayText", "text", "word"), read(word), None) for word in words]
        is_spaced = begins = True
        for part in divide(Part(text, read(phrase), speaker), spoken):
            is_spaced |= part.text[:1].isspace()
            if part.text.strip():
                # Only words that are found in the text have times.
                times = part.times if part.is_word else None
                yield Spoken(part.text.strip(), times, speaker, not is_spaced, begins)
                is_spaced, begins = part.text[-1:].isspace(), False


SERVICES = (
    Service("Whisper", recognise_whisper, read_whisper, has_words=False),
    Service("AWS Transcribe", lambda content: isinstance(content["results"]["items"], list), _read_aws),
    Service("Deepgram", lambda content: isinstance(content["results"]["channels"], list), _read_deepgram),
    Service("Speechmatics", lambda content: "type" in content["results"][0], _read_speechmatics),
    Service("Watson", lambda content: "timestamps" in content["results"][0]["alternatives"][0], _read_watson),
    Service("Google", lambda content: "alternatives" in _find_google_results(content)[0], _read_google),
    Service(
        "Azure",
        lambda content: isinstance(content.get("recognizedPhrases", content.get("phrases")), list),
        _read_azure,
    ),
    Service("ElevenLabs", lambda content: "type" in content["words"][0], _read_elevenlabs),
    Service("AssemblyAI", lambda content: isinstance(content["words"], list), _read_assemblyai),
    Service("Rev", lambda content: "elements" in content["monologues"][0], _read_rev),
    # A single result has few keys, so this is the last one.
    Service("vosk", _recognise_vosk, _read_vosk),
)


def is_json(lines: Sequence[str]) -> bool:
    """Returns whether the first line begins an object, or a list of objects."""
    first = next((line.strip() for line in lines if line.strip()), "")
    return first in ("{", "[") or first.startswith(('{"', '[{"'))


RECOGNISER = Format("recogniser", read_recogniser, (".json",), is_json)
