"""`annotate`: every format can be read back, and errors are one line."""

import gzip
import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from itertools import takewhile

import pytest
import spacy
import zstandard
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.vocab import Vocab

import spacy_joint
from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.errors import JointWarning
from spacy_joint.pipes.streaming import stream_sentences

TEXT = "hi nora it's me i'm late\n\nthey found another problem\fcall me  later bye\n"


@pytest.fixture
def text_file(write_text):
    return write_text("text.txt", TEXT)


@pytest.fixture
def annotate(run, saved_pipeline):
    def annotate(*arguments, **options):
        return run("annotate", *arguments, "--model", saved_pipeline, **options)

    return annotate


@pytest.fixture
def expected(saved_pipeline):
    return spacy.load(saved_pipeline)(TEXT)


def list_words(sentences):
    return [[token.text for token in sentence if not token.is_space] for sentence in sentences]


def describe(tokens):
    return [(t.text, t.tag_, t.dep_, t.lemma_, t.pos_, str(t.morph)) for t in tokens if not t.is_space]


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


def test_files_of_many_texts_are_for_annotate_corpus(annotate, tmp_path):
    for name in ("a.jsonl", "a.csv.gz", "a.parquet", "a.wet"):
        (tmp_path / name).write_bytes(b"x")
        result = annotate(tmp_path / name, fails=True)
        assert "[J718]" in result.stderr and "annotate-corpus" in result.stderr


@pytest.mark.parametrize("name", ["a.conllu", "a.spacy", "a.ptb", "a.export"])
def test_annotated_corpora_are_for_convert(annotate, write_text, tmp_path, name):
    (tmp_path / f"{name}.gz").touch()
    path = write_text(name, "1\tHi\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    for file in (name, f"{name}.gz"):
        result = annotate(tmp_path / file, fails=True)
        assert "[J718]" in result.stderr and "convert" in result.stderr
    assert "\tHi\t" in annotate(path, "--format-in", "text").stdout


@pytest.mark.parametrize("format", ["json", "jsonl", "srt"])
def test_the_suffix_of_the_output_fits_its_format(annotate, text_file, tmp_path, format):
    output = tmp_path / f"annotated.{format}"
    assert f"{output.name} requires --format {format}." in annotate(text_file, "-o", output, fails=True).stderr
    assert not output.exists()


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
    found = [[token["text"] for token in sentence["tokens"]] for sentence in document["sentences"]]
    assert found == list_words(expected.sents)


def test_json_and_conllu_have_the_same_heads(annotate, text_file):
    document = json.loads(annotate(text_file, "--format", "json").stdout)
    heads = [str(token["head"]) for sentence in document["sentences"] for token in sentence["tokens"]]
    rows = [line.split("\t") for line in annotate(text_file).stdout.splitlines() if line[:1].isdigit()]
    assert heads == [row[6] for row in rows]


def test_docbin_has_the_annotated_document(annotate, text_file, expected, tmp_path):
    output = tmp_path / "annotated.spacy"
    annotate(text_file, "--format", "spacy", "-o", output)
    (doc,) = DocBin().from_disk(output).get_docs(Vocab())
    assert doc.text == TEXT
    assert [token.head.i for token in doc] == [token.head.i for token in expected]
    assert [sentence.start for sentence in doc.sents] == [sentence.start for sentence in expected.sents]


def test_table_shows_each_sentence(annotate, text_file, expected):
    shown = annotate(text_file, "--format", "table").stdout
    assert shown.count("Sentence ") == len(list(expected.sents))
    assert [line.split()[1:3] for line in shown.splitlines() if line.lstrip()[:1].isdigit()] == [
        [token.text, token.tag_] for token in expected if not token.is_space
    ]


def test_lines_are_documents_on_request(annotate, text_file):
    lines = TEXT.removesuffix("\n").split("\n")
    documents = read_json_lines(annotate(text_file, "--format", "json", "--lines").stdout)
    assert [document["text"] for document in documents] == lines


@pytest.mark.parametrize("format_", ["conllu", "json", "table", "text", "markdown", "srt", "vtt", "csv"])
def test_empty_text_is_not_an_error(annotate, format_):
    assert "Traceback" not in annotate("--format", format_, text="").output


def test_a_byte_order_mark_is_not_text(annotate):
    assert json.loads(annotate("-f", "json", text=b"\xef\xbb\xbfhi").stdout)["text"] == "hi"


def read_json_lines(printed):
    return [json.loads(line) for line in printed.splitlines()]


def test_jsonl_has_one_sentence_per_line(annotate, text_file):
    (document,) = read_json_lines(annotate(text_file, "--format", "json").stdout)
    sentences = read_json_lines(annotate(text_file, "--format", "jsonl").stdout)
    assert [{"document": 1, "text": TEXT[s["start"] : s["end"]], **s} for s in document["sentences"]] == sentences
    numbers = [line["document"] for line in read_json_lines(annotate(text_file, "--lines", "-f", "jsonl").stdout)]
    assert numbers[0] == 1 and set(numbers) == {1, 3}


LONG_TEXT = TEXT * 30


@pytest.mark.parametrize(
    ("source", "options"), [("-", "-f conllu"), ("-", "-f jsonl"), ("-", "--lines"), ("", "-f table"), ("", "-f json")]
)
def test_standard_input_gives_the_same_as_a_file(annotate, write_text, source, options):
    path = write_text("long.txt", LONG_TEXT)
    printed = annotate(*source.split(), *options.split(), text=LONG_TEXT).stdout
    assert printed == annotate(path, *options.split()).stdout


@pytest.fixture
def live(saved_pipeline):
    """Start `annotate -`, write a text to it, and leave the pipe open."""
    started = []

    def live(*arguments, text=LONG_TEXT):
        command = [sys.executable, "-m", "spacy", "joint", "annotate", "-", "-m", str(saved_pipeline), *arguments]
        # A process that runs in the background ignores Ctrl-C, and so would those that it starts.
        heed = None if sys.platform == "win32" else partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        started.append(subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, preexec_fn=heed))
        started[-1].stdin.write(text.encode())
        started[-1].stdin.flush()
        return started[-1]

    yield live
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            with suppress(BrokenPipeError):
                pipe.close()


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


