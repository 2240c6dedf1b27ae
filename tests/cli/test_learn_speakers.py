"""`spacy joint learn-speakers`: who speaks, learnt from excerpts and whole novels with annotated speakers."""

import json

import pytest
import spacy

TEXT = """Ann met Bob in the garden .
“ It is late , ” said Ann .
“ Is it ? ”
“ It is , Bob . ”
“ We go home , ” said Bob .
“ Why ? ” she asked .
"""
ANNOTATION = [(1, 0, 5, "Ann-0"), (2, 0, 4, "Bob-1"), (3, 0, 6, "Ann-0"), (4, 0, 5, "Bob-1"), (5, 0, 3, "Ann-0")]
NOVEL = "Ann met Bob. She was tired.\n\n“It is late,” said Ann.\n\n“Is it?” asked Bob.\n\n“It is,” said Ann.\n"


@pytest.fixture
def corpus(tmp_path):
    corpus = tmp_path / "litbank"
    corpus.mkdir()
    (corpus / "a.txt").write_text(TEXT, encoding="utf8")
    lines = TEXT.splitlines()
    annotation = ""
    for k, (line, first, last, speaker) in enumerate(ANNOTATION):
        words = " ".join(lines[line].split()[first : last + 1])
        annotation += f"QUOTE\tQ{k}\t{line}\t{first}\t{line}\t{last}\t{words}\nATTRIB\tQ{k}\t{speaker}\n"
    (corpus / "a.ann").write_text(annotation, encoding="utf8")
    return corpus


@pytest.fixture
def novels(tmp_path):
    novels = tmp_path / "novels"
    novels.mkdir()
    (novels / "a.txt").write_text(NOVEL, encoding="utf8")
    spoken = {"“It is late,”": "Ann Lee", "“Is it?”": "Bob", "“It is,”": "Ann Lee"}
    quotations = [[NOVEL.index(text), NOVEL.index(text) + len(text), name] for text, name in spoken.items()]
    labels = {"a": {"characters": {"Ann Lee": ["Ann"], "Bob": []}, "quotations": quotations}}
    (tmp_path / "labels.json").write_text(json.dumps(labels), encoding="utf8")
    return novels


def test_a_pipeline_says_who_speaks_as_it_has_learnt(run, corpus, novels, tmp_path):
    outputs = [tmp_path / name for name in ("first", "second", "without")]
    whole = ("--novels", novels, "--labels", tmp_path / "labels.json")
    for output, options in zip(outputs, (whole, whole, ()), strict=True):
        run("learn-speakers", corpus, output, *options, "--seed", 1)
    learnt = [(output / "quotation_spans" / "speakers").read_bytes() for output in outputs]
    assert learnt[0] == learnt[1] != learnt[2]
    nlp = spacy.load(outputs[0])
    doc = nlp(NOVEL + "\n“Why?”\n")
    assert doc._.quotations[-1].character.id in ("Ann", "Bob") and doc._.quotations[-1].is_inferred
    assert nlp.get_pipe("quotation_spans").speaker_model.to_bytes() == learnt[0]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("[]", "J332"),
        ("{", "J332"),
        ('{"a": {"characters": {}, "quotations": [[0, 1, "Ann"]]}}', "J332"),
        ('{"a": {"characters": {"Ann": []}, "quotations": [[0, 1, "Ann"]]}}', "J333"),
        ('{"b": {"characters": {}, "quotations": []}}', "J402"),
        # A corpus without speakers.
        (None, "J330"),
    ],
)
def test_labels_that_do_not_fit_and_missing_ones_are_refused(run, corpus, novels, write_text, tmp_path, content, code):
    options = ()
    if content:
        options = ("--novels", novels, "--labels", write_text("labels.json", content))
    else:
        (corpus / "a.ann").write_text("", encoding="utf8")
    assert f"[{code}]" in run("learn-speakers", corpus, tmp_path / "output", *options, fails=True).stderr
    assert not (tmp_path / "output").exists()
