"""CTM, Whisper's .tsv and the text of Otter; and what is no text."""

import pytest

from spacy_joint.errors import JointValueError
from spacy_joint.transcripts import read, read_string
from spacy_joint.transcripts.reading import guess_marked

from .turns import list_turns

CTM = ";; by nobody\ncall A 0.50 0.20 hi 0.98\ncall A 0.8 0.4 nora\ncall A 1.3 0.5 <eps>\ncall B 2 0.4 yes\n"
TSV = "start\tend\ttext\n0\t1500\tHi Nora.\n1500\t2500\t[Music]\n"
OTTER = """Anna Smith  0:02
Hi Nora.

Nora  0:06
Yes. I

left.

Anna Smith  1:00:10
Bye.

Transcribed by https://otter.ai
"""


@pytest.mark.parametrize("name", ["a.ctm", "a.txt"])
def test_ctm_has_times_of_words(write_text, name):
    transcript = read(write_text(name, CTM))
    assert list_turns(transcript) == [(None, "hi nora"), (None, "yes")]
    assert transcript.find_times(3, 7) == (0.8, 1.2)
    assert [transcript.find_pause(at) for at in (0, 3, 8)] == [None, pytest.approx(0.1), pytest.approx(0.8)]


@pytest.mark.parametrize("name", ["a.tsv", "a.txt"])
def test_tsv_has_times_of_segments(write_text, name):
    transcript = read(write_text(name, TSV))
    assert transcript.text == "Hi Nora. [Music]"
    assert transcript.find_times(0, 8) == (0, 1.5)
    assert transcript.sentence_starts == [0, 9]
    assert transcript.find_pause(9) is None


def test_otter_has_names_and_times_above_words(write_text):
    transcript = read(write_text("a.txt", OTTER))
    assert list_turns(transcript) == [("Anna Smith", "Hi Nora."), ("Nora", "Yes. I left."), ("Anna Smith", "Bye.")]
    # By a rate of speech that leaves silence before the next turn.
    assert transcript.find_times(0, 8) == (2, 2.8)
    assert transcript.find_times(9, 13)[0] == 6
    assert transcript.find_times(len(transcript.text) - 4, len(transcript.text)) == (3610, 3610.267)


def test_the_header_of_otter_is_no_speech(write_text):
    header = (
        "A talk\nTue, Mar 5, 2024 10:02AM • 12:41\n\nSUMMARY KEYWORDS\nhome, rain\n\nSPEAKERS\nNora, Anna Smith\n\n"
    )
    assert read(write_text("a.txt", header + OTTER)).text == "Hi Nora.\nYes. I left.\nBye."


@pytest.mark.parametrize(
    "heads",
    [
        ("00:00:02 Anna Smith", "00:00:06 Nora", "01:00:10 Anna Smith"),
        ("[00:00:02.000] - Anna Smith", "[00:00:06.000] - Nora", "[01:00:10.000] - Anna Smith"),
        ("0:02 - Anna Smith", "0:06 - Nora", "1:00:10 - Anna Smith"),
        ("0:02 | Anna Smith", "0:06 | Nora", "1:00:10 | Anna Smith"),
        ("0:02 - 0:06 Anna Smith", "0:06 - 0:09 Nora", "1:00:10 - 1:00:12 Anna Smith"),
        ("Anna Smith (00:02.12)", "Nora (00:06.5)", "Anna Smith (01:00:10)"),
        ("Anna Smith [00:02]", "Nora [00:06]", "Anna Smith [01:00:10]"),
        ("Anna Smith 00:02", "Nora 00:06", "Anna Smith 01:00:10"),
        ("Anna Smith | 00:02", "Nora | 00:06", "Anna Smith | 01:00:10"),
    ],
)
def test_times_may_be_before_names(heads):
    words = ("Hi Nora.", "Yes.", "Bye.")
    transcript = read_string("Audio file\na.m4a\n\n" + "".join(map("{}\n{}\n\n".format, heads, words)))
    assert list_turns(transcript)[1:] == [("Anna Smith", "Hi Nora."), ("Nora", "Yes."), ("Anna Smith", "Bye.")]
    assert transcript.find_times(transcript.text.index("Bye"), len(transcript.text))[0] == 3610


def test_numbered_names_above_times_need_not_recur():
    turns = list_turns(read_string("Speaker 1\n0:02\nhi\nSpeaker 2\n0:06\nyes\nSpeaker 1\n0:09\nbye\n"))
    assert turns == [("Speaker 1", "hi"), ("Speaker 2", "yes"), ("Speaker 1", "bye")]


def test_transcripts_copied_from_youtube_have_times_above_words(write_text):
    transcript = read(write_text("a.txt", "59:58\nhi nora\n1:00:00\n[Music]\n1:00:10\nso i left\n"))
    assert list_turns(transcript) == [(None, "hi nora [Music] so i left")]
    assert [transcript.find_times(at, at + 1)[0] for at in (0, 8, 16)] == [3598, 3600, 3610]
    assert transcript.sentence_starts == [0, 8, 16]


