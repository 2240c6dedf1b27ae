"""The JSON of services: the same talk as each of them writes it."""

import json

import pytest

from spacy_joint.transcripts import read, read_string

# fmt: off
AWS = {"jobName": "talk", "results": {
    "transcripts": [{"transcript": "Hi Nora. Yes."}],
    "items": [
        {"type": "pronunciation", "alternatives": [{"content": "Hi"}], "start_time": "0.5", "end_time": "0.7"},
        {"type": "pronunciation", "alternatives": [{"content": "Nora"}], "start_time": "0.8", "end_time": "1.2"},
        {"type": "punctuation", "alternatives": [{"content": "."}]},
        {"type": "pronunciation", "alternatives": [{"content": "Yes"}], "start_time": "2.0", "end_time": "2.4"},
        {"type": "punctuation", "alternatives": [{"content": "."}]},
    ],
    "speaker_labels": {"segments": [
        {"speaker_label": "spk_0", "items": [{"start_time": "0.5", "speaker_label": "A"}]},
        {"items": [{"start_time": "0.8", "speaker_label": "A"}, {"start_time": "2.0", "speaker_label": "B"}]},
    ]},
}}
SPEECHMATICS = {"format": "2.9", "results": [
    {"type": "word", "start_time": 0.5, "end_time": 0.7, "alternatives": [{"content": "Hi", "speaker": "A"}]},
    {"type": "word", "start_time": 0.8, "end_time": 1.2, "alternatives": [{"content": "Nora", "speaker": "A"}]},
    {"type": "punctuation", "start_time": 1.2, "end_time": 1.2, "alternatives": [{"content": ".", "speaker": "A"}]},
    {"type": "word", "start_time": 2.0, "end_time": 2.4, "alternatives": [{"content": "Yes.", "speaker": "B"}]},
]}
GOOGLE_WORDS = [
    {"word": "Hi", "startTime": "0.500s", "endTime": "0.700s"},
    {"word": "Nora.", "startTime": "0.800s", "endTime": "1.200s"},
    {"word": "Yes.", "startTime": "2s", "endTime": "2.400s"},
]
# The last result repeats the words of all others, with speakers.
GOOGLE = {"results": [
    {"alternatives": [{"transcript": "Hi Nora.", "words": GOOGLE_WORDS[:2]}]},
    {"alternatives": [{"transcript": "Yes.", "words": GOOGLE_WORDS[2:]}]},
    {"alternatives": [{"words": [
        {**word, "speakerTag": tag} for word, tag in zip(GOOGLE_WORDS, (1, 1, 2), strict=True)
    ]}]},
]}
GOOGLE_2_WORDS = [
    {"word": "Hi", "start_offset": {"seconds": 0, "nanos": 500000000}, "end_offset": "0.700s", "speaker_label": "A"},
    {"word": "Nora.", "start_offset": {"seconds": 0, "nanos": 800000000}, "end_offset": "1.200s", "speaker_label": "A"},
    {"word": "Yes.", "start_offset": {"seconds": 2, "nanos": 0}, "end_offset": "2.400s", "speaker_label": "B"},
]
GOOGLE_2 = {"response": {"results": [{"alternatives": [{"words": GOOGLE_2_WORDS}]}, {}]}}
DEEPGRAM_WORDS = [
    {"word": "hi", "punctuated_word": "Hi", "start": 0.5, "end": 0.7, "speaker": 0},
    {"word": "nora", "punctuated_word": "Nora.", "start": 0.8, "end": 1.2, "speaker": 0},
    {"word": "yes", "punctuated_word": "Yes.", "start": 2.0, "end": 2.4, "speaker": 1},
]
DEEPGRAM = {"metadata": {}, "results": {"channels": [{"alternatives": [{"words": DEEPGRAM_WORDS}]}]}}
DEEPGRAM_CHANNELS = {"results": {"channels": [
    {"alternatives": [{"words": DEEPGRAM_WORDS[:2]}]},
    {"alternatives": [{"words": DEEPGRAM_WORDS[2:]}]},
]}}
REV = {"monologues": [
    {"speaker": 0, "elements": [
        {"type": "text", "value": "Hi", "ts": 0.5, "end_ts": 0.7},
        {"type": "punct", "value": " "},
        {"type": "text", "value": "Nora", "ts": 0.8, "end_ts": 1.2},
        {"type": "punct", "value": ". "},
    ]},
    {"speaker": 1, "elements": [{"type": "text", "value": "Yes.", "ts": 2.0, "end_ts": 2.4}]},
]}
AZURE = {"recognizedPhrases": [
    {"speaker": 1, "offsetInTicks": 5e6, "durationInTicks": 7e6, "nBest": [{"display": "Hi Nora.", "words": [
        {"word": "hi", "offsetInTicks": 5e6, "durationInTicks": 2e6},
        {"word": "nora", "offsetInTicks": 8e6, "durationInTicks": 4e6},
    ]}]},
    {"speaker": 2, "nBest": [{"display": "Yes.", "displayWords": [
        {"displayText": "Yes.", "offsetInTicks": 20_000_000, "durationInTicks": 4e6},
    ]}]},
]}
AZURE_FAST = {"combinedPhrases": [{"text": "Hi Nora. Yes."}], "phrases": [
    {"speaker": 1, "text": "Hi Nora.", "words": [
        {"text": "Hi", "offsetMilliseconds": 500, "durationMilliseconds": 200},
        {"text": "Nora.", "offsetMilliseconds": 800, "durationMilliseconds": 400},
    ]},
    {"speaker": 2, "text": "Yes.", "words": [
        {"text": "Yes.", "offsetMilliseconds": 2000, "durationMilliseconds": 400},
    ]},
]}
ELEVENLABS = {"text": "Hi Nora. Yes.", "words": [
    {"text": "Hi", "start": 0.5, "end": 0.7, "type": "word", "speaker_id": "A"},
    {"text": " ", "start": 0.7, "end": 0.8, "type": "spacing", "speaker_id": "A"},
    {"text": "Nora.", "start": 0.8, "end": 1.2, "type": "word", "speaker_id": "A"},
    {"text": "Yes.", "start": 2.0, "end": 2.4, "type": "word", "speaker_id": "B"},
]}
WATSON = {
    "results": [
        {"alternatives": [{"timestamps": [["Hi", 0.5, 0.7], ["Nora.", 0.8, 1.2]]}]},
        {"alternatives": [{"timestamps": [["Yes.", 2.0, 2.4]]}]},
    ],
    "speaker_labels": [
        {"from": 0.5, "to": 0.7, "speaker": 0}, {"from": 0.8, "to": 1.2, "speaker": 0},
        {"from": 2.0, "to": 2.4, "speaker": 1},
    ],
}
# fmt: on
TEXT = "Hi Nora. Yes."


