"""The JSON of recognisers: the text of segments, the times of words, and speakers."""

import json
import time

import pytest

from spacy_joint.errors import JointValueError
from spacy_joint.transcripts import read_string

from .turns import find_times, list_sentence_beginnings, list_turns

# fmt: off
WHISPER = {"text": " Hi Nora. It's 5 o'clock.", "language": "en", "segments": [
    {"id": 0, "start": 0.0, "end": 1.5, "text": " Hi Nora.", "words": [
        {"word": " Hi", "start": 0.1, "end": 0.4, "probability": 0.9},
        {"word": " Nora.", "start": 0.5, "end": 1.2, "probability": 0.9},
    ]},
    {"id": 1, "start": 2.0, "end": 4.0, "text": " It's 5 o'clock."},
]}
WHISPERX = {"word_segments": [], "segments": [
    {"start": 1.0, "end": 4.0, "text": "It is 5 now.", "speaker": "SPEAKER_00", "words": [
        {"word": "It", "start": 1.0, "end": 1.5, "score": 0.9, "speaker": "SPEAKER_00"},
        {"word": "is", "start": 1.6, "end": 2.0, "score": 0.9},
        {"word": "5"},
        {"word": "now.", "start": 3.0, "end": 3.5, "score": 0.9},
    ]},
    {"start": 4.0, "end": 5.0, "text": "And you?", "speaker": "SPEAKER_00", "words": []},
    {"start": 5.0, "end": 6.0, "text": "No.", "speaker": "SPEAKER_01"},
]}
CPP_TOKENS = [
    ("[_BEG_]", 0, 0), (" So", 100, 300), (" No", 300, 500), ("ra", 500, 900), (" left", 900, 1500), (".", 1500, 1600),
    ("[_TT_100]", 2000, 2000),
]
WHISPER_CPP = {"systeminfo": "", "result": {"language": "en"}, "transcription": [
    {
        "timestamps": {"from": "00:00:00,000", "to": "00:00:02,000"}, "offsets": {"from": 0, "to": 2000},
        "text": " So Nora left.", "speaker_turn_next": True,
        "tokens": [{"text": text, "offsets": {"from": start, "to": end}} for text, start, end in CPP_TOKENS],
    },
    {"offsets": {"from": 2000, "to": 3000}, "text": " Why?"},
]}
# fmt: on


def read(content):
    return read_string(content if isinstance(content, str) else json.dumps(content), "recogniser", "file.json")


def test_words_have_their_own_times_and_segments_without_words_divide_theirs():
    transcript = read(WHISPER)
    assert list_turns(transcript) == [(None, "Hi Nora. It's 5 o'clock.")]
    times = [find_times(transcript, words) for words in ("Hi", "Nora.", "It's 5 o'clock.", "It's")]
    assert times == [(0.1, 0.4), (0.5, 1.2), (2.0, 4.0), (2.0, round(2 + 2 * 4 / 15, 3))]


def test_speakers_are_kept_and_words_without_times_lie_between_their_neighbours():
    transcript = read(WHISPERX)
    assert list_turns(transcript) == [("SPEAKER_00", "It is 5 now. And you?"), ("SPEAKER_01", "No.")]
    assert find_times(transcript, "5") == (2.0, 3.0)
    assert find_times(transcript, "now. And you?") == (3.0, 5.0)


@pytest.mark.parametrize(("word", "n_words"), [("so", 40_000), ("yes", 10_000)])
def test_words_without_times_and_words_that_the_text_lacks_take_linear_time(word, n_words):
    words = [{"word": word, "speaker": n % 2} for n in range(n_words)]
    begin = time.process_time()
    read({"segments": [{"start": 0, "end": 5, "text": "so " * 400_000, "words": words}]})
    # Quadratic time would take longer than half a minute.
    assert time.process_time() - begin < 10


@pytest.mark.parametrize(
    ("speakers", "turns"),
    [
        ("AAAAA", [("A", "so yes, it is now")]),
        ("BABBB", [("B", "so"), ("A", "yes,"), ("B", "it is now")]),
        # Words without a speaker have that of the word before, and those before the first one its own.
        ("-BB-A", [("B", "so yes, it is"), ("A", "now")]),
        ("-----", [("A", "so yes, it is now")]),
    ],
)
def test_words_of_another_speaker_are_turns_of_that_one(speakers, turns):
    words = [
        {"word": word} | ({} if speaker == "-" else {"speaker": speaker, "start": n, "end": n + 1})
        for n, (word, speaker) in enumerate(zip(["so", "yes", "it", "is", "now"], speakers, strict=True))
    ]
    segment = {"start": 0, "end": 5, "text": "so yes, it is now", "speaker": "A", "words": words}
    assert list_turns(read({"segments": [segment]})) == turns
    del segment["start"]
    assert list_turns(read({"segments": [segment]})) == turns


