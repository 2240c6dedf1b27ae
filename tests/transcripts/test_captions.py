"""Captions: all words are read, with their speakers and times, or the damaged line is named."""

import pytest

from spacy_joint.errors import JointValueError
from spacy_joint.transcripts import read_string

from ..cases import cases
from .turns import describe, find_times, list_sentence_beginnings, list_turns


def read_srt(text):
    return read_string(text, "srt", "file.srt")


def read_cues(cues):
    return read_srt("\n\n".join(f"00:00:01,000 --> 00:00:02,000\n{cue}" for cue in cues))


def read_vtt(text):
    return read_string(text if text.startswith("WEBVTT") else f"WEBVTT\n\n{text}", "vtt", "file.vtt")


SRT = "1\n00:00:01,000 --> 00:00:03,000\nhi nora\nit's me\n\n2\n00:00:03,500 --> 00:00:04,000\nstill here\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\r\r\n", "\n\n"])
def test_words_are_read_whatever_ends_lines(line_end):
    transcript = read_srt(SRT.replace("\n", line_end))
    assert transcript.text == "hi nora it's me still here"
    assert find_times(transcript, "still here") == (3.5, 4.0)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_captions_of_youtube_have_other_times(line_end):
    text = "0:00:01.000,0:00:03.000\nhi nora\nit's me\n\n0:00:03.500,0:00:04.000\nstill here\n".replace("\n", line_end)
    assert read_string(text).timed_parts == read_srt(text).timed_parts == read_srt(SRT).timed_parts


def test_time_is_divided_by_characters_within_a_cue():
    transcript = read_srt("1\n00:00:10,000 --> 00:00:11,000\nabcd fghij\n")
    assert find_times(transcript, "abcd") == (10.0, 10.4)
    assert find_times(transcript, "fghij") == (10.5, 11.0)
    assert transcript.find_times(0, 10) == (10.0, 11.0)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        *((time, 2.5) for time in ("00:00:02,500", "00:00:02.500", "0:00:02,5", "0:00:02.500000")),
        ("00:02,05", 2.05),
        ("123:00:00,000", 442_800.0),
    ],
)
def test_times_may_be_written_in_several_ways(written, seconds):
    for text in (f"1\n00:00:00,000 --> {written}\nhi", f"1\n00:00:00.000-->{written} X1:40 X2:600\nhi"):
        assert find_times(read_srt(text), "hi") == (0.0, seconds)


@pytest.mark.parametrize(
    ("cues", "text"),
    [
        # Cues need no number and no blank line between them.
        ("00:01.000 --> 00:02.000\nhi nora\n2\n00:02.000 --> 00:03.000\nit's me", "hi nora it's me"),
        ("1\n00:01.000 --> 00:02.000\nin\n1984\n\n2\n00:02.000 --> 00:03.000\n1985\n", "in 1984 1985"),
        # Comments and styles of WebVTT are text here.
        ("1\n00:01.000 --> 00:02.000\nhi\n\nNOTE this\n\n2\n00:02.000 --> 00:03.000\n\nSTYLE\n", "hi NOTE this STYLE"),
        ("00:01.000 --> 00:02.000\nhi\n\nnora\n\n00:02.000 --> 00:03.000\nit's me", "hi nora it's me"),
        # There may be no words.
        *((text, "") for text in ("", "\n\n", "1\n0:01,0 --> 0:02,0\n\n", "00:00:01,000 --> 00:00:02,000")),
    ],
)
def test_any_lines_between_times_are_text_of_subrip(cues, text):
    assert read_srt(cues).text == text
    assert bool(read_srt(cues).turns) == bool(text)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("<i>hi</i> <b>nora</b>", "hi nora"),
        ('<font color="#ffff00">hi</font> nora', "hi nora"),
        ("{\\an8}hi {\\i1}nora{\\i0}", "hi nora"),
        ("{i}hi{/i}\\Nnora\\hme", "hi nora me"),
        ("<c.yellow.bg_blue>hi</c> <lang en>nora</lang>", "hi nora"),
        ("R&amp;B &lt;3 &nbsp;&gt; pop", "R&B <3 > pop"),
        ("a < b and c > d, I <3 you", "a < b and c > d, I <3 you"),
        ("<i>hi\nnora</i>", "hi nora"),
        ("ab<i>cd</i>ef", "abcdef"),
    ],
)
def test_markup_is_no_text(marked, plain):
    assert read_srt(f"1\n00:00:01,000 --> 00:00:02,000\n{marked}\n").text == plain
    assert read_vtt(f"00:01.000 --> 00:02.000\n{marked}\n").text == plain


