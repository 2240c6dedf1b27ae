"""LitBank's quotations."""

import pytest
from spacy.vocab import Vocab

from spacy_joint.corpora.litbank import read_litbank

TEXT = "It rained .\n“ We go , ” she said .\n"


@pytest.fixture
def read(tmp_path):
    def read(annotation):
        (tmp_path / "a.txt").write_text(TEXT, encoding="utf8")
        (tmp_path / "a.ann").write_text(annotation, encoding="utf8")
        (doc,) = read_litbank(tmp_path, Vocab())
        return doc

    return read


def test_quotations_have_their_speaker(read):
    doc = read("QUOTE\tQ1\t1\t0\t1\t4\t“ We go , ”\nATTRIB\tQ1\tAnn-3\n")
    (span,) = doc.spans["quotations"]
    assert (span.text, span.label_, span.id_, span.kb_id_) == ("“ We go , ”", "DIRECT", "Q1", "Ann-3")
    assert [sentence.start for sentence in doc.sents] == [0, 3]


def test_only_line_breaks_end_sentences(tmp_path):
    (tmp_path / "a.txt").write_text("It\u2028 rained\x0c .\n“ Yes . ”\n", encoding="utf8")
    (tmp_path / "a.ann").write_text("QUOTE\tQ1\t1\t0\t1\t3\t“ Yes . ”\n", encoding="utf8")
    (doc,) = read_litbank(tmp_path, Vocab())
    assert [span.text for span in doc.spans["quotations"]] == ["“ Yes . ”"]


@pytest.mark.parametrize("line", ["QUOTE\tQ1\t1\t0\t9\t4\tx", "QUOTE\tQ1\t1\tzero\t1\t4\tx", "QUOTE\tQ1"])
def test_wrong_lines_are_named(read, line):
    with pytest.raises(ValueError, match=r"\[J142\].*line 1"):
        read(line)


def test_a_missing_text_is_named(tmp_path):
    (tmp_path / "a.ann").touch()
    with pytest.raises(FileNotFoundError, match=r"\[J140\]"):
        list(read_litbank(tmp_path, Vocab()))
