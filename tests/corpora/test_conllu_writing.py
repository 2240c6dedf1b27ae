import io
import re

import pytest
from hypothesis import given
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.conllu_writing import write_conllu
from spacy_joint.errors import JointWarning

from .conftest import write
from .strategies import documents

GOLD = ["ORTH", "SPACY", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START"]


def get_column(written, number):
    return [line.split("\t")[number] for line in written.split("\n") if "\t" in line]


def test_documents_and_sentences_are_numbered(dogs, vocab):
    written = write(*read_conllu(dogs, vocab, keep_lines=False))
    comments = [line for line in written.split("\n") if line.startswith(("# newdoc", "# sent_id"))]
    assert comments == ["# newdoc id = 1", "# sent_id = 1-1", "# sent_id = 1-2", "# newdoc id = 2", "# sent_id = 2-1"]


@given(documents())
def test_writing_and_reading_round_trips(tmp_path_factory, doc):
    path = tmp_path_factory.mktemp("written") / "corpus.conllu"
    path.write_text(write(doc), encoding="utf-8")
    (again,) = read_conllu(path, doc.vocab)
    assert again.to_array(GOLD).tolist() == doc.to_array(GOLD).tolist()


def test_missing_values_are_underscores():
    doc = Doc(Vocab(), words=["Go"], heads=[0], deps=["ROOT"])
    assert "1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n" in write(doc)


def test_trees_are_left_open_if_the_document_has_none():
    doc = Doc(Vocab(), words=["Go", "on"], sent_starts=[True, False])
    assert get_column(write(doc), 6) == ["_", "_"]


# Words without spaces, their heads; the texts of sentences, forms, and heads as written.
WHITESPACE = {
    "heads are renumbered": (["We", "\n", "go"], [2, 0, 2], ["We go"], ["We", "go"], ["2", "0"]),
    "dependents go to its ancestor": (["Go", "\n", "on"], [0, 0, 1], ["Go on"], ["Go", "on"], ["0", "1"]),
    "its sentences are left out": (["Go", "\n", "on"], [0, 1, 2], ["Go", "on"], ["Go", "on"], ["0", "0"]),
}


@pytest.mark.parametrize(("words", "heads", "texts", "forms", "written_heads"), WHITESPACE.values(), ids=WHITESPACE)
def test_whitespace_tokens_become_spaces(words, heads, texts, forms, written_heads):
    deps = ["ROOT" if head == place else "dep" for place, head in enumerate(heads)]
    written = write(Doc(Vocab(), words=words, spaces=[False] * len(words), heads=heads, deps=deps))
    assert (get_column(written, 1), get_column(written, 6)) == (forms, written_heads)
    assert get_column(written, 9) == ["_", "SpaceAfter=No"]
    comments = [f"# sent_id = 1-{number}\n# text = {text}\n" for number, text in enumerate(texts, start=1)]
    assert re.findall("# sent_id = .*\n# text = .*\n", written) == comments


def test_line_breaks_in_a_word_become_spaces():
    doc = Doc(Vocab(), words=["a\nb"], lemmas=["a\tb"], heads=[0], deps=["ROOT"])
    assert "1\ta b\ta b\t" in write(doc)


def test_empty_documents_are_left_out():
    assert write(Doc(Vocab())) == ""


def test_a_document_without_boundaries_is_an_error():
    with pytest.raises(ValueError, match=r"\[J336\] Document 1 "):
        write(Doc(Vocab(), words=["Go", "on"]))


def test_a_sentence_of_two_roots_is_an_error():
    doc = Doc(Vocab(), words=["Go", "on"], heads=[0, 1], deps=["ROOT", "ROOT"])
    doc.from_array(["SENT_START"], Doc(doc.vocab, ["Go", "on"], sent_starts=[True, False]).to_array(["SENT_START"]))
    with pytest.raises(ValueError, match=r"\[J119\] Sentence 1 of document 1, 'Go on', .*2 roots"):
        write(doc)


def test_a_head_in_another_sentence_is_an_error():
    doc = Doc(Vocab(), words=["Go", "on"], heads=[0, 0], deps=["ROOT", "advmod"])
    doc.from_array(["SENT_START"], Doc(doc.vocab, ["Go", "on"], sent_starts=[True, True]).to_array(["SENT_START"]))
    with pytest.raises(ValueError, match=r"\[J119\] Sentence 2 .*outside"):
        write(doc)
    file = io.StringIO()
    with pytest.warns(JointWarning, match=r"\[JW47\] Sentence 2 of document 1, 'on', .*outside"):
        write_conllu([doc, doc[:1].as_doc()], file, is_strict=False)
    assert [line.split("\t")[6:8] for line in file.getvalue().splitlines() if line[:1].isdigit()] == [
        ["0", "root"],
        ["_", "_"],
        ["0", "root"],
    ]


def test_a_document_whose_tags_are_parts_of_speech_has_no_xpos(vocab):
    tags = ["VERB", "PRON"]
    doc = Doc(vocab, words=["See", "it"], tags=tags, pos=tags, heads=[0, 0], deps=["ROOT", "obj"])
    assert get_column(write(doc), 4) == ["_", "_"]
    doc[1].tag_ = "PRP"
    assert get_column(write(doc), 4) == ["VERB", "PRP"]