def test_titles_of_chapters_are_paragraphs():
    transcript = read_string("\nHome\n0:01\nhi nora\n0:02\nbye\nAt work\n0:04\nhi ben\n0:07\nlate\n0:09\nagain\n")
    assert transcript.text == "Home\n\nhi nora bye\n\nAt work\n\nhi ben late again"
    assert transcript.find_times(0, 4)[0] == 1.0


@pytest.mark.parametrize(
    "times", [("0:00", "0:02", "0:15"), ("[00:00]", "[00:02]", "[00:15]"), ("0:00:", "0:02:", "0:15:")]
)
def test_words_may_be_next_to_times(times):
    transcript = read_string(
        "".join(f"{time} {word}\n" for time, word in zip(times, ("hi", "nora", "bye"), strict=True))
    )
    assert transcript.text == "hi nora bye"
    assert [transcript.find_times(at, at + 1)[0] for at in (0, 3, 8)] == [0, 2, 15]


def test_times_that_are_close_may_have_a_header():
    transcript = read_string("a tool\n# A talk\n\n00:00:01.160 hi\n00:00:03.120 nora\n00:00:05.440 bye\n")
    assert list_turns(transcript) == [(None, "a tool # A talk"), (None, "hi nora bye")]
    assert [transcript.find_times(at, at + 1) for at in (0, 16)] == [None, (1.16, 1.26)]


@pytest.mark.parametrize(
    "text",
    [
        "[00:00.000 --> 00:02.000]  hi\n[00:02.000 --> 00:05.000]  nora\n[00:05.000 --> 00:06.000]  bye\n",
        "[0.00s -> 2.00s] hi\n[2.00s -> 5.00s] nora\n[5.00s -> 6.00s] bye\n",
    ],
)
def test_lines_that_whisper_prints_have_times(text):
    assert read_string(text).find_times(3, 7) == (2.0, 2.4)


def test_lyrics_have_times_and_no_titles(write_text):
    transcript = read(write_text("a.lrc", "[ti: So]\n[00:01.00]hi\n[00:02.00]nora\n"))
    assert transcript.text == "hi nora"
    assert transcript.find_times(0, 2) == (1.0, 1.2)


def test_labels_of_audacity_have_times_in_seconds():
    transcript = read_string("\n0.000000\t1.500000\tHi Nora.\n2.000000\t2.250000\t[Music]\n")
    assert transcript.text == "Hi Nora. [Music]"
    assert transcript.find_times(0, 8) == (0, 1.5)
    named = read_string("0.00\t1.50\tAnna\tHi Nora.\n2.00\t2.25\tNora\tHi.\n")
    assert list_turns(named) == [("Anna", "Hi Nora."), ("Nora", "Hi.")]


@pytest.mark.parametrize(
    ("text", "format", "code"),
    [
        ("call A 0.5 hi", "ctm", "J467"),
        ("0\t1\thi\n2\t1\tno", "tsv", "J467"),
        ("0.0\t1.0\thi\n2.0 3.0\tno", "tsv", "J467"),
        ("Anna 0:02\nhi", "otter", "J468"),
        ("\nhi\nno", "youtube", "J467"),
    ],
)
def test_other_lines_are_refused(text, format, code):
    with pytest.raises(JointValueError, match=rf"\[{code}\]"):
        read_string(text, format, "a.txt")


def test_chats_of_slack_have_names_and_no_times():
    transcript = read_string("Anna Smith  10:22 AM\nhi nora\n10:23\nstill here?\n\nNora\t1:24 PM\nyes\n")
    assert list_turns(transcript) == [("Anna Smith", "hi nora"), ("Anna Smith", "still here?"), ("Nora", "yes")]
    assert transcript.find_times(0, 2) is None


def test_times_below_words_are_those_of_the_next_ones():
    transcript = read_string("Anna  0:02\nhi nora\n 0:12\nstill here?\n\nNora  0:19\nyes\n")
    assert list_turns(transcript) == [("Anna", "hi nora"), ("Anna", "still here?"), ("Nora", "yes")]
    assert transcript.find_times(8, 19)[0] == 12.0


@pytest.mark.parametrize(
    "head",
    [
        "{} — Today at 10:02 AM",
        "{} — 24/12/2025 10:02",
        "{}, [24.12.2025 10:02]",
        "{}, [24 Dec 2025 at 10:02:11]",
        "[10:02 AM] {}",
        "[24-Dec-25 10:02 AM] {}",
        "[12/24 10:02 AM] {}",
        "[24.12. 10:02] {}",
        "{}  10:02",
    ],
)
def test_chats_of_other_programs_too(head):
    names = ("Anna Smith", "nora#12", "Anna Smith")
    transcript = read_string("\n".join(f"{head.format(name)}\nhi: it's me\n" for name in names))
    assert list_turns(transcript) == [(name, "hi: it's me") for name in names]
    assert transcript.find_times(0, 2) is None