def test_line_breaks_end_sentences_of_files_too(annotate, text_file):
    starts = {line["start"] for line in read_json_lines(annotate(text_file, "-f", "jsonl", "--line-breaks").stdout)}
    assert TEXT.index("they found") in starts


def test_pending_words_are_printed_and_replaced(annotate):
    printed = read_json_lines(annotate("-", "-f", "jsonl", "--partial", text=LONG_TEXT).stdout)
    kept = []
    for line in printed:
        kept = [other for other in kept if not (other.get("partial") and other["start"] >= line["start"])]
        kept.append(line)
    assert kept == read_json_lines(annotate("-", "-f", "jsonl", text=LONG_TEXT).stdout)
    assert kept != printed and not printed[-1].get("partial")


def test_the_last_pending_sentence_has_the_probability_that_it_has_ended(run):
    printed = read_json_lines(
        run("annotate", "-", "-f", "jsonl", "--partial", text="where is it\ni left it on the\n").stdout
    )
    pending = [line for line in printed if line.get("partial")]
    assert [line["text"] for line in pending if "end_probability" in line][-1].endswith("i left it on the")
    assert 0 <= pending[-1]["end_probability"] <= 1
    assert not any("end_probability" in line for line in printed if not line.get("partial"))


def test_a_shorter_delay_prints_sentences_earlier(annotate):
    arguments = ("-", "-f", "jsonl", "--partial")
    counts = []
    for options in ([], ["--max-delay", 8]):
        printed = read_json_lines(annotate(*arguments, *options, text=LONG_TEXT).stdout)
        counts.append(sum(bool(line.get("partial")) for line in printed))
    assert counts[0] > counts[1] > 0


