"""CTM, Whisper's .tsv and the text of Otter; and what is no text."""

import pytest

from spacy_joint.errors import JointValueError
from spacy_joint.transcripts import read, read_string
from spacy_joint.transcripts.reading import guess_marked

from ..cases import cases
from .turns import describe, describe_words, list_turns

CTM = ";; by nobody\ncall A 0.50 0.20 hi 0.98\ncall A 0.8 0.4 nora\ncall A 1.3 0.5 <eps>\ncall B 2 0.4 yes\n"
TSV = "start\tend\ttext\n0\t1500\tHi Nora.\n1500\t2500\t[Music]\n"
OTTER = (
    "Anna Smith  0:02\nHi Nora.\n\nNora  0:06\nYes. I\n\nleft.\n\nAnna Smith  1:00:10\nBye.\n\n"
    "Transcribed by https://otter.ai\n"
)


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


def test_otter_has_a_header_and_names_and_times_above_words(write_text):
    header = "A talk\nMar 5, 2024 10:02AM • 12:41\n\nSUMMARY KEYWORDS\nhome, rain\n\nSPEAKERS\nNora, Anna Smith\n\n"
    for text in (OTTER, header + OTTER):
        # By a rate of speech that leaves silence before the next turn.
        assert describe(read(write_text("a.txt", text))) == [
            "Anna Smith 2-2.8: Hi Nora.",
            "Nora 6-7.1: Yes. I left.",
            "Anna Smith 3610-3610.267: Bye.",
        ]


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


def test_transcripts_copied_from_youtube_have_times_above_words(write_text):
    transcript = read(write_text("a.txt", "59:58\nhi nora\n1:00:00\n[Music]\n1:00:10\nso i left\n"))
    assert list_turns(transcript) == [(None, "hi nora [Music] so i left")]
    assert [transcript.find_times(at, at + 1)[0] for at in (0, 8, 16)] == [3598, 3600, 3610]
    assert transcript.sentence_starts == [0, 8, 16]
    assert read_string("[00:01 - 00:04] so we left\n[00:04 - 00:09] and\n", "youtube").text == "so we left and"


def test_titles_of_chapters_are_paragraphs():
    transcript = read_string("\nHome\n0:01\nhi nora\n0:02\nbye\nAt work\n0:04\nhi ben\n0:07\nlate\n0:09\nagain\n")
    assert transcript.text == "Home\n\nhi nora bye\n\nAt work\n\nhi ben late again"
    assert transcript.find_times(0, 4)[0] == 1.0


@cases("""
text → words
0:00 hi⏎0:02 nora⏎0:15 bye⏎ → hi 0-0.2 | nora 2-2.4 | bye 15-15.2
[00:00] hi⏎[00:02] nora⏎[00:15] bye⏎ → hi 0-0.2 | nora 2-2.4 | bye 15-15.2
0:00: hi⏎0:02: nora⏎0:15: bye⏎ → hi 0-0.2 | nora 2-2.4 | bye 15-15.2
# times that are close may have a header
a tool⏎# A talk ¶ 00:00:01.160 hi⏎00:00:03.120 nora⏎00:00:05.440 bye⏎
→ a | tool | # | A | talk | hi 1.16-1.36 | nora 3.12-3.52 | bye 5.44-5.64
# lines that Whisper prints
[00:00.000 --> 00:02.000]  hi⏎[00:02.000 --> 00:05.000]  nora⏎[00:05.000 --> 00:06.000]  bye⏎
→ hi 0-0.2 | nora 2-2.4 | bye 5-5.2
[0.00s -> 2.00s] hi⏎[2.00s -> 5.00s] nora⏎[5.00s -> 6.00s] bye⏎ → hi 0-0.2 | nora 2-2.4 | bye 5-5.2
# labels of Audacity
0.000000\t1.500000\tHi Nora.⏎2.000000\t2.250000\t[Music]⏎ → Hi 0-0.375 | Nora. 0.562-1.5 | [Music] 2-2.25
""")
def test_words_may_be_next_to_times(text, words):
    assert describe_words(read_string(text)) == words


def test_lyrics_have_no_titles_and_labels_of_audacity_may_have_names(write_text):
    lyrics = read(write_text("a.lrc", "[ti: So]\n[00:01.00]hi\n[00:02.00]nora\n"))
    assert describe_words(lyrics) == ["hi 1-1.2", "nora 2-2.267"]
    named = read_string("0.00\t1.50\tAnna\tHi Nora.\n2.00\t2.25\tNora\tHi.\n")
    assert describe(named) == ["Anna 0-1.5: Hi Nora.", "Nora 2-2.25: Hi."]


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


