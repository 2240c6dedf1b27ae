"""`spacy joint learn-speakers`: who speaks, learnt from annotated quotations and from hidden names."""

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
    (novels / "a.txt").write_text(NOVEL * 3, encoding="utf8")
    return novels


def test_a_pipeline_says_who_speaks_as_it_has_learnt(run, corpus, novels, tmp_path):
    outputs = [tmp_path / name for name in ("first", "second")]
    for output in outputs:
        run("learn-speakers", corpus, output, "--novels", novels, "--seed", 1)
    learnt = [(output / "quotation_spans" / "speakers").read_bytes() for output in outputs]
    assert learnt[0] == learnt[1]
    nlp = spacy.load(outputs[0])
    doc = nlp(NOVEL + "\n“Why?”\n")
    assert doc._.quotations[-1].character.id in ("Ann", "Bob") and doc._.quotations[-1].is_inferred
    assert nlp.get_pipe("quotation_spans").speaker_model.to_bytes() == learnt[0]


def test_a_corpus_without_speakers_is_refused(run, corpus, tmp_path):
    (corpus / "a.ann").write_text("", encoding="utf8")
    assert "[J330]" in run("learn-speakers", corpus, tmp_path / "output", fails=True).stderr
    assert not (tmp_path / "output").exists()
