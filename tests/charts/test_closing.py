"""Closed cells and widths: what is said of the cells of trees keeps the trees, and classifiers learn to say it."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts.cells import CellClassifier
from spacy_joint.charts.closing import (
    CLOSED,
    DEFAULT,
    FACTORED_ONLY,
    KINDS,
    Closing,
    choose_biases,
    combine,
    find_frequent_tags,
    learn_closing,
    mark_cells,
    mark_ranks,
    to_widths,
)
from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.estimation import estimate_grammar, prepare
from spacy_joint.errors import JointValueError
from spacy_joint.trees.constituency_trees import parse_trees

from ..trees.strategies import trees
from .grammars import tag

QUICK = settings(max_examples=25)
SETTINGS = {"horizontal": 1, "parents": True, "tag_parents": True}
TREEBANK = """
(ROOT (S (NP (DT the) (JJ old) (NN cat)) (VP (VB eats) (NP (DT the) (NN fish)) (PP (IN in) (NP (DT a) (NN box))))))
(ROOT (S (NP (DT a) (NN dog)) (VP (VB sees) (NP (NP (DT the) (NN fish)) (PP (IN in) (NP (DT the) (JJ old) (NN box)))))))
(ROOT (S (NP (NN fish)) (VP (VB eats) (PP (IN in) (NP (DT a) (JJ old) (JJ red) (NN box))))))
(ROOT (S (NP (DT the) (NN dog)) (VP (VB sees) (NP (DT a) (JJ red) (NN fish)))))
"""


def read(text=TREEBANK):
    return list(parse_trees(text))


def make_examples(kind, text=TREEBANK):
    prepared = [prepare(tree, **SETTINGS) for tree in read(text)]
    return [(tree.leaves(), mark_cells(tree.spans(), len(tree.leaves()), kind)) for tree in prepared]


@given(st.lists(trees, min_size=1, max_size=3), st.sampled_from(sorted(KINDS)[:2]))
@QUICK
def test_with_the_cells_of_the_best_tree_open_it_remains_the_best(treebank, kind):
    grammar = estimate_grammar(treebank)
    parser = ChartParser(grammar)
    for tree in treebank:
        words = tag(grammar, tree.leaves())
        score, nodes, tags = parser.parse(words)
        widths = to_widths(mark_cells(nodes, len(words), kind), kind)
        assert widths[0, len(words)] in (DEFAULT, FACTORED_ONLY) or len(words) == 1
        for word in range(len(words)):
            widths[word, word + 1] = DEFAULT
        assert parser.parse(words, widths=widths) == (pytest.approx(score), nodes, tags)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("width", [0, 3])
def test_with_everything_open_the_result_is_that_without_widths(kind, width):
    grammar = estimate_grammar(read())
    parser = ChartParser(grammar)
    classifier = CellClassifier(len(KINDS[kind]), {})
    classifier.set_biases([1.0] * (classifier.n_classes - 1))
    closing = Closing(kind, classifier)
    for tree in read():
        words = tag(grammar, tree.leaves())
        widths = combine(closing.predict(tree.leaves()), closing.predict(tree.leaves()))
        assert parser.parse(words, width=width, widths=widths) == parser.parse(words, width=width)


def test_ranks_have_the_least_class_that_is_wide_enough():
    assert mark_ranks(np.array([0, 1, 2, 3, 4, 5, 99])).tolist() == [0, 1, 2, 3, 3, 4, 4]


def test_a_closed_constituent_is_for_symbols_of_binarisation_of_a_larger_one():
    classes = np.zeros((4, 5), dtype=np.int32)
    classes[0, 4] = 1
    widths = to_widths(classes, "constituents")
    open_cells = {(0, 4): DEFAULT, (1, 4): FACTORED_ONLY, (2, 4): FACTORED_ONLY}
    for cell in ((i, j) for i in range(4) for j in range(i + 2, 5)):
        assert widths[cell] == open_cells.get(cell, CLOSED)


@pytest.mark.parametrize(
    ("widths", "narrowest"),
    [([DEFAULT, 4], 4), ([DEFAULT, FACTORED_ONLY], FACTORED_ONLY), ([1, FACTORED_ONLY], 1), ([CLOSED, 1], CLOSED)],
)
def test_the_narrowest_width_counts(widths, narrowest):
    arrays = [np.full((2, 3), width, dtype=np.int32) for width in widths]
    assert (combine(*arrays) == narrowest).all() and (combine(*reversed(arrays)) == narrowest).all()
    assert (combine(arrays[0]) == arrays[0]).all()


@pytest.mark.parametrize("kind", ["constituents", "complete"])
def test_closing_is_learnt(kind):
    examples = make_examples(kind)
    closing = learn_closing(examples, kind, find_frequent_tags(read()), passes=20)
    choose_biases(closing, examples, 1.0)
    for words, classes in examples:
        predicted = closing.classifier.predict(words)
        inside = np.triu_indices(len(words), 2, len(words) + 1)
        assert (predicted[inside] >= classes[inside]).all()
        assert (predicted[inside] != classes[inside]).mean() < 0.1


def test_widths_are_learnt():
    lengths = np.arange(8) - np.arange(7)[:, None]
    classes = np.clip(lengths - 2, 0, 4)
    closing = learn_closing([(list("abcdefg"), classes)], "widths", {}, cost=1.0, passes=100)
    widths = closing.predict(list("hijklmn"))
    inside = np.triu_indices(7, 2, 8)
    assert (widths[inside] == to_widths(classes, "widths")[inside]).mean() > 0.9


@pytest.mark.parametrize("keep", [0.5, 0.9, 1.0])
def test_biases_keep_a_share_of_the_cells_open(keep):
    examples = make_examples("complete")
    closing = learn_closing(examples[:2], "complete", find_frequent_tags(read()[:2]), passes=2)
    choose_biases(closing, examples, keep)
    scores = np.concatenate([closing.classifier.score(words)[0][classes > 0] for words, classes in examples])
    finite = [
        score
        for words, classes in examples
        for (i, j), score in np.ndenumerate(closing.classifier.score(words)[0])
        if classes[i, j] and 1 < j - i < len(words)
    ]
    assert len(scores) > len(finite)
    assert keep <= np.mean(np.array(finite) > 0) <= keep + 0.1


def test_classes_are_consistent_with_scores():
    closing = learn_closing(make_examples("complete"), "complete", find_frequent_tags(read()))
    for words, _ in make_examples("complete"):
        expected = (closing.classifier.score(words)[0] > 0).astype(int)
        inside = np.triu_indices(len(words), 2, len(words) + 1)
        expected[0, len(words)] = 1
        assert (closing.classifier.predict(words)[inside] == expected[inside]).all()


@pytest.mark.parametrize("words", [[], ["a"], ["a", "b"]])
def test_short_sentences_are_open(words):
    widths = Closing("complete", CellClassifier(2, {})).predict(words)
    assert widths.shape == (len(words), len(words) + 1) and (widths == DEFAULT).all()
    CellClassifier(2, {}).learn(words, np.zeros_like(widths), 1.0)


def test_unknown_words_have_the_tags_of_their_classes():
    tags = find_frequent_tags(read("(ROOT (S (NN dog) (NN cat)))" * 6 + "(ROOT (S (NNP Ann) (NNP Eva)))" * 5))
    assert tags["dog"] == "NN" and tags[" title:"] == "NNP"
    # Those of `dog` and `cat` are not rare.
    assert " lower:" not in tags


def test_learning_is_deterministic_and_round_trips():
    made = [learn_closing(make_examples("complete"), "complete", find_frequent_tags(read())) for _ in range(2)]
    assert made[0].to_bytes() == made[1].to_bytes()
    for again in (Closing.from_bytes(made[0].to_bytes()), pickle.loads(pickle.dumps(made[0]))):
        assert again.to_bytes() == made[0].to_bytes()
        assert (again.predict(["the", "red", "dog"]) == made[0].predict(["the", "red", "dog"])).all()


def test_damaged_bytes_are_refused():
    data = learn_closing(make_examples("complete"), "complete", {}, table_bits=8).to_bytes()
    for size in {0, 1, len(data) // 2, len(data) - 1, *range(0, len(data), 997)}:
        with pytest.raises(JointValueError, match="J05"):
            Closing.from_bytes(data[:size])
    for place in range(0, len(data), 211):
        damaged = bytearray(data)
        damaged[place] ^= 0x55
        try:
            Closing.from_bytes(bytes(damaged))
        except JointValueError as error:
            assert error.code in {"J050", "J051", "J052", "J695"}


def words_of(n):
    return ["a"] * n


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("J030", lambda: CellClassifier(1, {})),
        ("J030", lambda: CellClassifier(2, {}, 40)),
        ("J030", lambda: CellClassifier(2, {}).learn(words_of(2), np.zeros((2, 3)), float("nan"))),
        ("J002", lambda: CellClassifier(2, {}).predict(words_of(5001))),
        ("J001", lambda: CellClassifier(2, {}).learn(words_of(2), np.zeros((3, 3)), 1.0)),
        ("J001", lambda: CellClassifier(2, {}).learn(words_of(2), np.full((2, 3), 2), 1.0)),
        ("J001", lambda: CellClassifier(2, {}).set_biases([0, 0])),
        ("J001", lambda: CellClassifier(2, {}).set_biases([float("inf")])),
        ("J052", lambda: CellClassifier.from_bytes(CellClassifier(2, {}).to_bytes().replace(b"tags", b"gats"))),
        ("J695", lambda: Closing("widths", CellClassifier(2, {}))),
        ("J695", lambda: Closing("none", CellClassifier(2, {}))),
        ("J695", lambda: learn_closing([], "none", {})),
    ],
)
def test_what_is_impossible_is_refused(code, call):
    with pytest.raises(JointValueError) as caught:
        call()
    assert caught.value.code in (code, "J052")