@cases("""
text → turns
# numbered names above times need not recur
Speaker 1⏎0:02⏎hi⏎Speaker 2⏎0:06⏎yes⏎Speaker 1⏎0:09⏎bye⏎
→ Speaker 1 2-2.2: hi | Speaker 2 6-6.3: yes | Speaker 1 9-9.2: bye
# chats of Slack have names and no times
Anna Smith  10:22 AM⏎hi nora⏎10:23⏎still here? ¶ Nora\t1:24 PM⏎yes⏎
→ Anna Smith: hi nora | Anna Smith: still here? | Nora: yes
# times below words are those of the next ones
Anna  0:02⏎hi nora⏎ 0:12⏎still here? ¶ Nora  0:19⏎yes⏎
→ Anna 2-2.7: hi nora | Anna 12-13.1: still here? | Nora 19-19.2: yes
# chats of Discord have a header
==⏎Guild: Owls⏎Channel: talk⏎== ¶ [24/12/2025 10:02] anna⏎hi ¶ [24/12/2025 10:02] ben⏎hi ¶ [24/12/2025 10:02] anna⏎hi⏎
→ -: == Guild: Owls Channel: talk == | anna: hi | ben: hi | anna: hi
# times of recordings may be below names
Anna⏎0:03⏎Hi Nora.⏎Nora⏎0:06⏎Yes.⏎Anna⏎0:09⏎Bye.⏎Nora⏎0:11⏎Bye.⏎Anna⏎Bye.⏎
→ Anna 3-3.8: Hi Nora. | Nora 6-6.4: Yes. | Anna 9-9.4: Bye. | Nora 11-11.8: Bye. Anna Bye.
# names beside times are no words
[00:02] Anna⏎Hi Nora. ¶ [00:06] Nora⏎Yes. ¶ [00:09] Anna⏎Bye.⏎
→ Anna 2-2.8: Hi Nora. | Nora 6-6.4: Yes. | Anna 9-9.267: Bye.
""")
def test_names_have_times_or_times_of_day_beside_them(text, turns):
    assert describe(read_string(text)) == turns


@pytest.mark.parametrize(
    "head",
    [
        *("{} — Today at 10:02 AM", "{} — 24/12/2025 10:02"),
        *("{}, [24.12.2025 10:02]", "{}, [24 Dec 2025 at 10:02:11]"),
        *("[10:02 AM] {}", "[24-Dec-25 10:02 AM] {}"),
        *("[12/24 10:02 AM] {}", "[24.12. 10:02] {}"),
        "{}  10:02",
    ],
)
def test_chats_of_other_programs_too(head):
    names = ("Anna Smith", "nora#12", "Anna Smith")
    transcript = read_string("\n".join(f"{head.format(name)}\nhi: it's me\n" for name in names))
    assert list_turns(transcript) == [(name, "hi: it's me") for name in names]
    assert transcript.find_times(0, 2) is None


@pytest.mark.parametrize("time", ["10:02 AM", "18:02", "24/12/2025, 18:02", "Dec 24, 2025  6:02 PM"])
@pytest.mark.parametrize(
    "message", ["{name}\n{time}\n{words}\n", "{name}\n{words}\n{time}\n", "{time}\n{name}\n{words}\n"]
)
def test_times_of_chats_may_be_below_names_or_words(message, time):
    turns = [("Anna Smith", "hi: it's me"), ("nora", "yes\nstill here?"), ("Anna Smith", "ok"), ("nora", "ok")]
    transcript = read_string("".join(message.format(name=name, time=time, words=words) for name, words in turns))
    assert list_turns(transcript) == [(name, words.replace("\n", " ")) for name, words in turns]
    assert transcript.find_times(0, 2) is None


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
        *("Time\tText\n0:00\tHi.\tAnna\n0:02\tHi.\tNora\n0:05\tBye.\tAnna\n", "1 1 0.5 12 7\n1 2 0.5 13 8\n"),
        *("0:00 Welcome\n1:20 Owls\n4:15 Dogs\n12:40 The end\n", "Bus 08:15\nCity Hall\nBus 09:15\nMarket\n"),
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