@pytest.mark.parametrize(
    ("arguments", "text", "code"),
    [
        (("-", "--partial"), "hi", "J716"),
        (("-", "--partial", "-f", "jsonl", "-o", "x.jsonl"), "hi", "J716"),
        (("-", "--max-delay", 9, "-f", "json"), "hi", "J716"),
        (("FILE", "--max-delay", 9), "", "J716"),
        (("-", "--max-delay", 9, "--lines"), "hi", "J155"),
        (("-", "--line-breaks", "--lines"), "hi", "J155"),
        (("-", "--max-delay", 9), "WEBVTT\n\n00:01.000 --> 00:03.000\nhi\n", "J716"),
    ],
)
def test_live_options_that_do_not_fit_are_refused(annotate, text_file, arguments, text, code):
    arguments = [text_file if argument == "FILE" else argument for argument in arguments]
    assert f"[{code}]" in annotate(*arguments, text=text, fails=True).stderr


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


def test_pipelines_that_cannot_stream_annotate_standard_input_too(run, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "pipeline")
    printed = run("annotate", "-", "-f", "jsonl", "-m", tmp_path / "pipeline", text="Hi there. Bye.").stdout
    assert [sentence["text"] for sentence in read_json_lines(printed)] == ["Hi there.", "Bye."]


VTT = "WEBVTT\n\n00:01.000 --> 00:03.000\n<v Anna>hi nora it's me\n\n00:03.000 --> 00:04.000\n<v Ben>call me bye\n"


@pytest.fixture
def transcript(write_text):
    return write_text("talk.vtt", VTT)


def test_names_and_times_are_no_words_but_go_with_sentences(annotate, transcript):
    sentences = read_json_lines(annotate(transcript, "-f", "jsonl").stdout)
    assert [token["text"] for sentence in sentences for token in sentence["tokens"]] == (
        ["hi", "nora", "it", "'s", "me", "call", "me", "bye"]
    )
    assert {sentence["speaker"] for sentence in sentences} == {"Anna", "Ben"}
    assert (sentences[0]["start_time"], sentences[-1]["end_time"]) == (1.0, 4.0)


def test_all_formats_have_speakers_and_times(annotate, transcript, tmp_path):
    printed = annotate(transcript).stdout
    assert "# speaker = Anna\n# start_time = 1.0\n" in printed and "# end_time = 4.0\n" in printed
    assert "(Anna, 00:00:01.000 - " in annotate(transcript, "-f", "table").stdout
    (document,) = read_json_lines(annotate(transcript, "-f", "json").stdout)
    assert document["text"] == "hi nora it's me\ncall me bye" and document["sentences"][-1]["speaker"] == "Ben"
    annotate(transcript, "-f", "spacy", "-o", tmp_path / "talk.spacy")
    (doc,) = DocBin().from_disk(tmp_path / "talk.spacy").get_docs(Vocab())
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


def test_turns_are_recognised_on_standard_input_where_it_is_read_to_its_end(annotate):
    text = "ANNA: hi nora\nNORA: it's me\n"
    assert annotate("-", "-f", "text", text=text).stdout == "ANNA: hi nora\n\nNORA: it's me\n"


def test_the_format_can_be_given(annotate, transcript, tmp_path):
    path = transcript.rename(tmp_path / "talk.dat")
    assert annotate(path, "--format-in", "vtt").stdout == annotate(path).stdout
    assert "WEBVTT" in annotate(path, "--format-in", "text").stdout
    assert "# speaker = ANNA" in annotate("-", "--format-in", "turns", text="ANNA: hi").stdout