def make_words(text, start, end, per_second=1, speaker="speaker", first=0):
    """Makes the words of the talk, with these keys; the number of the first speaker is `first`."""
    return [
        {
            text: word["punctuated_word"],
            start: word["start"] if per_second == 1 else round(per_second * word["start"]),
            end: word["end"] if per_second == 1 else round(per_second * word["end"]),
            speaker: first + word["speaker"],
        }
        for word in DEEPGRAM_WORDS
    ]


def make_utterances(all_words, text="text", words="words", speaker="speaker"):
    """Makes the utterances of the talk, with these keys."""
    parts = ((0, "Hi Nora.", all_words[:2]), (1, "Yes.", all_words[2:]))
    return [dict(zip((speaker, text, words), part, strict=True)) for part in parts]


SECONDS, MILLISECONDS = make_words("text", "start_time", "end_time"), make_words("text", "start", "end", 1000)
ASSEMBLYAI = {"text": TEXT, "words": MILLISECONDS, "utterances": make_utterances(MILLISECONDS)}
SPACED = [{**word, "word": f" {word['word']}"} for word in make_words("word", "start", "end")]
GLADIA = {"id": "x", "result": {"transcription": {"full_transcript": TEXT, "utterances": make_utterances(SPACED)}}}
# Content, speakers, and whether the service says where turns begin, not only who said a word.
# fmt: off
SERVICES = {
    "aws": (AWS, "AB", False),
    "speechmatics": (SPEECHMATICS, "AB", False),
    "google": (GOOGLE, "12", False),
    "google, version 2": (GOOGLE_2, "AB", False),
    "deepgram": (DEEPGRAM, "01", False),
    "deepgram, channels": (DEEPGRAM_CHANNELS, ["channel 0", "channel 1"], False),
    "assemblyai": (ASSEMBLYAI, "01", True),
    "assemblyai, words": ({**ASSEMBLYAI, "utterances": None}, "01", False),
    "rev": (REV, "01", True),
    "azure": (AZURE, "12", True),
    "azure, fast": (AZURE_FAST, "12", True),
    "elevenlabs": (ELEVENLABS, "AB", False),
    "watson": (WATSON, "01", True),
    "gladia": (GLADIA, "01", True),
    "gladia, its result": (GLADIA["result"], "01", True),
    "gladia, version 1": (
        {"prediction": make_utterances(make_words("word", "time_begin", "time_end"), "transcription")}, "01", True
    ),
    "assemblyai, sentences": ({"sentences": make_utterances(MILLISECONDS)}, "01", True),
    "aws, calls": (
        {"Transcript": make_utterances(
            make_words("Content", "BeginOffsetMillis", "EndOffsetMillis", 1000), "Content", "Items", "ParticipantRole"
        )}, "01", True
    ),
    "google, version 2, a file": ({"results": {"gs://a.wav": {"transcript": GOOGLE_2["response"]}}}, "AB", False),
    "soniox": ({"text": TEXT, "tokens": make_words("text", "start_ms", "end_ms", 1000)}, "01", False),
    "nemo": ({"transcription": TEXT, "words": make_words("word", "start_time", "end_time")}, "01", False),
    "parakeet": ({"text": TEXT, "timestamp": {"word": make_words("word", "start", "end")}}, "01", False),
    "picovoice": (
        {"transcript": TEXT, "words": make_words("word", "startSec", "endSec", 1, "speakerTag", 1)}, "12", False
    ),
    "transcript": ({"transcript": make_utterances(SECONDS)}, "01", True),
    "a list": (make_utterances(SECONDS, "_"), "01", True),
    "whisper-timestamped": ({"segments": make_utterances(make_words("text", "start", "end"))}, "01", True),
    "named": (
        {"speakers": [{"id": 0, "name": "A"}, {"id": 1, "name": "B"}], "transcript": make_utterances(SECONDS)}, "AB",
        True,
    ),
}
# fmt: on