def test_chats_of_discord_have_a_header():
    head = "==\nGuild: Owls\nChannel: talk\n==\n\n"
    transcript = read_string(head + "".join(f"[24/12/2025 10:02] {name}\nhi\n\n" for name in ("anna", "ben", "anna")))
    assert list_turns(transcript)[1:] == [("anna", "hi"), ("ben", "hi"), ("anna", "hi")]


@pytest.mark.parametrize("time", ["10:02 AM", "18:02", "24/12/2025, 18:02", "Dec 24, 2025  6:02 PM"])
@pytest.mark.parametrize(
    "message", ["{name}\n{time}\n{words}\n", "{name}\n{words}\n{time}\n", "{time}\n{name}\n{words}\n"]
)
def test_times_of_chats_may_be_below_names_or_words(message, time):
    turns = [("Anna Smith", "hi: it's me"), ("nora", "yes\nstill here?"), ("Anna Smith", "ok"), ("nora", "ok")]
    transcript = read_string("".join(message.format(name=name, time=time, words=words) for name, words in turns))
    assert list_turns(transcript) == [(name, words.replace("\n", " ")) for name, words in turns]
    assert transcript.find_times(0, 2) is None


def test_times_of_recordings_may_be_below_names():
    text = "Anna\n0:03\nHi Nora.\nNora\n0:06\nYes.\nAnna\n0:09\nBye.\nNora\n0:11\nBye.\nAnna\nBye.\n"
    transcript = read_string(text)
    assert list_turns(transcript)[:2] == [("Anna", "Hi Nora."), ("Nora", "Yes.")]
    assert transcript.find_times(0, 2)[0] == 3.0


def test_names_beside_times_are_no_words():
    transcript = read_string("[00:02] Anna\nHi Nora.\n\n[00:06] Nora\nYes.\n\n[00:09] Anna\nBye.\n")
    assert list_turns(transcript) == [("Anna", "Hi Nora."), ("Nora", "Yes."), ("Anna", "Bye.")]
    assert transcript.find_times(0, 2)[0] == 2.0


def test_transcripts_of_teams_have_a_header():
    text = "Plans\n14m 2s\n\nAnna Smith   0:03\nHi Nora.\n\nNora   0:09\nYes.\n\nAnna Smith   0:12\nBye.\n"
    transcript = read_string(text)
    header, *turns = list_turns(transcript)
    assert turns == [("Anna Smith", "Hi Nora."), ("Nora", "Yes."), ("Anna Smith", "Bye.")]
    assert header == (None, "Plans 14m 2s") and transcript.lines == {6}


@pytest.mark.parametrize(
    "text",
    [
        *("Breakfast  8:00\nLunch  12:00\n", "Lunch  12:00\nin the hall\n", "{x} is a set."),
        *("Tea\n10:00\nA talk\n10:15\nTea\n11:00\nHome\n12:00\n", "So we left\n0:02\nand it rained\n0:05\nlate\n"),
        "10:00 Welcome\n10:15 A talk\n11:00 Tea\n",
        "Time\tText\n0:00\tHi.\tAnna\n0:02\tHi.\tNora\n0:05\tBye.\tAnna\n",
        "1 1 0.5 12 7\n1 2 0.5 13 8\n",
        "0:00 Welcome\n1:20 Owls\n4:15 Dogs\n12:40 The end\n",
        "Bus 08:15\nCity Hall\nBus 09:15\nMarket\n",
        "Contents\n0:00 Welcome\n1:20 Owls\n20:15 Tea\n",
        "[00:02] so we left\nand it rained\n[00:05] we came home\nlate\n",
    ],
)
def test_other_text_is_not_taken_for_a_transcript(write_text, text):
    assert read(write_text("a.txt", text)).text == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", '{"text": "hi"}\n\n{"text": "no"}\n'),
        ("a", '{"text": "hi"}\n{"text": "no"}\n{'),
        ("a.tsv", "token\tstart\nhi\t0\n"),
        ("a.csv", "text,id\nhi,1\n"),
    ],
)
def test_json_lines_and_tables_are_not_parsed_as_text(tmp_path, name, text):
    (tmp_path / name).write_text(text, "utf8")
    with pytest.raises(JointValueError) as caught:
        read(tmp_path / name)
    assert caught.value.code == "J469" and name in str(caught.value)
    assert read(tmp_path / name, "text").text == text


def test_the_first_lines_tell_the_format_of_standard_input():
    assert guess_marked(["{", '  "results": [']) == guess_marked(['{"results": [1]}']) == "recogniser"
    assert guess_marked(TSV.splitlines()[:2]) == "tsv"
    assert guess_marked(CTM.splitlines()[:2]) == "ctm"
    assert guess_marked(["hi", "there"]) is None and guess_marked([]) is None
    with pytest.raises(JointValueError, match="J469"):
        guess_marked(['{"text": "hi"}', '{"text": "no"}'])
