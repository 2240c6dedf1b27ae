"""What is chosen on the development set of a treebank without training: features for the parser, and biases."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_joint.training.boundary_choice import choose_biases
from spacy_joint.training.feature_choice import choose_features

VOCAB = Vocab()
NONE = dict.fromkeys(("punctuated_bias", "marked_bias", "unpunctuated_bias"), 0.0)


def make_doc(n, relations):
    """Nouns whose case decides their relation, and whose gender does not, after a verb each."""
    cases = ["Nom", "Acc"] * n
    morphs = [f"Case={case}|Gender={'Fem' if i % 3 else 'Masc'}" for i, case in enumerate(cases)]
    words = ["sees", *["dog"] * len(cases)]
    deps = ["ROOT", *(relations[case] for case in cases)]
    tags = ["V", *["N"] * len(cases)]
    return Doc(VOCAB, words=words, tags=tags, morphs=["", *morphs], heads=[0] * len(words), deps=deps)


def test_features_that_tell_relations_are_chosen():
    docs = [make_doc(50, {"Nom": "nsubj", "Acc": "obj"})]
    assert choose_features(docs, docs) == ["Case"]


def test_features_that_do_not_are_left_out():
    docs = [make_doc(50, {"Nom": "obj", "Acc": "obj"})]
    assert choose_features(docs, docs) == []
    without = Doc(VOCAB, words=["a"], tags=["X"], heads=[0], deps=["ROOT"])
    assert choose_features([without], [without]) == []


@pytest.fixture
def parse():
    """A parser that ends a sentence before the second word unless its bias is too low."""

    def parse(biases, docs):
        starts = [True, biases["punctuated_bias"] > -40]
        heads = [0, 1] if starts[1] else [0, 0]
        deps = ["ROOT", "ROOT" if starts[1] else "dep"]
        return [Doc(VOCAB, words=[token.text for token in doc], heads=heads, deps=deps) for doc in docs]

    return parse


def test_the_smallest_bias_with_the_best_sentences_and_trees_is_chosen(parse):
    right = Doc(VOCAB, words=["a", "b"], heads=[0, 0], deps=["ROOT", "dep"])
    assert choose_biases(parse, [right], [right]) == {**NONE, "punctuated_bias": -50.0}
    divided = Doc(VOCAB, words=["a", "b"], heads=[0, 1], deps=["ROOT", "ROOT"])
    assert choose_biases(parse, [divided], [divided]) == NONE
