"""Tagged text in the notation of the Brown corpus."""

import pytest

from spacy_joint.corpora.tagged import read_tagged, to_penn


def test_sentences_are_lines(write_text):
    path = write_text("ca01", "\n\tThe/at old/jj cat/nn sleeps/vbz ./.\n\n\tand/or/cc\n")
    assert list(read_tagged(path)) == [
        (["The", "old", "cat", "sleeps", "."], ["DT", "JJ", "NN", "VBZ", "."]),
        (["and/or"], ["CC"]),
    ]


@pytest.mark.parametrize(
    "tag, penn",
    [("jj", "JJ"), ("jjt", "JJS"), ("np-tl", "NNP"), ("nn-tl-hl", "NN"), ("at", "DT"), ("pp$", "PRP$"), ("np$", "POS")],
)
def test_tags_become_those_of_the_treebank(tag, penn):
    assert to_penn(tag) == penn


def test_a_word_without_tag_is_named(write_text):
    path = write_text("one.tagged", "the/at\ncat\n")
    with pytest.raises(ValueError, match=r"\[J142\].*one\.tagged, line 2: 'cat'"):
        list(read_tagged(path))


def test_a_byte_order_mark_belongs_to_no_word(tmp_path):
    (tmp_path / "one.tagged").write_text("the/at", encoding="utf-8-sig")
    assert list(read_tagged(tmp_path)) == [(["the"], ["DT"])]


def test_input_that_is_not_utf8_is_read_as_latin1(tmp_path):
    path = tmp_path / "one.tagged"
    path.write_bytes("café/nn".encode("latin-1"))
    assert list(read_tagged(tmp_path)) == [(["café"], ["NN"])]
