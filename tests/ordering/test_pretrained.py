"""The shipped orderer."""

import random

import pytest

import spacy_joint
from spacy_joint.ordering.phrases import Phrase, Word, sort_modifiers
from spacy_joint.ordering.system import Ranker


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy_joint.load()
    nlp.enable_pipe("prenominal_orderer")
    return nlp


@pytest.mark.parametrize(
    "words, head",
    [
        (["big", "red"], "ball"),
        (["little", "old"], "lady"),
        (["beautiful", "young"], "woman"),
        (["large", "wooden"], "table"),
        (["new", "American"], "president"),
        (["many", "different"], "ideas"),
        (["local", "police"], "station"),
    ],
)
def test_it_orders_common_modifiers(nlp, words, head):
    assert list(nlp.get_pipe("prenominal_orderer").order(words[::-1], head=head).words) == words


def test_it_marks_odd_orders_in_text(nlp):
    doc = nlp("The wooden large table stood in the large old kitchen.")
    labels = {span.text: span.label_ for span in doc.spans["prenominal"]}
    assert labels == {"wooden large table": "ODD", "large old kitchen": "OK"}
    assert nlp.get_pipe("prenominal_orderer").cfg["threshold"] == 2.0


def test_it_is_small(nlp):
    assert sum(path.stat().st_size for path in (nlp.path / "prenominal_orderer").iterdir()) < 3e6


@pytest.mark.parametrize("n", range(2, 9))
def test_its_beam_finds_what_exact_search_finds(nlp, n):
    pipe = nlp.get_pipe("prenominal_orderer")
    perceptron = pipe.perceptron
    known = "big red old wooden ugly French little kitchen heavy new local police recent stone"
    phrase_columns = pipe.make_word_columns()
    ranker = Ranker(perceptron.system, perceptron.templates, perceptron.beam_width)
    sample = random.Random(n)
    for _ in range(20):
        words = tuple(map(Word, sample.sample(known.split(), n)))
        columns = phrase_columns.make_columns(sort_modifiers(Phrase(words, Word("table")))[0])
        exact, beam = (ranker.rank(perceptron.weights, columns, 1, exact=exact) for exact in (True, False))
        assert beam == exact
