"""`annotate`: every format can be read back, and errors are one line."""

import gzip
import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import takewhile

import pytest
import spacy
import zstandard
from spacy.language import Language
from spacy.vocab import Vocab

import spacy_joint
from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.errors import JointWarning
from spacy_joint.pipes.streaming import stream_sentences

from .jackknifing import read_docs

TEXT = "hi nora it's me i'm late\n\nthey found another problem\fcall me  later bye\n"


@pytest.fixture
def text_file(write_text):
    return write_text("text.txt", TEXT)


@pytest.fixture
def annotate(run, saved_pipeline):
    def annotate(*arguments, **options):
        return run("annotate", "--model", saved_pipeline, *arguments, **options)

    return annotate


@pytest.fixture
def expected(saved_pipeline):
    return spacy.load(saved_pipeline)(TEXT)


def list_words(sentences):
    return [[token.text for token in sentence if not token.is_space] for sentence in sentences]


def describe(tokens):
    return [(t.text, t.tag_, t.dep_, t.lemma_, t.pos_, str(t.morph)) for t in tokens if not t.is_space]


def read_json_lines(printed):
    return [json.loads(line) for line in printed.splitlines()]


def test_conllu_is_printed_by_default_and_can_be_read_back(run, text_file, full_pipeline, tmp_path):
    output = tmp_path / "new" / "annotated.conllu"
    run("annotate", text_file, "--model", full_pipeline, "--output", output)
    expected = spacy.load(full_pipeline)(TEXT)
    (doc,) = read_conllu(output, Vocab())
    assert list_words(doc.sents) == list_words(expected.sents)
    assert describe(doc) == describe(expected)
    assert all(doc.has_annotation(name) for name in ("MORPH", "LEMMA", "POS"))
    assert run("annotate", text_file, "--model", full_pipeline).stdout == output.read_text(encoding="utf8")


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstandard.compress)])
def test_compressed_text_is_read(annotate, text_file, suffix, compress, tmp_path):
    compressed = tmp_path / f"text.txt{suffix}"
    compressed.write_bytes(compress(text_file.read_bytes()))
    assert annotate(compressed).stdout == annotate(text_file).stdout
    compressed.write_bytes(compressed.read_bytes()[:-5])
    result = annotate(compressed, fails=True)
    assert result.stdout == "" and "[J441]" in result.stderr and "ended before the end" in result.stderr


def test_json_has_one_document_per_line_with_offsets_into_its_text(annotate, text_file, expected):
    (line,) = annotate(text_file, "--format", "json").stdout.splitlines()
    document = json.loads(line)
    assert document["text"] == TEXT
    for sentence in document["sentences"]:
        for token in sentence["tokens"]:
            assert TEXT[token["start"] : token["end"]] == token["text"]
        assert [token["id"] for token in sentence["tokens"]] == list(range(1, len(sentence["tokens"]) + 1))
        assert [token["dep"] for token in sentence["tokens"] if not token["head"]] == ["ROOT"]
        first, last = sentence["tokens"][0], sentence["tokens"][-1]
        assert (sentence["start"], sentence["end"]) == (first["start"], last["end"])
    assert [[token["text"] for token in sentence["tokens"]] for sentence in document["sentences"]] == (
        list_words(expected.sents)
    )
    heads = [str(token["head"]) for sentence in document["sentences"] for token in sentence["tokens"]]
    rows = [line.split("\t") for line in annotate(text_file).stdout.splitlines() if line[:1].isdigit()]
    assert heads == [row[6] for row in rows]


def test_docbin_has_the_annotated_document_and_a_table_shows_each_sentence(annotate, text_file, expected, tmp_path):
    output = tmp_path / "annotated.spacy"
    annotate(text_file, "--format", "spacy", "-o", output)
    (doc,) = read_docs(output)
    assert doc.text == TEXT
    assert [token.head.i for token in doc] == [token.head.i for token in expected]
    assert [sentence.start for sentence in doc.sents] == [sentence.start for sentence in expected.sents]
    shown = annotate(text_file, "--format", "table").stdout
    assert shown.count("Sentence ") == len(list(expected.sents))
    rows = [line.split()[1:3] for line in shown.splitlines() if line.lstrip()[:1].isdigit()]
    assert rows == [[token.text, token.tag_] for token in expected if not token.is_space]


