"""Raw text becomes documents of paragraphs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.corpora.raw_text import divide_evenly, is_prose, read_paragraphs

TEXT = "one\ntwo\n \n\nthree\n\nfour five\nsix\n"


@pytest.fixture
def read(write_text):
    def read(text, name="text.txt", **options):
        return list(read_paragraphs(write_text(name, text), **options))

    return read


def test_blank_lines_separate_the_paragraphs_of_a_file(read):
    assert read(TEXT) == [["one two", "three", "four five six"]]


def test_blank_lines_separate_documents_whose_paragraphs_are_lines(read):
    assert read(TEXT, lines=True) == [["one", "two"], ["three"], ["four five", "six"]]


def test_each_line_of_json_is_a_document(read):
    text = '{"text": "one\\ntwo\\n\\nthree"}\n\n{"text": "four", "id": 1}\n'
    assert read(text, "texts.jsonl") == [["one two", "three"], ["four"]]
    assert read(text, "texts.jsonl", lines=True) == [["one", "two"], ["three"], ["four"]]


@pytest.mark.parametrize("line", ["text", "{}", "[]", "1", '{"text": 1}', '{"text": ', r'{"text": "\ud83d"}'])
def test_json_without_a_text_is_refused(read, line):
    with pytest.raises(ValueError, match=r"\[J650\].*texts.jsonl, line 2"):
        read('{"text": "one"}\n' + line + "\n", "texts.jsonl")


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_empty_text_has_no_documents(read, text):
    assert read(text) == read(text, lines=True) == []


def test_headings_are_not_prose():
    prose = ["We left.", 'She said: "no!"', "(Why?)", "他走了。", "Well…"]
    assert [is_prose(text) for text in [*prose, "CHAPTER I", "milk, eggs", ""]] == [True] * 5 + [False] * 3


@given(st.lists(st.integers(1, 30), max_size=40), st.integers(1, 50))
def test_passages_are_whole_paragraphs_of_about_the_same_length(lengths, words):
    paragraphs = [f"{number} " * length for number, length in enumerate(lengths)]
    passages = list(divide_evenly(paragraphs, words))
    assert [paragraph for passage in passages for paragraph in passage] == paragraphs
    for passage in passages:
        n_words = sum(len(paragraph.split()) for paragraph in passage)
        assert n_words < 2 * words + max(lengths)
