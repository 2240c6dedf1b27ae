"""Chart constraints: closed words close cells, as far as a mode allows."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts.closing import CLOSED, DEFAULT, FACTORED_ONLY, find_frequent_tags
from spacy_joint.charts.constraints import ChartConstraints, mark_boundaries
from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.estimation import estimate_grammar, prepare
from spacy_joint.errors import JointValueError
from spacy_joint.trees.constituency_trees import parse_trees

from ..trees.strategies import trees
from .grammars import find_spans

QUICK = settings(deadline=None, max_examples=60)
TREEBANK = """
(ROOT (S (NP (DT the) (JJ old) (NN cat)) (VP (VB eats) (NP (DT the) (NN fish)) (PP (IN in) (NP (DT a) (NN box))))))
(ROOT (S (NP (DT a) (NN dog)) (VP (VB sees) (NP (NP (DT the) (NN fish)) (PP (IN in) (NP (DT the) (JJ old) (NN box)))))))
(ROOT (S (NP (NN fish)) (VP (VB eats) (PP (IN in) (NP (DT a) (JJ old) (JJ red) (NN box))))))
(ROOT (S (NP (DT the) (NN dog)) (VP (VB sees) (NP (DT a) (JJ red) (NN fish)))))
"""


class Given(ChartConstraints):
    """Constraints with given scores."""

    def __init__(self, begins, ends, **settings):
        super().__init__({}, **settings)
        self.given = begins, ends

    def score(self, words):
        return np.array(self.given, dtype=np.float64)


def prepare_all(treebank, branching="right"):
    return [prepare(tree, branching=branching, horizontal=1, parents=True, tag_parents=True) for tree in treebank]


def make_examples():
    for tree in prepare_all(parse_trees(TREEBANK)):
        yield tree.leaves(), mark_boundaries(tree.spans(), len(tree.leaves()))


@pytest.fixture(scope="module")
def learnt():
    constraints = ChartConstraints(find_frequent_tags(parse_trees(TREEBANK)))
    constraints.learn(prepare_all(parse_trees(TREEBANK)), passes=15)
    return constraints


def count_open(widths):
    n = len(widths)
    return sum(widths[i, j] == DEFAULT for i in range(n) for j in range(i + 2, n + 1))


def test_boundaries_are_of_constituents_of_several_words():
    _, (begins, ends) = next(make_examples())
    assert begins.tolist() == [True, False, False, True, True, False, True, True, False]
    assert ends.tolist() == [False, False, True, False, False, True, False, False, True]


@given(st.lists(trees, min_size=1, max_size=3), st.sampled_from(["right", "left"]))
@QUICK
def test_with_the_boundaries_of_the_best_tree_it_remains_the_best(treebank, branching):
    grammar = estimate_grammar(treebank, branching=branching)
    parser = ChartParser(grammar)
    for tree in treebank:
        words = [[(tag, np.log(p)) for tag, p in grammar.lexicon.find_tags(word).items()] for word in tree.leaves()]
        score, nodes, tags = parser.parse(words)
        marked = mark_boundaries(find_spans(nodes, len(words)), len(words))
        scores = [1.0 - 2 * is_open for is_open in marked]
        widths = Given(*scores, branching=branching).predict(tree.leaves())
        assert parser.parse(words, widths=widths) == (pytest.approx(score), nodes, tags)


def test_closed_words_close_cells():
    begins, ends = [-1, 1, -1, -1], [-1, -1, 1, -1]
    right = Given(begins, ends).predict(list("abcd"))
    assert right[0, 2:].tolist() == [DEFAULT, CLOSED, DEFAULT]
    assert right[1, 3:].tolist() == [CLOSED, FACTORED_ONLY]
    assert right[2, 4] == DEFAULT
    left = Given(begins, ends, branching="left").predict(list("abcd"))
    assert left[0, 2:].tolist() == [DEFAULT, FACTORED_ONLY, DEFAULT]
    assert left[1, 3:].tolist() == [CLOSED, CLOSED]


@pytest.mark.parametrize("branching", ["right", "left"])
def test_the_whole_sentence_and_single_words_are_open(branching):
    widths = Given([9] * 5, [9] * 5, branching=branching).predict(list("abcde"))
    assert widths[0, 5] == DEFAULT and all(widths[i, i + 1] == DEFAULT for i in range(5))
    assert count_open(widths) == 1


def test_the_threshold_of_absolute_mode_is_the_amount():
    scores = [3, 2, 1, 0]
    opened = [count_open(Given(scores, scores, amount=amount).predict(list("abcd"))) for amount in (-1, 1, 2, 9)]
    assert opened == sorted(opened) and opened[-1] == 6


def test_high_precision_mode_reopens_a_share_of_closed_words():
    scores = [-1, *range(1, 11), -1]
    constraints = Given([-1] * 12, scores, mode="high_precision", amount=0.3)
    assert (constraints.predict(list("abcdefghijkl"))[0, 2:] == CLOSED).sum() == 7
    constraints.choose("high_precision", 1.0)
    assert (constraints.predict(list("abcdefghijkl"))[0, 2:] == CLOSED).sum() == 0


@pytest.mark.parametrize("amount", [0.5, 1, 2])
def test_quadratic_mode_opens_cells_in_proportion_to_words(amount):
    rng = np.random.default_rng(0)
    for n in (8, 40):
        widths = Given(rng.normal(size=n), rng.normal(size=n), mode="quadratic", amount=amount).predict(["a"] * n)
        # The last word to be opened opens n cells at most, and the whole sentence has words of its own.
        assert amount * n <= count_open(widths) <= (amount + 3) * n


@pytest.mark.parametrize("branching", ["right", "left"])
def test_linear_mode_leaves_cells_for_a_number_of_words(branching):
    rng = np.random.default_rng(0)
    for n in (8, 40):
        constraints = Given(rng.normal(size=n), rng.normal(size=n), branching=branching, mode="linear", amount=3)
        widths = constraints.predict(["a"] * n)
        widths[np.arange(n), np.arange(n) + 1] = CLOSED
        used = (widths != CLOSED) & (np.arange(n + 1) > np.arange(n)[:, None])
        assert used.any(axis=0 if branching == "right" else 1).sum() <= 4


def test_boundaries_are_learnt(learnt):
    for words, boundaries in make_examples():
        assert ((learnt.score(words) > 0) == ~boundaries).all()


def test_constraints_round_trip(learnt):
    learnt.choose("linear", 3)
    for again in (ChartConstraints.from_bytes(learnt.to_bytes()), pickle.loads(pickle.dumps(learnt))):
        assert (again.mode, again.amount, again.branching) == ("linear", 3, "right")
        assert again.to_bytes() == learnt.to_bytes()
        for words, _ in make_examples():
            assert (again.predict(words) == learnt.predict(words)).all()
    learnt.choose("absolute", 0)


@pytest.mark.parametrize("words", [[], ["a"], ["a", "b"]])
def test_short_sentences_are_open(learnt, words):
    assert (learnt.predict(words) == DEFAULT).all()


def test_damaged_bytes_are_refused(learnt):
    data = learnt.to_bytes()
    for size in (0, 1, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(JointValueError) as caught:
            ChartConstraints.from_bytes(data[:size])
        assert caught.value.code == "J052"


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"mode": "cubic"}, "J040"),
        ({"amount": float("nan")}, "J030"),
        ({"mode": "linear", "amount": -1}, "J030"),
        ({"branching": "up"}, "J040"),
    ],
)
def test_impossible_settings_are_refused(settings, code):
    with pytest.raises(JointValueError) as caught:
        ChartConstraints({}, **settings)
    assert caught.value.code == code