@pytest.mark.parametrize("format_", ["conllu", "json", "table", "text", "markdown", "srt", "vtt", "csv"])
def test_empty_text_is_not_an_error(annotate, format_):
    assert "Traceback" not in annotate("--format", format_, text="").output


def test_jsonl_has_one_sentence_per_line_and_lines_are_documents_on_request(annotate, text_file):
    (document,) = read_json_lines(annotate(text_file, "--format", "json").stdout)
    sentences = read_json_lines(annotate(text_file, "--format", "jsonl").stdout)
    assert [{"document": 1, "text": TEXT[s["start"] : s["end"]], **s} for s in document["sentences"]] == sentences
    documents = read_json_lines(annotate(text_file, "--lines", "-f", "json").stdout)
    assert [document["text"] for document in documents] == TEXT.removesuffix("\n").split("\n")
    numbers = [line["document"] for line in read_json_lines(annotate(text_file, "--lines", "-f", "jsonl").stdout)]
    assert numbers[0] == 1 and set(numbers) == {1, 3}
    starts = {line["start"] for line in read_json_lines(annotate(text_file, "-f", "jsonl", "--line-breaks").stdout)}
    assert TEXT.index("they found") in starts


LONG_TEXT = TEXT * 30


@pytest.mark.parametrize(
    ("source", "options"), [("-", "-f conllu"), ("-", "-f jsonl"), ("-", "--lines"), ("", "-f table"), ("", "-f json")]
)
def test_standard_input_gives_the_same_as_a_file(annotate, write_text, source, options):
    path = write_text("long.txt", LONG_TEXT)
    printed = annotate(*source.split(), *options.split(), text=LONG_TEXT).stdout
    assert printed == annotate(path, *options.split()).stdout


@pytest.fixture
def live(start, saved_pipeline):
    """Start `annotate -`, write a text to it, and leave the pipe open."""

    def live(*arguments, text=LONG_TEXT):
        process = start("annotate", "-", "-m", saved_pipeline, *arguments, stdin=subprocess.PIPE)
        process.stdin.write(text.encode())
        process.stdin.flush()
        return process

    return live


@pytest.mark.parametrize("arguments", [["--format", "table"], [], ["--lines", "--format", "json"]])
def test_sentences_are_printed_before_the_input_ends(live, arguments):
    process = live(*arguments)
    assert process.stdout.readline().strip()
    process.stdin.close()
    assert process.stdout.read().strip() and process.wait() == 0


def test_with_line_breaks_each_line_is_printed_when_it_ends(live):
    process = live("--format", "jsonl", "--line-breaks", text="")
    for line in ("hi nora", "it's me", "ok", "call me later bye"):
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
        text = ""
        while text != line:
            text += (" " if text else "") + json.loads(process.stdout.readline())["text"]
    process.stdin.close()
    assert process.stdout.read() == b"" and process.wait() == 0


def test_pending_words_are_printed_and_replaced_and_sooner_final_with_a_shorter_delay(annotate):
    arguments = ("-", "-f", "jsonl", "--partial")
    printed, sooner = (
        read_json_lines(annotate(*arguments, *options, text=LONG_TEXT).stdout) for options in ([], ["--max-delay", 8])
    )
    kept = []
    for line in printed:
        kept = [other for other in kept if not (other.get("partial") and other["start"] >= line["start"])]
        kept.append(line)
    assert kept == read_json_lines(annotate("-", "-f", "jsonl", text=LONG_TEXT).stdout)
    assert kept != printed and not printed[-1].get("partial")
    assert sum("partial" in line for line in printed) > sum("partial" in line for line in sooner) > 0


def test_the_last_pending_sentence_has_the_probability_that_it_has_ended(run):
    text = "where is it\ni left it on the\n"
    printed = read_json_lines(run("annotate", "-", "-f", "jsonl", "--partial", text=text).stdout)
    pending = [line for line in printed if line.get("partial")]
    assert [line["text"] for line in pending if "end_probability" in line][-1].endswith("i left it on the")
    assert 0 <= pending[-1]["end_probability"] <= 1
    assert not any("end_probability" in line for line in printed if not line.get("partial"))


