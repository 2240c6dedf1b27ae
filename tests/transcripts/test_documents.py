"""Reading files, and documents of transcripts: no sentence crosses a turn, and all parts know speaker and times."""

import json
import subprocess
import sys

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin

import spacy_joint
from spacy_joint.annotation.restored import write_restored
from spacy_joint.errors import JointError
from spacy_joint.transcripts import FORMATS, documents, make_doc, read, read_string, write_string
from spacy_joint.transcripts.documents import make_doc_of_text, restore_marks
from spacy_joint.transcripts.transcript import Segment, join

NLP = spacy_joint.load(beam_width=1)
TALK = "so we went home and it rained " * 20
VTT = (
    "WEBVTT\n\n00:01.000 --> 00:03.000\n<v Anna>so i was at\n\n00:03.000 --> 00:04.000\n<v Anna>the garage and\n\n"
    "00:03.500 --> 00:05.000\n<v Ben>then they found another problem\n\n00:05.000 --> 00:06.000\nbye\n"
)


def annotate(text, format="vtt"):
    return NLP(make_doc(NLP, read_string(text, format)))


def test_no_sentence_and_no_tree_crosses_a_turn():
    doc = annotate(VTT)
    turns = read_string(VTT, "vtt").turns
    assert {turn.start for turn in turns} <= {sentence.start_char for sentence in doc.sents}
    for sentence in doc.sents:
        assert len({token._.speaker for token in sentence if not token.is_space}) == 1
        assert all(token.head.sent == sentence for token in sentence)


def test_words_with_times_have_pauses_in_a_column_unless_there_are_no_gaps():
    words = [{"word": word, "start": n, "end": n + 0.6} for n, word in enumerate(["so", "don't", "go."])]
    doc = make_doc(NLP, read_string(json.dumps({"segments": [{"text": "so don't go.", "words": words}]}), "recogniser"))
    assert [token.text for token in doc] == ["so", "do", "n't", "go", "."]
    np.testing.assert_array_equal(doc._.token_columns["pause"], [np.nan, 0.4, 0.0, 0.4, 0.0])
    together = join([Segment("so ", times=(n, n + 1), is_word=True) for n in range(3)])
    for transcript in (read_string(VTT, "vtt"), together):
        assert "pause" not in make_doc(NLP, transcript)._.token_columns


def test_cues_of_one_speaker_leave_boundaries_open_and_sentences_and_tokens_know_their_speaker_and_times():
    doc = make_doc(NLP, read_string(VTT, "vtt"))
    assert [token.text for token in doc if token.is_sent_start] == ["so", "then", "bye"]
    assert not any(token.is_sent_start is False for token in doc)
    doc = NLP(doc)
    first, *_, last = doc.sents
    assert (first._.speaker, first._.start_time) == ("Anna", 1.0)
    assert (last._.speaker, last._.start_time, last._.end_time) == (None, 5.0, 6.0)
    assert (doc[0]._.speaker, doc[0]._.start_time, doc[-1]._.end_time) == ("Anna", 1.0, 6.0)
    assert doc[:]._.end_time == 6.0


def test_documents_can_be_saved():
    doc = annotate(VTT)
    (again,) = DocBin().from_bytes(DocBin(docs=[doc], store_user_data=True).to_bytes()).get_docs(NLP.vocab)
    for copy in (again, Doc(NLP.vocab).from_bytes(doc.to_bytes()), next(NLP.pipe([doc.copy()]))):
        assert [sentence._.speaker for sentence in copy.sents] == [sentence._.speaker for sentence in doc.sents]
        assert [token._.end_time for token in copy] == [token._.end_time for token in doc]
        assert write_string(copy, "vtt") == write_string(doc, "vtt")


