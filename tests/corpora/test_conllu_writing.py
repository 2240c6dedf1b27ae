import io

import pytest
from hypothesis import given
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.conllu_writing import write_conllu
from spacy_joint.errors import JointWarning

from .strategies import documents

GOLD = ["ORTH", "SPACY", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START"]


def write(*docs):
    file = io.StringIO()
    write_conllu(docs, file)
    return file.getvalue()


def get_column(written, number):
    return [line.split("\t")[number] for line in written.split("\n") if "\t" in line]


def test_documents_and_sentences_are_numbered(dogs, vocab):
    written = write(*read_conllu(dogs, vocab, keep_lines=False))
    comments = [line for line in written.split("\n") if line.startswith(("# newdoc", "# sent_id"))]
    assert comments == ["# newdoc id = 1", "# sent_id = 1-1", "# sent_id = 1-2", "# newdoc id = 2", "# sent_id = 2-1"]


def test_a_sentence_is_written_as_it_was_read(dogs, vocab):
    assert (
        "# text = Dogs bark.\n"
        "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_\n"
        "2\tbark\tbark\tVERB\tVBP\tMood=Ind|Tense=Pres\t0\troot\t_\tSpaceAfter=No\n"
        "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
    ) in write(*read_conllu(dogs, vocab))


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


def test_whitespace_tokens_are_skipped_and_heads_renumbered():
    doc = Doc(Vocab(), words=["We", "\n", "go", "on"], heads=[2, 0, 2, 2], deps=["nsubj", "dep", "ROOT", "advmod"])
    written = write(doc)
    assert get_column(written, 1) == ["We", "go", "on"]
    assert get_column(written, 6) == ["2", "0", "2"]


def test_dependents_of_a_whitespace_token_go_to_its_ancestor():
    doc = Doc(Vocab(), words=["Go", "\n", "on"], heads=[0, 0, 1], deps=["ROOT", "dep", "advmod"])
    assert get_column(write(doc), 6) == ["0", "1"]


def test_a_whitespace_token_becomes_a_space_after_the_previous_word():
    doc = Doc(Vocab(), words=["Go", "\n", "on"], spaces=[False] * 3, heads=[0, 0, 0], deps=["ROOT", "dep", "advmod"])
    written = write(doc)
    assert "# text = Go on\n" in written
    assert get_column(written, 9) == ["_", "SpaceAfter=No"]


def test_sentences_of_whitespace_only_are_left_out():
    doc = Doc(Vocab(), words=["Go", "\n", "on"], heads=[0, 1, 2], deps=["ROOT"] * 3)
    written = write(doc)
    assert get_column(written, 1) == ["Go", "on"]
    assert "# sent_id = 1-2" in written


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
    deps = ["ROOT", "obj"]
    doc = Doc(vocab, words=["See", "it"], tags=["VERB", "PRON"], pos=["VERB", "PRON"], heads=[0, 0], deps=deps)
    assert [line.split("\t")[4] for line in to_lines(doc) if line[:1].isdigit()] == ["_", "_"]
    doc[1].tag_ = "PRP"
    assert [line.split("\t")[4] for line in to_lines(doc) if line[:1].isdigit()] == ["VERB", "PRP"]


def to_lines(doc):
    file = io.StringIO()
    write_conllu([doc], file)
    return file.getvalue().splitlines()