@pytest.mark.skipif(sys.platform == "win32", reason="has other signals")
def test_an_interrupt_while_waiting_ends_the_input(live, annotate, saved_pipeline):
    ended = []

    def read():
        yield from LONG_TEXT.splitlines(keepends=True)
        ended.append(True)

    final = list(takewhile(lambda _: not ended, stream_sentences(read(), spacy.load(saved_pipeline))))
    process = live("--format", "jsonl")
    printed = [process.stdout.readline() for _ in final]
    # It is about to wait for more.
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    printed += process.stdout.readlines()
    assert b"".join(printed).decode() == annotate("-", "-f", "jsonl", text=LONG_TEXT).stdout
    assert (process.stderr.read(), process.wait()) == (b"", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such pipes")
def test_a_reader_that_closes_the_pipe_ends_live_input_quietly(live):
    process = live("--format", "jsonl")
    assert process.stdout.readline()
    process.stdout.close()
    with suppress(BrokenPipeError):
        process.stdin.write(100 * LONG_TEXT.encode())
        process.stdin.close()
    assert process.stderr.read() == b"" and process.wait() == 1


def test_pipelines_that_cannot_stream_annotate_standard_input_too(annotate, save_pipeline):
    printed = annotate("-", "-f", "jsonl", "-m", save_pipeline("sentencizer"), text="Hi there. Bye.").stdout
    assert [sentence["text"] for sentence in read_json_lines(printed)] == ["Hi there.", "Bye."]


VTT = "WEBVTT\n\n00:01.000 --> 00:03.000\n<v Anna>hi nora it's me\n\n00:03.000 --> 00:04.000\n<v Ben>call me bye\n"


@pytest.fixture
def transcript(write_text):
    return write_text("talk.vtt", VTT)


def test_all_formats_have_speakers_and_times_which_are_no_words(annotate, transcript, tmp_path):
    sentences = read_json_lines(annotate(transcript, "-f", "jsonl").stdout)
    words = [token["text"] for sentence in sentences for token in sentence["tokens"]]
    assert words == ["hi", "nora", "it", "'s", "me", "call", "me", "bye"]
    assert {sentence["speaker"] for sentence in sentences} == {"Anna", "Ben"}
    assert (sentences[0]["start_time"], sentences[-1]["end_time"]) == (1.0, 4.0)
    printed = annotate(transcript).stdout
    assert "# speaker = Anna\n# start_time = 1.0\n" in printed and "# end_time = 4.0\n" in printed
    assert "(Anna, 00:00:01.000 - " in annotate(transcript, "-f", "table").stdout
    (document,) = read_json_lines(annotate(transcript, "-f", "json").stdout)
    assert document["text"] == "hi nora it's me\ncall me bye" and document["sentences"][-1]["speaker"] == "Ben"
    annotate(transcript, "-f", "spacy", "-o", tmp_path / "talk.spacy")
    (doc,) = read_docs(tmp_path / "talk.spacy")
    assert [sentence._.speaker for sentence in doc.sents][-1] == "Ben"


@pytest.mark.filterwarnings("ignore:.*JW49")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["text"], "[00:00:01] Anna: hi nora"),
        (["markdown"], "**[00:00:01] Anna:** hi nora"),
        (["srt"], "1\n00:00:01,000 --> 00:00:03,000\nAnna: hi nora it's me\n\n2\n"),
        (["vtt"], VTT),
        (["csv"], "start,end,speaker,text\n1.000,"),
        (["csv", "--rows", "word"], ",Anna,hi\n"),
        (["text", "--wrap", "12"], "[00:00:01]\nAnna: hi"),
        (["vtt", "--max-width", "7"], "<v Anna>hi nora\nit's me\n"),
        (["srt", "--recut", "--min-seconds", "2"], "00:00:01,000 --> 00:00:03,000\n"),
    ],
)
def test_transcripts_are_written_for_people_and_players(annotate, transcript, arguments, expected):
    assert expected in annotate(transcript, "-f", *arguments).stdout


