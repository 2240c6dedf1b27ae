"""Writing transcripts: what is written can be read again, with the same turns and times."""

import csv
import io
import json
import re

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.annotation.restored import RESTORED
from spacy_joint.errors import JointError, JointWarning
from spacy_joint.transcripts import make_doc, read, read_string, write, write_string
from spacy_joint.transcripts.transcript import Segment, join
from spacy_joint.transcripts.words import fill_times, find_costs, has_marks, list_words

from .turns import list_turns

NLP = spacy_joint.load(beam_width=1)
BLANK = spacy.blank("en")
SRT = (
    "1\n00:00:01,000 --> 00:00:03,000\nANNA: <i>So</i> I was\nat the garage.\n\n"
    "2\n00:00:03,000 --> 00:00:04,500\nBEN: They found another problem?\n\n"
    "3\n00:00:05,000 --> 00:00:07,000\nANNA: Of course they did.\n"
)
VTT = (
    "WEBVTT - a talk\n\nSTYLE\n::cue { color: red }\n\nNOTE a comment\n\n"
    "first\n00:01.000 --> 00:03.000 align:start\n<v.loud Anna>So I was at the garage.</v>\n\nNOTE another\n\n"
    "00:03.000 --> 00:04.500\n<v Ben>They &amp; she found it.\n"
)
WORDLESS = "WEBVTT\n\n00:01.000 --> 00:02.000\n\n00:02.000 --> 00:04.000\nHi there.\n\n00:05.000 --> 00:06.000\n"


def annotate(text, format):
    return NLP(make_doc(NLP, read_string(text, format)))


def make_timed(words, speaker="Anna", seconds=0.4, start=0.0):
    for place, word in enumerate(words.split()):
        begin = start + place * seconds
        yield Segment(f"{word} ", speaker, (begin, begin + seconds), is_word=True)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "format"), [(SRT, "srt"), (VTT, "vtt"), (WORDLESS, "vtt")])
def test_captions_that_keep_to_the_limits_stay_byte_for_byte(text, format, line_end):
    text = text.replace("\n", line_end)
    assert write_string(annotate(text, format), format) == text


@pytest.mark.parametrize(("text", "format", "other"), [(SRT, "srt", "vtt"), (VTT, "vtt", "srt")])
def test_captions_of_one_format_become_those_of_the_other(text, format, other):
    before = read_string(text, format)
    written = write_string(annotate(text, format), other)
    after = read_string(written, other)
    assert list_turns(after) == list_turns(before)
    assert [cue[:2] for cue in after.cues.values()] == [cue[:2] for cue in before.cues.values()]
    assert write_string(annotate(written, other), other) == written


def test_styles_stay_if_the_first_caption_is_cut_anew():
    styles = "WEBVTT\n\nSTYLE\n::cue(.yellow) { color: yellow }\n\n"
    wide = "00:03.000 --> 00:09.000\nThey found another problem with the brakes of the car.\n\n"
    text = f"{styles}{wide}00:09.000 --> 00:11.000\n<c.yellow>Bye.</c>\n"
    written = write_string(annotate(text, "vtt"), "vtt")
    assert written.startswith(styles) and "<c.yellow>Bye.</c>" in written and wide not in written


def test_turns_within_lines_and_names_in_brackets_stay():
    text = "WEBVTT\n\n00:01.000 --> 00:03.000\n<v Anna>Are you well? <v Ben>I am.\n"
    doc = annotate(text, "vtt")
    assert write_string(doc, "vtt") == text
    assert "Anna: Are you well?\n>> Ben: I am.\n" in write_string(doc, "srt")
    text = (
        "1\n00:00:01,000 --> 00:00:03,000\n[SPEAKER_00]: They found another problem with the\nbrakes.\n\n"
        "2\n00:00:03,000 --> 00:00:05,000\n[SPEAKER_01]: Of course.\n"
    )
    assert [turn.speaker for turn in read_string(text, "srt").turns] == ["SPEAKER_00", "SPEAKER_01"]
    written = write_string(annotate(text, "srt"), "srt")
    assert "[SPEAKER_00]: They found" in written and "[SPEAKER_01]: Of course.\n" in written


