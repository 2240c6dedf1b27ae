"""`annotate`: every format can be read back, and errors are one line."""

import json
import subprocess
import sys

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.vocab import Vocab

import spacy_joint
from spacy_joint.corpora.conllu import read_conllu

TEXT = "hi nora it's me i'm late\n\nthey found another problem\fcall me  later bye\n"


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf8")
    return path


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


def test_conllu_can_be_read_back(annotate, text_file, expected, tmp_path):
    output = tmp_path / "new" / "annotated.conllu"
    annotate(text_file, "--output", output)
    (doc,) = read_conllu(output, Vocab())
    assert [[token.text for token in sentence] for sentence in doc.sents] == list_words(expected.sents)
    assert [token.dep_ for token in doc] == [token.dep_ for token in expected if not token.is_space]


def test_conllu_is_printed_by_default(annotate, text_file, tmp_path):
    output = tmp_path / "annotated.conllu"
    annotate(text_file, "--output", output)
    assert annotate(text_file).stdout == output.read_text(encoding="utf8")


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


def test_lines_are_documents_on_request(annotate, text_file, saved_pipeline):
    lines = TEXT.removesuffix("\n").split("\n")
    documents = [json.loads(line) for line in annotate(text_file, "--format", "json", "--lines").stdout.splitlines()]
    assert [document["text"] for document in documents] == lines


def test_standard_input_is_read_by_default(annotate, text_file):
    assert annotate("--format", "json", text=TEXT).stdout == annotate(text_file, "--format", "json").stdout
    assert annotate("-", "--lines", text=TEXT).stdout == annotate(text_file, "--lines").stdout


@pytest.mark.parametrize("format_", ["conllu", "json", "table"])
def test_empty_text_is_not_an_error(annotate, format_):
    assert "Traceback" not in annotate("--format", format_, text="").output


def test_a_byte_order_mark_is_not_text(annotate):
    assert json.loads(annotate("-f", "json", text=b"\xef\xbb\xbfhi").stdout)["text"] == "hi"


def test_text_longer_than_the_limit_of_spacy_is_annotated(annotate, saved_pipeline, monkeypatch):
    monkeypatch.setattr(spacy.language.Language, "max_length", 10, raising=False)
    assert "bye" in annotate(text=TEXT).stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["missing.txt"], "J402"),
        (["--format", "xml"], "J404"),
        (["--format", "spacy"], "J405"),
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


def test_a_pipeline_without_sentences_is_refused(run, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    assert "[J406]" in run("annotate", "-m", tmp_path / "blank", text="hi there", fails=True).stderr


def test_a_failure_keeps_the_earlier_output(annotate, tmp_path):
    output = tmp_path / "annotated.conllu"
    output.write_text("before", encoding="utf8")
    annotate("--lines", "--output", output, text=b"hi there\n\xff\n", fails=True)
    assert output.read_text(encoding="utf8") == "before"
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.skipif(sys.platform == "win32", reason="has no /dev/stdout")
def test_devices_are_written_to_instead_of_replaced(text_file, saved_pipeline):
    command = [sys.executable, "-m", "spacy", "joint", "annotate", text_file, "-m", saved_pipeline]
    printed = subprocess.run(command, check=True, capture_output=True).stdout
    assert subprocess.run([*command, "-o", "/dev/stdout"], check=True, capture_output=True).stdout == printed


@pytest.mark.skipif(sys.platform == "win32", reason="has no such pipes")
def test_a_reader_that_closes_the_pipe_ends_it_quietly(saved_pipeline, tmp_path):
    text = tmp_path / "long.txt"
    text.write_text("hi nora it's me\n" * 5000, encoding="utf8")
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


def test_load_reports_that_the_package_has_no_pipeline(monkeypatch, tmp_path):
    monkeypatch.setattr(spacy_joint, "PRETRAINED", tmp_path)
    with pytest.raises(OSError, match="J400"):
        spacy_joint.load()