def test_captions_are_recognised_on_standard_input(annotate, transcript):
    assert annotate("-", text=VTT).stdout == annotate(transcript).stdout
    srt = "1\n00:00:01,000 --> 00:00:02,000\nhi\n"
    assert "# start_time = 1.0" in annotate("-", text=srt).stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--format-in", "ass"], "J040"),
        (["--format-in", "vtt", "--lines"], "J155"),
        (["--format-in", "turns"], "J468"),
        (["missing.txt"], "J402"),
        (["--format", "xml"], "J040"),
        (["--format", "spacy"], "J716"),
        (["--format", "srt"], "J470"),
        (["--format", "srt", "--max-width", "0"], "J030"),
        (["--format", "text", "--max-width", "40"], "J716"),
        (["--wrap", "40"], "J716"),
        (["--format", "csv", "--rows", "line"], "J040"),
        (["--model", "missing"], "E050"),
        (["--beam-width", "0"], "J030"),
    ],
)
def test_errors_in_arguments_are_one_line(run, saved_pipeline, arguments, code):
    model = [] if "--model" in arguments else ["--model", saved_pipeline]
    result = run("annotate", *arguments, *model, text="hi", fails=True)
    assert f"[{code}]" in result.stderr
    assert not result.stdout


def test_other_encodings_are_refused_with_the_line(annotate):
    result = annotate(text=b"hi\ncaf\xe9 now\n", fails=True)
    assert "[J403]" in result.stderr and "line 2" in result.stderr and "0xe9" in result.stderr


@pytest.mark.parametrize(("options", "code"), [([], "J336"), (["-", "--line-breaks"], "J129")])
def test_a_pipeline_without_sentences_is_refused(run, tmp_path, options, code):
    spacy.blank("en").to_disk(tmp_path / "blank")
    assert f"[{code}]" in run("annotate", *options, "-m", tmp_path / "blank", text="hi there", fails=True).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="has no /dev/stdout")
def test_devices_are_written_to_instead_of_replaced(annotate, text_file, saved_pipeline):
    command = [sys.executable, "-m", "spacy", "joint", "annotate", text_file, "-m", saved_pipeline, "-o", "/dev/stdout"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf8").stdout
    assert printed == annotate(text_file).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="has no such pipes")
def test_a_reader_that_closes_the_pipe_ends_it_quietly(saved_pipeline, write_text):
    text = write_text("long.txt", "hi nora it's me\n" * 5000)
    command = [sys.executable, "-m", "spacy", "joint", "annotate", text, "--lines", "-m", saved_pipeline]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().startswith(b"# newdoc")
        process.stdout.close()
        assert process.stderr.read() == b""


def test_load_sets_the_beam_width_of_all_components(saved_pipeline):
    nlp = spacy_joint.load(saved_pipeline, beam_width=3, exclude=["sequence_tagger"])
    assert nlp.get_pipe("joint_sbd_parser").perceptron.beam_width == 3
    assert nlp.pipe_names == ["joint_sbd_parser"]
    assert spacy_joint.load(str(saved_pipeline)).get_pipe("sequence_tagger").perceptron.beam_width == 4


def test_load_sets_the_beam_width_of_quotations_and_orders_beside_foreign_components(tmp_path):
    nlp = spacy.blank("en")
    Language.factory("foreign", default_config={"model": "some/name"}, func=lambda nlp, name, model: lambda doc: doc)
    for factory in ("quotation_spans", "prenominal_orderer", "foreign"):
        nlp.add_pipe(factory)
    nlp.to_disk(tmp_path)
    again = spacy_joint.load(tmp_path, beam_width=3)
    for factory in ("quotation_spans", "prenominal_orderer"):
        assert again.get_pipe(factory).perceptron.beam_width == 3


def test_load_refuses_a_beam_width_for_pipelines_without_a_beam(tmp_path):
    spacy.blank("en").to_disk(tmp_path)
    with pytest.raises(ValueError, match="J401"):
        spacy_joint.load(tmp_path, beam_width=3)


def test_load_reports_that_the_pretrained_pipeline_is_not_installed(monkeypatch):
    monkeypatch.setattr(spacy_joint, "PRETRAINED", "xx_not_installed")
    with pytest.raises(OSError, match="J400"):
        spacy_joint.load()


def test_text_in_another_language_has_one_warning(run, write_text):
    path = write_text("german.txt", "Der Hund schläft heute wieder sehr lange.\n" * 2)
    with pytest.warns(JointWarning, match=r"^\[JW50\]") as warned:
        run("annotate", path, "--lines")
    assert len(warned) == 1