def test_only_the_captions_that_need_it_are_cut_anew():
    text = (
        "1\n00:00:01,000 --> 00:00:03,000\n<b>Hi Nora.</b>\n\n7\n00:00:03,000 --> 00:00:09,000\n"
        "They found another problem with the brakes of the car.\n\n8\n00:00:09,000 --> 00:00:11,000\n"
        "<i>Bye\u2028now.</i>\n\n9\n00:00:11,000 --> 00:00:12,000\n\n"
    )
    written = write_string(annotate(text, "srt"), "srt")
    assert written == (
        "1\n00:00:01,000 --> 00:00:03,000\n<b>Hi Nora.</b>\n\n2\n00:00:03,000 --> 00:00:09,000\n"
        "They found another problem\nwith the brakes of the car.\n\n3\n00:00:09,000 --> 00:00:11,000\n"
        "<i>Bye\u2028now.</i>\n"
    )


def test_bad_ends_of_lines_are_a_reason_to_cut_and_all_captions_are_cut_anew_on_request():
    text = "1\n00:00:01,000 --> 00:00:04,000\nThey found it in the\ngarage over there.\n"
    assert "in the\n" not in write_string(annotate(text, "srt"), "srt")
    doc = annotate("1\n00:00:01,000 --> 00:00:02,000\nHi\n\n2\n00:00:02,000 --> 00:00:04,000\nNora.\n", "srt")
    assert write_string(doc, "srt").count("-->") == 2
    assert write_string(doc, "srt", recut=True) == "1\n00:00:01,000 --> 00:00:04,000\nHi Nora.\n"


def test_captions_end_no_line_after_a_determiner_or_preposition():
    words = "they found another problem with the brakes of the car and the man says he can fix it for the weekend"
    written = write_string(NLP(make_doc(NLP, join(make_timed(words)))), "srt")
    lines = [line for line in written.splitlines() if line and "-->" not in line and not line.isdigit()]
    assert all(len(line) <= 42 for line in lines)
    assert not any(line.split()[-1] in ("the", "another", "with", "of", "for") for line in lines)


LONG = "00:00:00,000 --> 00:00:12,000\n" + "so we went to the garage and they said it is late " * 2


def test_estimated_times_are_a_comment_of_webvtt_and_a_warning_in_other_formats():
    written = write_string(annotate(f"WEBVTT\n\n{LONG}".replace(",", "."), "vtt"), "vtt")
    assert "NOTE 2 of 3 captions begin at estimated times: 2, 3\n" in written or "NOTE 1 of 2" in written
    assert write_string(annotate(written, "vtt"), "vtt") == written
    for format in ("srt", "csv"):
        with pytest.warns(JointWarning, match="JW49"):
            write_string(annotate(f"1\n{LONG}", "srt"), format)
    words = "so we went to the garage and they said it is late and closed until monday or even until tuesday"
    measured = NLP(make_doc(NLP, join(make_timed(words))))
    for format in ("srt", "csv", "text"):
        write_string(measured, format)
    assert "NOTE" not in write_string(measured, "vtt")


@pytest.mark.parametrize("format", ["srt", "vtt"])
@pytest.mark.parametrize(
    "speakers",
    [
        *(("Anna", "Ben", "Anna"), ("SPEAKER_00", "SPEAKER_01", "SPEAKER_00"), ("0", "1", None), (None, None, None)),
        *(("Anna", "Anna", None), ("the operator", "Dr. Who <3 & co", "x: y")),
    ],
)
def test_turns_and_speakers_survive(format, speakers):
    segments = []
    for place, speaker in enumerate(speakers):
        first, *rest = make_timed("i did not say so to the man at the door", speaker, start=6.0 * place)
        segments += [first._replace(begins_turn=True), *rest]
    transcript = join(segments)
    written = write_string(NLP(make_doc(NLP, transcript)), format)
    assert list_turns(read_string(written, format)) == [(turn.speaker, turn.text) for turn in transcript.turns]