def test_text_of_several_documents_is_separated(annotate, write_text):
    path = write_text("lines.txt", "Hi.\nBye.\n")
    assert annotate(path, "-f", "text", "--lines").stdout == "Hi.\n\nBye.\n"
    assert annotate(path, "-f", "csv", "--lines").stdout == "start,end,speaker,text\n,,,Hi.\n,,,Bye.\n"


def test_transcripts_are_recognised_or_their_format_is_given(annotate, transcript, write_text, tmp_path):
    printed = annotate(transcript).stdout
    path = transcript.rename(tmp_path / "talk.dat")
    assert printed == annotate(path, "--format-in", "vtt").stdout == annotate("-", text=VTT).stdout
    assert "WEBVTT" in annotate(path, "--format-in", "text").stdout
    assert "\tHi\t" in annotate(write_text("a.conllu", "Hi"), "--format-in", "text").stdout
    assert "# start_time = 1.0" in annotate("-", text="1\n00:00:01,000 --> 00:00:02,000\nhi\n").stdout
    assert "[J716]" in annotate("-", "--max-delay", 9, text=VTT, fails=True).stderr
    assert "# speaker = ANNA" in annotate("-", "--format-in", "turns", text="ANNA: hi").stdout
    # Several turns need no format where standard input is read to its end.
    text = "ANNA: hi nora\n\nNORA: it's me\n"
    assert annotate("-", "-f", "text", text=text).stdout == text


def test_a_byte_order_mark_is_not_text_and_other_encodings_are_refused_with_the_line(annotate):
    assert json.loads(annotate("-f", "json", text=b"\xef\xbb\xbfhi").stdout)["text"] == "hi"
    result = annotate(text=b"hi\ncaf\xe9 now\n", fails=True)
    assert "[J403]" in result.stderr and "line 2" in result.stderr and "0xe9" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="has no /dev/stdout")
def test_devices_are_written_to_instead_of_replaced(start, annotate, text_file, saved_pipeline):
    process = start("annotate", text_file, "-m", saved_pipeline, "-o", "/dev/stdout")
    assert process.stdout.read().decode() == annotate(text_file).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="has no such pipes")
def test_a_reader_that_closes_the_pipe_ends_it_quietly(start, saved_pipeline, write_text):
    text = write_text("long.txt", "hi nora it's me\n" * 5000)
    process = start("annotate", text, "--lines", "-m", saved_pipeline)
    assert process.stdout.readline().startswith(b"# newdoc")
    process.stdout.close()
    assert process.stderr.read() == b""


def test_load_sets_the_beam_width_of_all_components_that_have_one(saved_pipeline, save_pipeline, monkeypatch):
    nlp = spacy_joint.load(saved_pipeline, beam_width=3, exclude=["sequence_tagger"])
    assert nlp.get_pipe("joint_sbd_parser").perceptron.beam_width == 3
    assert nlp.pipe_names == ["joint_sbd_parser"]
    assert spacy_joint.load(str(saved_pipeline)).get_pipe("sequence_tagger").perceptron.beam_width == 4
    Language.factory("foreign", default_config={"model": "some/name"}, func=lambda nlp, name, model: lambda doc: doc)
    again = spacy_joint.load(save_pipeline("quotation_spans", "prenominal_orderer", "foreign"), beam_width=3)
    for factory in ("quotation_spans", "prenominal_orderer"):
        assert again.get_pipe(factory).perceptron.beam_width == 3
    with pytest.raises(ValueError, match="J401"):
        spacy_joint.load(save_pipeline(), beam_width=3)
    monkeypatch.setattr(spacy_joint, "PRETRAINED", "xx_not_installed")
    with pytest.raises(OSError, match="J400"):
        spacy_joint.load()


@pytest.mark.parametrize("command", ["annotate", "quotes"])
def test_text_in_another_language_has_one_warning(run, write_text, command):
    path = write_text("german.txt", "Der Hund schläft heute wieder sehr lange.\n" * 2)
    with pytest.warns(JointWarning, match=r"^\[JW50\]") as warned:
        run(command, path, "--lines")
    assert len(warned) == 1