def test_captions_know_how_they_are_written():
    transcript = read_vtt(
        "NOTE a\n\nfirst\n00:01.000 --> 00:02.000\nhi\nnora\n\nSTYLE\nx\n\n00:03.000 --> 00:04.000\nbye\n"
    )
    first, last = transcript.cues.values()
    assert list(transcript.cues) == [0, 8] and set(transcript.lines) == {3}
    assert (first.start_time, first.end_time, first.format) == (1.0, 2.0, "vtt")
    assert first.header == "WEBVTT\n\nNOTE a\n\n"
    assert first.block.startswith("first\n") and first.block.endswith("STYLE\nx\n\n")
    assert last.block == "00:03.000 --> 00:04.000\nbye\n"


@cases("""
text → turns
# text after a blank line or a comment in a cue is not lost
00:01.000 --> 00:02.000⏎hi ¶ nora ¶ 00:02.000 --> 00:03.000⏎it's me → -: hi nora it's me
00:01.000 --> 00:02.000⏎hi ¶ NOTE a comment ¶ nora⏎ → -: hi nora
# header, comments, styles, regions and identifiers are no text
WEBVTT - a talk⏎Kind: captions⏎Language: en ¶ STYLE⏎::cue { color: red } ¶ REGION⏎id:r1 ¶ NOTE⏎a comment⏎of two lines
¶ first cue⏎00:01.000 --> 00:02.000 align:start position:0%⏎hi ¶ NOTE another ¶ 2⏎00:02.000 --> 00:03.000⏎nora⏎
→ -: hi nora
# text with a colon is text where there are voice tags
00:01.000 --> 00:03.000⏎<v Anna>NOTE WELL: it rains ¶ 00:03.000 --> 00:04.000⏎A. Yes⏎Q. No⏎
→ Anna: NOTE WELL: it rains | -: A. Yes Q. No
# names above the times are speakers
1 "Anna Low" (12)⏎00:01.000 --> 00:02.000⏎hi⏎ben ¶ 2 "Ben" (3)⏎00:02.000 --> 00:03.000⏎hi: it is me⏎
→ Anna Low: hi ben | Ben: hi: it is me
""")
def test_webvtt_has_turns(text, turns):
    assert describe(read_vtt(text), times=False) == turns


def test_voice_tags_are_speakers():
    text = "00:01.000 --> 00:03.000\n<v.loud Anna Smith>hi nora</v> <v Ben>hi\nyou two</v>\n\n"
    transcript = read_vtt(text + "00:03.000 --> 00:04.000\n<v Ben>bye\n\n00:05.000 --> 00:06.000\nthe end")
    assert list_turns(transcript) == [("Anna Smith", "hi nora"), ("Ben", "hi you two bye"), (None, "the end")]
    assert list_sentence_beginnings(transcript) == ["hi", "hi", "the"]


def test_time_stamps_in_a_cue_are_times_of_words_unless_they_turn_time_back():
    transcript = read_vtt("00:01.000 --> 00:05.000\nhi <00:02.000><c>nora</c> <00:04.000><c>it's</c>\nme\n")
    assert [find_times(transcript, words) for words in ("hi", "nora", "it's me")] == [(1, 2), (2, 4), (4, 5)]
    transcript = read_vtt("00:03.000 --> 00:05.000\nhi <00:09.000>nora <00:01.000>dear")
    assert [find_times(transcript, word) for word in transcript.text.split()] == [(3, 5), (5, 5), (5, 5)]


@cases("""
cues → turns
# names are speakers until the next one
ANNA: hi | nora | >> BEN: the point: go → ANNA: hi nora | BEN: the point: go
# names may be in brackets, and marks begin turns of the same speaker
[the man]: hi | >> [the man]: bye → the man: hi | the man: bye
# names in mixed case must recur
Remember: stay here | Anna said no → -: Remember: stay here Anna said no
# those beside one that recurs are names
Anna: stay here | Ben: no | Anna: yes | Ben: ok → Anna: stay here | Ben: no | Anna: yes | Ben: ok
# if all cues begin with names, those that do not recur are names
Anna Lee: Hi. | iPhone 12: Hi all. → Anna Lee: Hi. | iPhone 12: Hi all.
# so are those that do not recur beside others
Anna Lee: Hi. | Ben: Hi all. | Anna Lee: So, the plan. → Anna Lee: Hi. | Ben: Hi all. | Anna Lee: So, the plan.
# full names may come before initials
Anna Wu: so | we left | and came | home late | in rain | AW: yes | Listen Up: no
→ Anna Wu: so we left and came home late in rain | AW: yes Listen Up: no
# words before colons that recur in a film are no names
listen | Listen: we go | no | why | what | so | Listen: we stay | ok | sure
→ -: listen Listen: we go no why what so Listen: we stay ok sure
# capitals are no sign of names where all text has them
LOOK: THE DOOR | IT IS OPEN | ANNA: NO | ANNA: IT IS NOT → -: LOOK: THE DOOR IT IS OPEN | ANNA: NO IT IS NOT
# marks of turns may stand alone
we left | >> | who | ANNA:⏎me → -: we left | -: who | ANNA: me
# names may follow dashes
- ANNA: where were you?⏎- (coughs) at home | \u2010 BEN: so? \u2010 so?
→ ANNA: where were you? | -: (coughs) at home | BEN: so? | -: so?
# two speakers may share a line
<i>- Where were you? - At home.</i> → -: Where were you? | -: At home.
# also after chevrons
>> so? >> ANNA: no &gt;&gt; ben, 2 > 1 → -: so? | ANNA: no | -: ben, 2 > 1
# but only after the end of a sentence
<i>- Where were you - At home.</i> → -: - Where were you - At home.
# chevrons and dashes begin turns of unknown speakers
we left | >> who | - you and⏎Ben⏎-me? | - and so on → -: we left | -: who | -: you and Ben | -: me? - and so on
# directions after names are kept as sounds
ANNA (on phone): hi ben → ANNA: (on phone) hi ben
""")
def test_cues_have_speakers(cues, turns):
    assert describe(read_cues(cues.split(" | ")), times=False) == turns