def test_a_change_of_speaker_within_a_segment_is_not_a_boundary_for_certain():
    words = [{"word": word, "start": n, "end": n + 1, "speaker": s} for n, (word, s) in enumerate(["aA", "bB", "cB"])]
    segments = [{"text": "a b c", "words": words}, {"text": "d", "speaker": "A"}]
    transcript = read({"segments": segments})
    assert list_turns(transcript) == [("A", "a"), ("B", "b c"), ("A", "d")]
    assert [transcript.text[start] for start in transcript.sentence_starts] == ["a", "d"]


def test_pauses_are_those_between_words_with_times():
    transcript = read(WHISPERX)
    pauses = [transcript.find_pause(transcript.text.index(word)) for word in ("It", "is", "5", "now", ".", "And")]
    assert pauses == [None, 0.1, None, None, 0.0, None]
    transcript = read(WHISPER_CPP)
    assert [transcript.find_pause(at) for at in range(9)] == [None, 0.0, None, 0.0, 0.0, 0.0, 0.0, None, 0.0]


def test_pieces_of_words_have_times_and_marks_are_no_text():
    transcript = read(WHISPER_CPP)
    assert list_turns(transcript) == [(None, "So Nora left."), (None, "Why?")]
    assert [find_times(transcript, word) for word in ("Nora", "Why?")] == [(0.3, 0.9), (2.0, 3.0)]
    segments = [{"text": " Hi.", "speaker": "0"}, {"text": " Yes.", "speaker": "1"}, {"text": " So.", "speaker": "?"}]
    assert list_turns(read({"transcription": segments})) == [("0", "Hi."), ("1", "Yes."), (None, "So.")]


def test_words_that_are_not_in_the_text_are_skipped_and_those_without_times_may_occur_again():
    words = [{"word": "[*]", "start": 0, "end": 1}, {"word": "hi", "start": 1, "end": 2}]
    transcript = read({"segments": [{"start": 0, "end": 3, "text": "so hi there", "words": words}]})
    assert transcript.text == "so hi there"
    assert [find_times(transcript, word) for word in transcript.text.split()] == [(0, 1), (1, 2), (2, 3)]
    no, yes, last = {"word": "no"}, {"word": "yes", "start": 2, "end": 3}, {"word": "no", "start": 3, "end": 4}
    transcript = read({"segments": [{"start": 0, "end": 5, "text": "no no yes no", "words": [no, no, yes, last]}]})
    assert [transcript.find_times(start, start + 2) for start in (0, 10)] == [(0, 0.8), (3, 4)]


def test_times_that_make_no_sense_are_unknown():
    for start, end in ((float("nan"), 2), (0, float("inf")), (0, 10**400), (-1, 2), (2, 1), (None, 2)):
        segment = {"start": start, "end": end, "text": "hi", "words": [{"word": "hi", "start": 3, "end": 1}]}
        assert find_times(read({"segments": [segment]}), "hi") is None


def test_sounds_share_no_sentence_with_speech_and_there_may_be_no_words():
    transcript = read({"segments": [{"text": text} for text in (" so", " [Music]", " ♪ la", " bye")]})
    assert list_sentence_beginnings(transcript) == ["so", "[Music]", "bye"]
    for content in ("", " \n", {"segments": []}, {"transcription": []}):
        assert read(content).text == ""


INCOMPLETE = [
    {"results": {"items": [{"type": "pronunciation"}]}},
    {"results": {"channels": [{"alternatives": []}]}},
    {"text": "", "chunks": [{"timestamp": [0, 1]}]},
    {"words": [{"type": "word"}]},
    {"monologues": [{"elements": [{"type": "text", "value": 3}]}]},
    {"words": [{"text": "hi", "start": "x", "end": 2}], "text": "hi"},
]
UNKNOWN = [
    *({"results": []}, {"phrases": 3}, [{"text": "hi"}], {"items": [{"text": "hi"}]}),
    [{"text": "hi", "start": "2026-03-12", "end": "2026-03-13"}],
]


@pytest.mark.parametrize(
    ("content", "code", "part"),
    [
        ('{"segments": [\n\n{]}', "J464", "line 3"),
        ("hi nora", "J464", "line 1"),
        ("[" * 100_000, "J464", "line 1"),
        ("[" + "9" * 5000 + "]", "J464", "line 1"),
        ({"text": "cut \ud83d"}, "J464", "surrogates"),
        ("[]", "J465", "file.json"),
        ({"segments": {}}, "J465", "file.json"),
        ({"segments": ["hi"]}, "J466", "'str' object"),
        ({"segments": [{"text": "hi"}, {"text": "so", "start": [], "end": 2}]}, "J466", "part 2"),
        ({"segments": [{"text": "hi", "start": "x", "end": 2}]}, "J466", "float: 'x'"),
        ({"segments": [{"text": "hi", "words": [{"word": 3}]}]}, "J466", "no text"),
        ({"transcription": [{"text": "hi", "offsets": [1, 2]}]}, "J466", "'list' object"),
        # Other recognisers.
        *((content, "J466", "file.json") for content in INCOMPLETE),
        *((content, "J465", "file.json") for content in UNKNOWN),
    ],
)
def test_damage_is_reported(content, code, part):
    with pytest.raises(JointValueError, match=part) as caught:
        read(content)
    assert caught.value.code == code