SAMPLE = ["hi", "<b>", "AT&T", "a&lt;b", "{b}", "\\N", "a-->b", "3:00", "42", "[laughs]", "(no)", "x" * 50]
WORDS = st.lists(st.sampled_from(SAMPLE), min_size=1, max_size=12)


@given(st.lists(st.tuples(st.sampled_from(["Anna", "ben", None, "the man"]), WORDS), min_size=1, max_size=4))
@settings(max_examples=100)
def test_all_words_survive(turns):
    segments, time = [], 0.0
    for speaker, words in turns:
        for place, word in enumerate(words):
            # Captions that repeat lines would be read as rolling up.
            numbered = re.sub(r"(?<=\w)(?=[\])>}]|$)", f"{len(segments)}", word)
            segments.append(Segment(f"{numbered} ", speaker, (time, time + 0.5), place == 0, is_word=True))
            time += 0.5
    transcript = join(segments)
    doc = make_doc(BLANK, transcript)
    for format in ("srt", "vtt"):
        assert list_turns(read_string(write_string(doc, format), format)) == list_turns(transcript)


def test_text_has_a_paragraph_per_turn_and_can_be_read_again():
    written = write_string(annotate(SRT, "srt"), "text")
    assert written == (
        "[00:00:01] ANNA: So I was at the garage.\n\n[00:00:03] BEN: They found another problem?\n\n"
        "[00:00:05] ANNA: Of course they did.\n"
    )
    again = read_string(written, "turns")
    assert list_turns(again) == list_turns(read_string(SRT, "srt"))
    assert again.find_times(0, 2)[0] == 1.0
    chat = "Anna: we left. it rains!\n\nBen: ok\n\nAnna: are you at home? we are\nHe is not.\n"
    assert write_string(annotate(chat, "turns"), "text") == chat


def test_markdown_has_names_in_bold_and_no_accidental_markup():
    doc = annotate("ANNA: I *said* so.\nBEN: # of_them?\nANNA: 1. [No]\n", "turns")
    written = write_string(doc, "markdown")
    assert written == "**ANNA:** I \\*said\\* so.\n\n**BEN:** # of\\_them?\n\n**ANNA:** 1. \\[No\\]\n"
    assert list_turns(read_string(written, "turns"))[0] == ("ANNA", "I \\*said\\* so.")
    for text, written in (
        ("It is &pound;5 at Lee & Orr; so it is.", "It is \\&pound;5 at Lee & Orr"),
        ("1. So we said. And then. + more.", "1\\. So"),
        ("1. Call Ben.\n2. Call Nora.\n", "1\\. Call Ben.\\\n2\\. Call Nora.\n"),
    ):
        assert write_string(NLP(text), "markdown").startswith(written)


def test_lines_are_wrapped_on_request_and_sentences_without_marks_have_lines():
    assert all(len(line) <= 30 for line in write_string(annotate(SRT, "srt"), "text", wrap=30).splitlines())
    doc = NLP("hi nora it's me i'm still at the garage")
    assert write_string(doc, "text") == "\n".join(sentence.text for sentence in doc.sents) + "\n"
    assert write_string(doc, "markdown").count("\\\n") == len(list(doc.sents)) - 1


def test_words_that_occur_whole_are_joined_whole():
    text = "The repairs were late. They closed the garage for re-\npairs on Monday.\n"
    assert write_string(NLP(text), "text") == text.replace("re-\n", "re")