@pytest.mark.parametrize(("content", "speakers", "is_sure"), SERVICES.values(), ids=SERVICES)
def test_words_marks_times_and_speakers_are_read(write_text, tmp_path, content, speakers, is_sure):
    path = write_text("talk.json", json.dumps(content, indent=1))
    transcript = read(path)
    turns = [(turn.speaker, turn.text) for turn in transcript.turns]
    assert turns == list(zip(speakers, ["Hi Nora.", "Yes."], strict=True))
    assert transcript.find_times(0, 2) == (0.5, 0.7)
    assert transcript.find_times(9, 12)[0] == 2.0
    assert [transcript.find_pause(at) for at in (0, 3, 9)] == [None, pytest.approx(0.1), pytest.approx(0.8)]
    assert list(transcript.sentence_starts) == ([0, 9] if is_sure else [0])
    # The format is also recognised by the content.
    path.rename(tmp_path / "talk.txt")
    assert read(tmp_path / "talk.txt") == transcript


VOSK_WORDS = [{"conf": 1.0, **{key: word[key] for key in ("start", "end", "word")}} for word in DEEPGRAM_WORDS]
VOSK_RESULTS = [{"result": VOSK_WORDS[:2], "text": "hi nora"}, {"result": VOSK_WORDS[2:], "text": "yes"}]
VOSK_TERMS = [
    {"confidence": word["conf"], "start": word["start"], "end": word["end"], "text": word["word"], "type": "WORD"}
    for word in VOSK_WORDS
]
VOSK_TALK = {"speaker": {"id": "unknown", "name": None}, "start": 0.5, "end": 2.4, "terms": VOSK_TERMS}
VOSK = {
    # As the command writes it, as a program may keep it, as the examples print it (also by line), and a single result.
    "command": json.dumps({"schemaVersion": "2.0", "monologues": [VOSK_TALK], "text": ["hi nora", "yes"]}),
    "list": json.dumps(VOSK_RESULTS),
    "stream": "\n".join(json.dumps(part, indent=2) for part in ({"partial": "hi"}, *VOSK_RESULTS, {"text": ""})),
    "lines": "\n".join(map(json.dumps, VOSK_RESULTS)),
    "result": json.dumps({"result": VOSK_WORDS, "text": "hi nora yes"}, indent=2),
    "alternatives": json.dumps([{"alternatives": [{"confidence": 1.0, **result}]} for result in VOSK_RESULTS]),
}


