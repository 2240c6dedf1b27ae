"""Constituency treebanks as trees and as documents."""

import pytest
import spacy
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import get_constituents
from spacy_joint.corpora.constituency_treebanks import create_constituency_corpus, read_tree_documents

TREES = """( (S (NP-SBJ (DT The) (NN cat)) (VP (VBZ sleeps) (NP (-NONE- *T*-1))) (. .)))
(ROOT (FRAG (-LRB- -LRB-) (CD 1\\/2) (`` ``) (-RRB- -RRB-)))
( (X (-NONE- *)))
"""


@pytest.fixture
def path(write_text):
    return write_text("small.mrg", TREES)


def test_a_tree_is_a_document(path):
    first, second = read_tree_documents(path, Vocab())
    assert [token.text for token in first] == ["The", "cat", "sleeps", "."]
    assert [token.tag_ for token in first] == ["DT", "NN", "VBZ", "."]
    assert get_constituents(first) == [("S", 0, 4), ("NP", 0, 2), ("VP", 2, 3)]
    assert [token.text for token in second] == ["(", "1/2", '"', ")"]


def test_several_trees_can_form_a_document(path):
    (doc,) = read_tree_documents(path, Vocab(), sentences=5)
    assert [sentence.start for sentence in doc.sents] == [0, 4]
    assert get_constituents(doc)[-1] == ("FRAG", 4, 8)


def test_a_directory_is_read_in_the_order_of_names_and_a_file_ends_a_document(path):
    path.with_name("a.ptb").write_text("(NP (NN tea))", encoding="utf8")
    path.with_name("b.txt").write_text("no tree", encoding="utf8")
    assert [doc[0].text for doc in read_tree_documents(path.parent, Vocab())] == ["tea", "The", "("]
    assert [len(doc) for doc in read_tree_documents(path.parent, Vocab(), sentences=9)] == [1, 8]


def test_examples_keep_the_requested_annotation(path):
    examples = list(create_constituency_corpus(path, keep=["TAG"], sentences=2)(spacy.blank("en")))
    assert [token.tag_ for token in examples[0].predicted][:2] == ["DT", "NN"]
    assert "constituents" not in examples[0].predicted.spans


def test_unreadable_input_is_named(path, tmp_path):
    with pytest.raises(ValueError, match=r"\[J030\]"):
        list(read_tree_documents(path, Vocab(), sentences=0))
    with pytest.raises(ValueError, match=r"\[J100\].*\.ptb or \.mrg or "):
        create_constituency_corpus(None)
    with pytest.raises(FileNotFoundError, match=r"\[J102\].*\.ptb or \.mrg or "):
        list(read_tree_documents(tmp_path / "..", Vocab()))
