"""The systems that order modifiers share one interface."""

import pytest
from order_models.alignment import AlignmentByLikelihood, AlignmentByPerceptron
from order_models.beam import BeamOrderer
from order_models.class_hmm import ClassHmm
from order_models.direct_evidence import DirectEvidence
from order_models.measures import answer_all, score_answers
from order_models.ngrams import NGrams
from order_models.pair_perceptron import PairPerceptron
from order_models.ranks import OneClass, TagRank

from spacy_joint.ordering.order_perceptron import make_order_perceptron
from spacy_joint.ordering.phrases import Phrase, Word

from ..ordering.phrases import make, make_corpus, shuffles

# The share of its training data that each system must get right.
SYSTEMS = {
    "direct evidence": (lambda: DirectEvidence(transitive=False), 0.9),
    "transitivity": (DirectEvidence, 0.95),
    "clusters": (lambda: DirectEvidence(n_clusters=4, min_count=1), 0.95),
    "one-class": (OneClass, 0.6),
    "class HMM": (lambda: ClassHmm(n_classes=5), 0.8),
    "n-gram": (NGrams, 0.9),
    "ML alignment": (AlignmentByLikelihood, 0.8),
    "perceptron alignment": (AlignmentByPerceptron, 0.9),
    "pair perceptron": (PairPerceptron, 0.95),
    "beam": (lambda: BeamOrderer(model=make_order_perceptron(table_bits=16, n_tables=2)), 0.95),
    "tag rank": (TagRank, 0.1),
}
EACH = pytest.mark.parametrize("name", SYSTEMS)


@pytest.fixture(scope="module")
def fitted():
    systems = {}

    def get(name):
        if name not in systems:
            systems[name] = SYSTEMS[name][0]()
            systems[name].fit(make_corpus())
        return systems[name]

    return get


def read(phrase, indices):
    return [phrase.modifiers[i] for i in indices]


@EACH
def test_it_learns_the_orders_it_has_seen(name, fitted):
    scores = score_answers(answer_all(fitted(name), make_corpus()))
    assert scores["order_full"] >= SYSTEMS[name][1]


@EACH
def test_the_order_given_does_not_matter(name, fitted):
    phrase = make("wooden", "big", "unheard-of", "red")
    answers = [[read(shuffled, order) for order in fitted(name).order(shuffled)] for shuffled in shuffles(phrase)]
    assert all(answer == answers[0] for answer in answers)


@EACH
@pytest.mark.parametrize(
    "texts", [(), ("big",), ("big", "big"), ("red", "big", "red"), ("zzz", "qqq"), tuple(f"w{i}" for i in range(20))]
)
def test_any_number_of_modifiers_is_ordered(name, texts, fitted):
    for phrase in (make(*texts), Phrase(tuple(map(Word, texts)))):
        for order in fitted(name).order(phrase):
            assert sorted(order) == list(range(len(texts)))


def test_chains_of_pairs_order_unseen_combinations():
    system = DirectEvidence()
    system.fit([make("big", "old")] * 3 + [make("old", "red")] * 3)
    assert system.prefer("big", "red") > 0 > system.prefer("red", "big")
    without = DirectEvidence(transitive=False)
    without.fit([make("big", "old"), make("old", "red")])
    assert without.prefer("big", "red") == 0
