"""Scores of the constituents of documents."""

import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import set_constituents
from spacy_joint.corpora.constituency_treebanks import make_doc
from spacy_joint.scoring.constituents import make_constituent_scorer, score_constituents
from spacy_joint.trees.constituency_trees import parse_trees

# `Whom did Ada meet ?`, with the object where the verb is, or not.
QUESTION = "(ROOT (SQ (VP (WP 0=Whom) (VB 3=meet)) (VBD 1=did) (NP (NNP 2=Ada))) (. 4=?))"
WRONG = "(ROOT (SQ (NP (WP 0=Whom)) (VBD 1=did) (NP (NNP 2=Ada)) (VP (VB 3=meet)) (. 4=?)))"
TEA = "(ROOT (NP (NN 0=tea)))"


def make(*trees):
    return make_doc(Vocab(), [tree for text in trees for tree in parse_trees(text, indexed=True)])


def score(predicted, reference, parameters="proper"):
    return make_constituent_scorer(parameters)([Example(predicted, reference)])


def test_all_right():
    scores = score(make(QUESTION, TEA), make(QUESTION, TEA))
    assert scores["constituents_f"] == scores["constituents_exact"] == scores["constituents_disc_f"] == 1


def test_precision_recall_and_exact_sentences():
    scores = score(make(WRONG, TEA), make(QUESTION, TEA))
    # Predicted: SQ, NP, NP, VP, NP. In the reference: SQ, VP, NP, NP. Final punctuation does not count.
    assert scores["constituents_p"] == 3 / 5
    assert scores["constituents_r"] == 3 / 4
    assert scores["constituents_exact"] == 1 / 2
    assert scores["constituents_disc_r"] == scores["constituents_disc_exact"] == 0
    assert scores["constituents_per_type"]["VP"]["f"] == 0


def test_tokens_may_differ():
    reference = make(QUESTION)
    predicted = Doc(
        Vocab(), words=["Whom", "did", "A", "da", "meet", "?"], spaces=[True, True, False, True, True, False]
    )
    set_constituents(predicted, [("SQ", 0, 5), ("NP", 2, 4)])
    scores = score(predicted, reference)
    assert scores["constituents_p"] == 1
    assert scores["constituents_r"] == 2 / 3


def test_what_counts_can_be_chosen():
    reference, predicted = make("(ROOT (X (N 0=-) (N 1=a)))"), make("(ROOT (N 0=-) (X (N 1=a)))")
    assert score(predicted, reference)["constituents_f"] == 1
    assert score(predicted, reference, "evalb")["constituents_f"] == 0


def test_documents_without_constituents_are_not_scored():
    bare = Doc(Vocab(), words=["tea"])
    assert score_constituents([Example(bare, make(TEA)), Example(make(TEA), bare)])["constituents_f"] is None


def test_unknown_parameters_are_refused():
    with pytest.raises(ValueError, match=r"\[J040\]"):
        make_constituent_scorer("other")