SEEN = "The owl sat in the tree by the old mill, and few had seen\n{}\nit before. It was white, and it ate a mouse.\n"
LINES = {
    "verse": 'The owl and the crow\nWent out in the snow\nTo look for a mouse.\n"Alas!" said the crow,\n"I go."\n',
    "indented verse": "The snow is deep, it is so old,\n  the owl is on the wing;\nshe is very cold,\n  in spring.\n",
    "a list and code": "* At home.\n* At the garage, with Nora.\n\nCode.\n```\nrun(it)\nnow()\n```\n",
    "nested lists": "Buy these.\n\n- milk\n  - of a goat\n  - of a cow\n- eggs\n\nThank you.\n",
    "a list without signs": "Please buy these things.\n\nmilk\neggs\noat biscuits\n\nThank you.\n",
    "quoted mail": "> Is this how the owls\n> live?\nYes. I saw them at the garage.\n\nCheers\nNora\n",
    "mail with a list": "Hi Ben,\n\n- milk\n- eggs\n- oat bread\n\nI was at home. They found it.\n\nCheers\nNora\n",
    "a signature": "I saw them.\n\n--\nNora Berg\nat the garage\n+47 22 55 01 23\n",
    "code": "Code.\n\n```\nif late:\n\n    run()\n    now()\n```\n\n    cd home\n    if late\n      run\n\nDone.\n",
    "indented code": "Run this.\n\n    import owls\n    owls.feed()\n    for owl in owls:\n        print(owl)\n",
    "code and its comments": (
        "# Feeds the owls in the old mill. Mice are best for them.\n"
        "# They sleep by day, so they are\n# fed in the evening.\n"
        "def feed(owls, mice):\n    fed = []\n    for owl in range(len(owls)):\n"
        "        food = mice[2 * owl]\n        fed.append(owls[owl](food))\n    return fed\n"
    ),
    "long lines": "owl n. a bird of the night that " + "looks for mice and " * 6 + "sleeps.\nowly adj. like an owl.\n",
    "clauses": "1. An owl that has:\n   a head;\n   wings; and\n2. A mouse of the kind that the owl of claim 1 eats.\n",
    "a comment of code": "/*\n * Runs it.\n * @param it the engine\n */\nrun(it);\n",
    "a table": "These are the hours.\n\nMonday      8 to 12     closed\nTuesday     closed      2 to 6\n",
    **{f"a page number, {number}": SEEN.format(number) for number in ("17", "- 17 -", "[p. 17]")},
    "a heading": "The owls and the mice of the old mill\n=====================================\n\nSo it was.\n",
    "a stage direction": "     She looks for a long time at the owl in the old mill by a river.\nANNA: It is white.\n",
    "minutes": "Present: Nora Berg, Anna Wu, Carla Low, and Dr. Ben Hill\nApologies: Mr. Owl\n\nIt rained.\n",
    # The longest line counts.
    "lines for and against": (
        "For it: Nora Berg, Anna Wu, Carla, and the neighbours\nAgainst it: Ben\n\n"
        "Nora said that the owls would come back if all of the trees were left as they are.\n"
    ),
}


# The sign marks the ends of lines that go.
PARAGRAPHS = {
    "a paragraph": "So we⏎went home.\n\nThen it rained.\n",
    "a hyphen": "A well-⏎known man went home.\n",
    "indented paragraphs": (
        "Home\n\n  So we went to the garage, since they had called and said that⏎the car was ready. It was not.\n"
        "  We came home late, and it rained, and the dog was hungry. He⏎had eaten the bread.\n"
    ),
    "an item": "Please:\n\n- call the garage and ask whether the car is⏎  ready\n- come home\n",
    "a paragraph after a list": "1. Call Ben.\n2. Call Nora.\n\nShe is at the⏎garage. He is not.\n",
    "indented paragraphs of a few lines": (
        "Home\n\n    Nora. So we went to the garage, since they had⏎called us, Ben and me, and had told us all that⏎"
        "the car was ready.\n    Ben. It was.\n    Nora. It was late.\n    Ben. It rained.\n    Nora. It did.\n"
    ),
    "speech": "So we look at⏎the history of owls. And then⏎we go. It was late.⏎In the end, Nora and⏎Ben came.\n",
}


@pytest.mark.parametrize("text", [*PARAGRAPHS.values(), *LINES.values()], ids=[*PARAGRAPHS, *LINES])
def test_lines_of_a_paragraph_are_joined_and_lines_that_mean_something_stay(text):
    written = re.sub("⏎ *", " ", text.replace("-⏎", "-"))
    assert write_string(NLP(text.replace("⏎", "\n")), "text") == written


