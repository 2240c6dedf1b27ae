"""Shared fixtures of quotation tests: rule-based pipelines, and pipelines trained on the tiny corpus."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

import spacy_joint

SMALL = {
    "@architectures": "spacy_joint.BeamPerceptron.v1",
    "table_bits": 18,
    "beam_width": 4,
    "update_strategy": "laso",
    "rule": "perceptron",
    "min_changes": 1,
}


def read_tree(vocab: Vocab, tagged: str) -> Doc:
    """A document of words with tags, heads and relations, such as "Oui/INTJ/1/obj"."""
    words, tags, heads, deps = zip(*(word.rsplit("/", 3) for word in tagged.split()), strict=True)
    return Doc(vocab, words=words, tags=tags, heads=[int(head) for head in heads], deps=deps)
    return Doc(vocab, words=words, tags=tags, heads=[int(head) for head in heads], deps=deps)


@pytest.fixture(scope="session")
def parsed() -> Language:
    """The shipped tagger and parser, and rules."""
    nlp = spacy_joint.load()
    nlp.add_pipe("quotation_spans")
    return nlp


@pytest.fixture(scope="session")
def unparsed() -> Language:
    """Rules alone."""
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_spans")
    return nlp


@pytest.fixture(scope="session")
def make_trained(read_quotes, train):
    """Create a pipeline with one component trained on the tiny corpus."""

    def make_trained(factory="quotation_spans", epochs=8, **config):
        nlp = spacy.blank("en")
        nlp.add_pipe(factory, config={"model": SMALL, **config})
        examples = read_quotes(nlp)
        fix_random_seed(0)
        nlp.initialize(lambda: examples)
        return train(nlp, examples, epochs=epochs)

    return make_trained
