"""What is chosen on the development set of a treebank without training: features for the parser, and biases."""

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


def test_the_smallest_bias_with_the_best_sentences_and_trees_is_chosen():
    one = Doc(VOCAB, words=["a", "b"], heads=[0, 0], deps=["ROOT", "dep"])
    two = Doc(VOCAB, words=["a", "b"], heads=[0, 1], deps=["ROOT", "ROOT"])

    def parse(biases):
        return [two if biases["punctuated_bias"] > -40 else one]

    assert choose_biases(parse, [one]) == {**NONE, "punctuated_bias": -50.0}
    assert choose_biases(parse, [two]) == NONE