@pytest.mark.parametrize(("rows", "n"), [("sentence", 3), ("word", 14)])
@pytest.mark.filterwarnings(r"ignore:\[JW49\]")
def test_csv_has_a_row_per_sentence_or_word(rows, n):
    table = list(csv.DictReader(io.StringIO(write_string(annotate(SRT, "srt"), "csv", rows=rows))))
    assert len(table) == n
    assert table[0]["speaker"] == "ANNA"
    assert (table[0]["start"], table[-1]["end"]) == ("1.000", "7.000")
    assert " ".join(row["text"] for row in table) == read_string(SRT, "srt").text.replace("\n", " ")


def test_restored_words_are_written():
    doc = annotate("1\n00:00:01,000 --> 00:00:03,000\nhi nora how are you\n", "srt")
    for token, text in zip(doc, ["Hi", "Nora,", "how", "are", "you?"], strict=True):
        token._.set(RESTORED, text)
    assert write_string(doc, "srt") == "1\n00:00:01,000 --> 00:00:03,000\nHi Nora, how are you?\n"
    assert write_string(doc, "text") == "[00:00:01] Hi Nora, how are you?\n"


def test_files_are_written_in_the_format_of_their_suffix(tmp_path):
    doc = annotate(SRT, "srt")
    write(doc, tmp_path / "new.vtt")
    assert list_turns(read(tmp_path / "new.vtt")) == list_turns(read_string(SRT, "srt"))
    with pytest.raises(JointError, match="J040"):
        write(doc, tmp_path / "new.docx")


@pytest.mark.parametrize(
    ("format", "options", "code"),
    [
        ("srt", {}, "J470"),
        ("docx", {}, "J040"),
        ("text", {"rows": "word"}, "J040"),
        ("text", {"wrap": 0}, "J030"),
        ("csv", {"rows": "line"}, "J040"),
        ("vtt", {"max_width": 0}, "J030"),
        ("csv", {"max_width": 40}, "J040"),
    ],
)
def test_what_cannot_be_written_is_refused(format, options, code):
    with pytest.raises(JointError, match=code):
        write_string(NLP("so we went home"), format, **options)


def test_words_without_times_take_them_from_their_neighbours():
    segments = [
        Segment("a ", None, (1.0, 2.0), is_word=True),
        Segment("bc de "),
        Segment("f ", None, (4.0, 5.0), is_word=True),
    ]
    words = fill_times(list_words(make_doc(BLANK, join([*segments, Segment("ghi")]))))
    assert [(word.start_time, word.end_time) for word in words] == [(1, 2), (2, 3), (3, 4), (4, 5), (5, 5.2)]
    assert [word.is_estimated for word in words] == [False, True, True, False, True]


def test_a_line_end_costs_the_arcs_that_it_cuts():
    doc = Doc(
        BLANK.vocab,
        words=["in", "the", "garage", "we", "sat"],
        heads=[2, 2, 4, 4, 4],
        deps=["case", "det", "obl", "nsubj", "ROOT"],
        tags=["IN", "DT", "NN", "PRP", "VBD"],
    )
    assert find_costs(doc).tolist() == [0, 1000, 2000, 30, 180]


def test_text_with_marks_is_recognised():
    assert has_marks([]) and has_marks(list_words(NLP("Hi there. All is well, and so on")))
    for text in ("so we went to the garage at 3.15 or so and then " * 30, "we saw Dr. Low and Mr. Wu"):
        assert not has_marks(list_words(NLP(text)))


def test_segments_without_words_are_estimated_within_but_not_at_their_beginning():
    content = {
        "segments": [{"text": "so we went", "start": 0.0, "end": 2.0}, {"text": "home", "start": 2.0, "end": 3.0}]
    }
    doc = make_doc(BLANK, read_string(json.dumps(content), "recogniser"))
    assert [token._.time_is_estimated for token in doc] == [False, True, True, False]