def test_sounds_share_no_sentence_with_speech():
    cues = ["[APPLAUSE]", "thank you", "♪ la la", "la ♪", "so [laughs] we", "(door opens\nloudly)", "left"]
    transcript = read_cues(cues)
    assert transcript.text == "[APPLAUSE] thank you ♪ la la la ♪ so [laughs] we (door opens loudly) left"
    assert list_sentence_beginnings(transcript) == ["[APPLAUSE]", "thank", "♪", "so", "(door", "left"]


def test_captions_that_roll_up_are_read_once():
    cues = ["hi nora", "hi nora\nit's me", "it's me", "it's me\nno no", "no no\ni am late"]
    transcript = read_vtt("\n\n".join(f"00:0{n}.000 --> 00:0{n + 1}.000\n{cue}" for n, cue in enumerate(cues)))
    assert transcript.text == "hi nora it's me no no i am late"
    assert find_times(transcript, "i am late") == (4.0, 5.0)


def test_repetitions_of_speech_are_kept():
    cues = ["no", "no", "no", "yes", "i said no", "so", "what now", "go on", "go on"]
    transcript = read_cues(cues)
    assert transcript.text == " ".join(cues)


def test_overlapping_cues_keep_their_order_and_times():
    text = "00:00:01,000 --> 00:00:09,000\nANNA: i am\n\n00:00:02,000 --> 00:00:03,000\nBEN: no\n\n"
    transcript = read_srt(text)
    assert list_turns(transcript) == [("ANNA", "i am"), ("BEN", "no")]
    assert (find_times(transcript, "i am"), find_times(transcript, "no")) == ((1.0, 9.0), (2.0, 3.0))


@pytest.mark.parametrize(
    ("read", "text", "code", "line"),
    [
        (read_srt, "hello\n1\n00:00:01,000 --> 00:00:02,000\nhi", "J460", 1),
        (read_srt, "\njust some text", "J460", 2),
        (read_srt, SRT + "\n3\n", "J460", 10),
        (read_srt, SRT + "\n3\n00:00:05,000 --> \nhi", "J461", 11),
        (read_srt, SRT + "\n3\n00:00:61,000 --> 00:02:00,000\nhi", "J461", 11),
        (read_srt, SRT + "\n3\n00:00:05 --> 00:00:06\nhi", "J461", 11),
        (read_srt, SRT + "\n3\n00:00:05,000 --> 00:00:04,000\nhi", "J462", 11),
        (read_srt, f"00:00:05,000 --> {'9' * 5000}:00:00\nhi", "J461", 1),
        (read_vtt, "hi\n\n00:01.000 --> 00:02.000\n", "J460", 3),
        (read_vtt, "1\n00:01 -> 00:02 -->\nhi", "J461", 4),
    ],
)
def test_damage_is_reported_with_its_line(read, text, code, line):
    for damaged in (text, text.replace("\n", "\r\n")):
        with pytest.raises(JointValueError, match=rf"file\.(srt|vtt), line {line}:") as caught:
            read(damaged)
        assert caught.value.code == code


def test_webvtt_has_a_header_which_may_have_blank_lines_above():
    text = "\n \nWEBVTT\n\n00:01.000 --> 00:02.000\nhi nora\n"
    assert read_string(text).text == read_string(text, "vtt").text == "hi nora"
    with pytest.raises(JointValueError, match="line 8:"):
        read_string(f"{text}\n00:02.000 --> x\n", "vtt")
    with pytest.raises(JointValueError, match="J463"):
        read_string("1\n00:00:01.000 --> 00:00:02.000\nhi", "vtt")