def test_transcripts_without_words_give_empty_documents_and_plain_text_is_not_changed():
    for format in FORMATS:
        assert len(annotate("", format)) == 0
    text = "Note: \r\n  two  spaces\n\n"
    transcript = read_string(text, "text")
    assert transcript.text == make_doc(NLP, transcript).text == text


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\nhi", "hi"),
        ("a.VTT", "WEBVTT\n\n00:01.000 --> 00:02.000\nhi", "hi"),
        ("a.json", '{"segments": [{"text": "hi"}]}', "hi"),
        ("a.txt", "ANNA: hi\nBEN: no\nANNA: bye", "hi\nno\nbye"),
        ("a.txt", "WEBVTT\n\n00:01.000 --> 00:02.000\nhi", "hi"),
        ("a", "1\n00:00:01,000 --> 00:00:02,000\nhi", "hi"),
        ("a.txt", "hi: nora", "hi: nora"),
        ("a.txt", "12\nhi", "12\nhi"),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_formats_are_known_by_suffix_or_content(tmp_path, name, content, words, mark):
    path = tmp_path / name
    path.write_bytes((mark + content).encode("utf8"))
    assert read(path).text == words


ENTRY = "The room was cold and the teacher spoke so fast that nobody understood"


# Lines that must begin a sentence are marked.
@pytest.mark.parametrize(
    "lines",
    [
        ["", "more examples", "> loved it", f"> {ENTRY}", "Nothing to add", "> It was fine", "", "Thanks"],
        [f"{ENTRY} who came without a book or a pen", "> No", "> @anna I see"],
        # Wrapped text that ends in a short line; captions; a sentence that goes on.
        [ENTRY, "anything, and that we could not see before the end of the second week", "of May"],
        ["so today we talk about", "the new bridge", "and how it was", "built"],
        [ENTRY, "loved it,", "nothing to add", "Yes"],
    ],
)
def test_entries_begin_sentences(lines):
    text = "\n".join(line.removeprefix("> ") for line in lines)
    doc = make_doc_of_text(NLP, text)
    found = [text[token.idx :].partition("\n")[0] for token in doc[1:] if token.is_sent_start]
    assert found == [line[2:] for line in lines if line.startswith("> ")]


def shout(doc):
    write_restored(doc, [token.text.upper() for token in doc])
    return doc


@pytest.fixture
def restore(monkeypatch):
    monkeypatch.setattr(documents, "run_disabled", lambda nlp, doc, factory: shout(doc))
    return lambda text: restore_marks(NLP, NLP(make_doc_of_text(NLP, text)))._.restored_text


def test_marks_are_restored_in_long_parts_without_any(restore):
    text = f"Hi Ben. We are well.\n\n{TALK}\n\nA heading\n\nThe car is old. It is red.\n\nBye for now\n"
    assert restore(text) == text.replace(TALK, TALK.upper())
    assert restore(TALK) == TALK.upper()
    # The full stops are no ends of sentences.
    assert restore("we saw Dr. Low and Mr. Wu") == "WE SAW DR. LOW AND MR. WU"
    # Turns with marks are left alone.
    text = f"ANNA: Hi. Are you well?\nBEN: {TALK}\nANNA: Good. I see\nBEN: ok\n"
    assert restore(text).split("\n") == ["Hi. Are you well?", TALK.strip().upper(), "Good. I see", "ok"]
    for text in ("write to anna@example.org", "BEN: [laughs] no\nANNA: [laughs] yes\n"):
        assert restore(text).isupper()


@pytest.mark.parametrize(
    "text",
    [
        "milk\neggs (12)\noat biscuits\nbread\n",
        "- milk\n- eggs\n- oat biscuits\n",
        "$ ls -l\ntotal 2\n-rw-r--r-- 1 nora nora 120 Mar 12 18:04 list.txt\n$ cat list.txt\nmilk\n$ exit\n",
        "for owl in owls:\n    feed(owl)\n    owl.sleep()\n",
        "2026-03-12 18:02 INFO main: started\n2026-03-12 18:03 WARN main: low memory\n",
        "owl,mass,found\ntawny,520,2019\nbarn,350,2021\n",
        "owl     mass    found\ntawny   520     2019\nbarn    350     2021\n",
        "snowy owl: white\nbarn owl: pale\ntawny owl: brown or grey, with dark eyes\n",
        "/usr/share/owls/barn\n/usr/share/owls/tawny\n",
    ],
)
def test_lists_tables_code_and_logs_are_left_alone(text, restore):
    assert restore(text) == text
    assert restore(f"{TALK}\n\n{text}") == f"{TALK.upper()}\n\n{text}"
    assert write_string(NLP(text), "text") == text