@pytest.mark.parametrize("text", VOSK.values(), ids=VOSK)
def test_words_and_times_of_vosk_are_read(write_text, text):
    path = write_text("talk.json", text)
    transcript = read(path)
    assert transcript.text == "hi nora yes"
    assert transcript.find_times(0, 2) == (0.5, 0.7)
    assert [transcript.find_pause(at) for at in (3, 8)] == [pytest.approx(0.1), pytest.approx(0.8)]


@pytest.mark.parametrize(
    "keys",
    [
        ("speaker", "start", "end", "text"),
        ("speaker_id", "start", "end", "text"),  # Voxtral
        ("speaker", "startTime", "endTime", "body"),  # podcasts
        ("speaker_name", "startTime", "endTime", "sentence"),  # Fireflies
        ("speaker", "start", "duration", "text"),  # youtube-transcript-api
        ("speaker", "timestamp", "end_timestamp", "text"),
    ],
)
def test_utterances_need_no_words(keys):
    times = ("00:00:02,000", "00:00:02,400") if "timestamp" in keys else (2.0, 0.4 if "duration" in keys else 2.4)
    utterances = [
        dict(zip(keys, values, strict=True)) for values in (("A", 0.5, 1.2, "Hi Nora."), ("B", *times, "Yes."))
    ]
    for content in ({"segments": utterances}, utterances, [utterances]):
        transcript = read_string(json.dumps(content), "recogniser")
        assert [(turn.speaker, turn.text) for turn in transcript.turns] == [("A", "Hi Nora."), ("B", "Yes.")]
        assert transcript.find_times(9, 13) == (2.0, 2.4)


YOUTUBE = [{"utf8": "hi"}, {"utf8": " no", "tOffsetMs": 300}, {"utf8": "ra", "tOffsetMs": 400}]
GOOGLE_UNKNOWN = [{"word": word, "speakerTag": 0} for word in ("Hi", "Nora.", "Yes.")]
UNKNOWN = {"type": "word", "start_time": 1, "end_time": 0, "alternatives": [{"content": "Hi", "speaker": "UU"}]}


@pytest.mark.parametrize(
    ("content", "text", "times"),
    [
        ({"events": [{"tStartMs": 0}, {"tStartMs": 500, "dDurationMs": 700, "segs": YOUTUBE}]}, "hi nora", (0.5, 1.2)),
        # Only speakers tell that words are repeated.
        ({"results": [{"alternatives": [{"words": [word]}]} for word in GOOGLE_UNKNOWN]}, "Hi Nora. Yes.", None),
        # Zero may be left out.
        ({"results": [{"alternatives": [{"words": [{"word": "Hi", "endTime": "0.400s"}]}]}]}, "Hi", (0.0, 0.4)),
        # Marks of times are no words.
        ({"segments": [{"text": "<|0.00|> Hi <3<|1.20|>"}]}, "Hi <3", None),
        ({"results": [UNKNOWN]}, "Hi", None),
    ],
    ids=["youtube", "google", "zero", "marks", "unknown"],
)
def test_pieces_zeros_and_what_is_unknown_are_read(content, text, times):
    transcript = read_string(json.dumps(content), "recogniser")
    assert [(turn.speaker, turn.text) for turn in transcript.turns] == [(None, text)]
    assert transcript.find_times(0, len(text)) == times


def test_chunks_of_hugging_face_are_words_or_segments():
    parts = [("Hi", 0.5, 0.7), (" Nora.", 0.8, 1.2), (" Yes.", 2.0, None)]
    words = [{"text": text, "timestamp": [start, end]} for text, start, end in parts]
    transcript = read_string(json.dumps({"text": "Hi Nora. Yes.", "chunks": words}))
    assert transcript.text == "Hi Nora. Yes."
    assert transcript.find_times(0, 2) == (0.5, 0.7)
    assert transcript.find_pause(3) == pytest.approx(0.1)
    chunks = [{"text": " Hi Nora.", "timestamp": [0.5, 1.2]}, {"text": " Yes.", "timestamp": [2.0, 2.4]}]
    transcript = read_string(json.dumps({"text": "Hi Nora. Yes.", "chunks": chunks}))
    assert transcript.find_times(9, 13) == (2.0, 2.4)
    speakers = [{**chunk, "speaker": speaker} for chunk, speaker in zip(chunks, "AB", strict=True)]
    transcript = read_string(json.dumps({"text": "Hi Nora. Yes.", "chunks": chunks, "speakers": speakers}))
    assert [(turn.speaker, turn.text) for turn in transcript.turns] == [("A", "Hi Nora."), ("B", "Yes.")]
