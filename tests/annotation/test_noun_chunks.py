"""Noun chunks of constituents, where there are no dependency trees."""

import pickle

import pytest
import spacy
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.annotation.noun_chunks import chunk_constituents, use_noun_chunks
from spacy_joint.corpora import constituency_treebanks
from spacy_joint.trees.constituency_trees import parse_trees


def make_doc(text, lang="en"):
    doc = constituency_treebanks.make_doc(spacy.blank(lang).vocab, list(parse_trees(text)))
    use_noun_chunks(doc, chunk_constituents)
    return doc


def list_chunks(doc):
    return [span.text for span in doc.noun_chunks]


@pytest.mark.parametrize(
    ("tree", "chunks"),
    [
        ("(R (S (NP (DT the) (NN dog)) (VP (VBZ runs))))", ["the dog"]),
        # No chunk contains another; those inside are preferred.
        ("(R (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NNP ada)))))", ["the dog", "ada"]),
        # The possessor belongs to the chunk of what is possessed, also of several.
        ("(R (NP (NP (DT the) (NN mayor) (POS 's)) (JJ old) (NN dog)))", ["the mayor 's old dog"]),
        ("(R (NP (NP (NP (NNP ada) (POS 's)) (NN dog) (POS 's)) (NN tail)))", ["ada 's dog 's tail"]),
        # But not if the phrase contains something else, too.
        ("(R (NP (NP (NNP ada) (POS 's)) (NN dog) (PP (IN of) (NP (NN day)))))", ["ada 's", "day"]),
        ("(R (NP (NP (DT the) (NN mayor) (POS 's))))", ["the mayor 's"]),
        ("(R (SBAR (WHNP (WP who)) (S (VP (VBD ran)))))", ["who"]),
        ("(R (NP (NP (NN tea)) (CC and) (NP (NN jam))))", ["tea", "jam"]),
        ("(R (S (VP (VB run))))", []),
        ("(R (NP (NN a))) (R (NP (NN b)))", ["a", "b"]),
    ],
)
def test_chunks_are_base_noun_phrases(tree, chunks):
    assert list_chunks(make_doc(tree)) == chunks


def test_a_span_has_the_chunks_inside_it():
    doc = make_doc("(R (NP (NP (NP (NNP ada) (POS 's)) (NN dog)) (PP (IN of) (NP (DT the) (NN day)))))")
    assert [span.text for span in doc[0:3].noun_chunks] == ["ada 's dog"]
    assert [span.text for span in doc[1:6].noun_chunks] == ["the day"]


def test_dependency_trees_are_preferred():
    doc = make_doc("(R (NP (NN tea)))")
    for token in doc:
        token.dep_ = "ROOT"
        token.pos_ = "VERB"
    assert list_chunks(doc) == []


def test_without_constituents_and_trees_there_is_the_error_of_spacy():
    doc = Doc(spacy.blank("en").vocab, words=["tea"])
    use_noun_chunks(doc, chunk_constituents)
    with pytest.raises(ValueError, match="E029"):
        list(doc.noun_chunks)


def test_documents_read_later_have_chunks_and_other_iterators_stay():
    doc = make_doc("(R (NP (NN tea)))")
    assert list_chunks(Doc(doc.vocab).from_bytes(doc.to_bytes())) == ["tea"]
    assert list_chunks(pickle.loads(pickle.dumps(doc))) == ["tea"]
    german = make_doc("(R (NP (NN tea)))", "de")
    assert german.noun_chunks_iterator is not chunk_constituents


def test_constituents_give_chunks_until_there_are_dependency_trees():
    nlp = spacy_joint.load(exclude=["joint_sbd_parser"])
    nlp.enable_pipe("constituency_parser")
    nlp.add_pipe("sentencizer", first=True)
    doc = nlp("The mayor's old dog likes cats from the office.")
    assert list_chunks(doc) == ["The mayor's old dog", "cats", "the office"]
    nlp.add_pipe("joint_sbd_parser", source=spacy_joint.load())
    assert list_chunks(nlp("The terms and conditions apply.")) == ["The terms and conditions"]