@pytest.mark.usefixtures("restore")
def test_speech_may_have_short_lines():
    text = "so we went\nhome it rained\nall day and we\nstayed in bed\n"
    nlp = spacy.blank("en")
    doc = make_doc_of_text(nlp, text)
    for token in doc[1:]:
        token.is_sent_start = token.text in ("it", "and")
    assert restore_marks(nlp, doc)._.restored_text == text.upper()


def test_files_that_cannot_be_read_are_refused(tmp_path):
    path = tmp_path / "a.srt"
    path.write_bytes(b"1\n00:00:01,000 --> 00:00:02,000\ncaf\xe9\n")
    with pytest.raises(ValueError, match=r"J403.*line 3"):
        read(path)
    with pytest.raises(FileNotFoundError, match="J402"):
        read(tmp_path / "missing.srt")
    with pytest.raises(ValueError, match=r"J040.*ass"):
        read_string("", "ass")


def test_attributes_that_exist_are_left_alone():
    code = (
        "from spacy.tokens import Token\nToken.set_extension('speaker', default='me')\n"
        "import spacy, spacy_joint.transcripts as t\nnlp = spacy.blank('en')\n"
        "doc = t.make_doc(nlp, t.read_string('ANNA: hi', 'turns'))\nprint(doc[0]._.speaker, doc[:]._.speaker)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout.split() == [b"ANNA"] * 2


SEGMENTS = st.builds(
    Segment,
    st.text("ab \n", max_size=5),
    st.sampled_from([None, "Anna", "Ben"]),
    begins_turn=st.booleans(),
    begins_paragraph=st.booleans(),
    is_sound=st.booleans(),
    is_speaker_unsure=st.just(False),
)


@given(st.lists(SEGMENTS, max_size=8))
def test_joined_segments_keep_all_words_and_turns_cover_them(segments):
    transcript = join(segments)
    assert "".join(transcript.text.split()) == "".join("".join(segment.text.split()) for segment in segments)
    assert "\n".join(turn.text for turn in transcript.turns) == transcript.text
    for turn in transcript.turns:
        assert turn.text and transcript.text[turn.start : turn.end] == turn.text
        assert turn.start in transcript.sentence_starts
    assert transcript.sentence_starts == sorted(set(transcript.sentence_starts))


LINES = st.sampled_from(
    (
        *("", "1", "27", "hi", "ANNA: hi", "WEBVTT", "NOTE x", "STYLE", "<v Ben>no", "- so", ">> go", "[LAUGHS]"),
        *("00:01.000 --> 00:02.000", "00:00:01,000 --> 00:00:02,000", "00:02.000 --> 00:01.000", "<00:01.500>x", "♪"),
    )
)


@settings(max_examples=300)
@given(st.lists(LINES, max_size=14), st.sampled_from(FORMATS))
def test_any_lines_are_read_or_refused_with_a_code(lines, format):
    try:
        transcript = read_string("\n".join(lines), format)
    except JointError as error:
        assert error.code in ("J460", "J461", "J462", "J463", "J464", "J465", "J467", "J468")
        return
    if format == "srt":
        # All words are read: what is left out are times, numbers, names and marks.
        assert transcript.text.count("x") == sum("x" in line for line in lines)
    for start in range(len(transcript.text)):
        times = transcript.find_times(start, start + 1)
        assert times is None or 0 <= times[0] <= times[1]


def test_pipelines_of_spacy_keep_speakers_too():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    doc = nlp(make_doc(nlp, read_string("ANNA: hi. bye.\nBEN: no.", "turns")))
    assert [token._.speaker for token in doc if token.text == "."] == ["ANNA", "ANNA", "BEN"]
