"""Searches that leave edges out: by the width of all cells, or of each, in the order of a figure of merit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts.boundaries import BoundaryModel, estimate_boundaries
from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.estimation import estimate_grammar, prepare
from spacy_joint.charts.grammar import Rule
from spacy_joint.charts.sentence_parser import parse_with_fallbacks
from spacy_joint.errors import JointValueError
from spacy_joint.trees.constituency_trees import parse_trees

from ..trees.strategies import trees
from .grammars import SYMBOLS, grammars, make_grammar, sentences

QUICK = settings(max_examples=60)
WIDE = 1_000


def make_boundaries(grammar, seed):
    """A model with random numbers, for grammars of which all symbols are tags."""
    numbers = np.random.default_rng(seed)
    n_tags = len(SYMBOLS)
    shapes = ((n_tags,), (n_tags + 1, n_tags), (n_tags + 1, n_tags), (n_tags + 1, n_tags + 1))
    tags = sorted(SYMBOLS)
    return BoundaryModel(grammar.symbols, tags, *(-5 * numbers.random(shape) for shape in shapes))


def make_widths(sentence, value):
    return np.full((len(sentence), len(sentence) + 1), value)


parsers = st.builds(
    lambda grammar, seed: ChartParser(grammar, make_boundaries(grammar, seed) if seed else None),
    grammars(),
    st.integers(0, 9),
)


@QUICK
@given(parsers, sentences)
def test_a_search_without_limits_is_exhaustive(parser, sentence):
    score, *_ = parser.parse(sentence)
    for limits in ({"width": WIDE}, {"widths": make_widths(sentence, -1)}, {"widths": make_widths(sentence, 2**40)}):
        assert parser.parse(sentence, **limits)[0] == pytest.approx(score)


@QUICK
@given(parsers, sentences, st.data())
def test_no_restricted_search_finds_a_better_derivation(parser, sentence, data):
    exhaustive, *_ = parser.parse(sentence)
    size = len(sentence) * (len(sentence) + 1)
    values = data.draw(st.lists(st.integers(-2, 3), min_size=size, max_size=size))
    widths = np.array(values, dtype=np.int32).reshape(len(sentence), -1)
    score, *_ = parser.parse(sentence, width=data.draw(st.integers(0, 3)), widths=widths)
    assert score <= exhaustive + 1e-9


@QUICK
@given(parsers, sentences)
def test_the_ranks_of_the_best_derivation_are_widths_that_find_it_again(parser, sentence):
    score, nodes, _ = parser.parse(sentence)
    ranks = parser.rank_edges(sentence, nodes)
    found, *_ = parser.parse(sentence, widths=ranks)
    assert found == pytest.approx(score)
    assert (ranks > 0).sum() <= len(nodes)


def test_the_rank_of_an_edge_is_its_place_in_the_agenda_of_the_cell():
    grammar = make_grammar([Rule("R", ("B", "B"), 0.1), Rule("A", ("B", "B"), 0.9), Rule("B", ("B", "B"), 0.5)])
    parser, sentence = ChartParser(grammar), [[("B", -1.0)], [("B", -1.0)]]
    _, nodes, _ = parser.parse(sentence)
    assert nodes == [("R", 0, 2)]
    assert parser.rank_edges(sentence, nodes).tolist() == [[0, 0, 3], [0, 0, 0]]
    assert parser.parse(sentence, width=2) == (-math.inf, [], [])


def test_a_boundary_model_changes_the_order():
    grammar = make_grammar([Rule("R", ("B", "B"), 0.1), Rule("A", ("B", "B"), 0.9), Rule("B", ("B", "B"), 0.5)])
    zeros = np.zeros((5, 4))
    left = np.where(np.array(grammar.symbols) == "R", 0, -9) + zeros
    model = BoundaryModel(grammar.symbols, sorted(SYMBOLS), np.zeros(4), left, zeros, np.zeros((5, 5)))
    parser, sentence = ChartParser(grammar, model), [[("B", -1.0)], [("B", -1.0)]]
    _, nodes, _ = parser.parse(sentence, width=1)
    assert parser.rank_edges(sentence, nodes)[0, 2] == 1


@QUICK
@given(grammars(), sentences, st.integers(1, 4))
def test_a_model_that_knows_nothing_orders_by_inside_scores(grammar, sentence, width):
    flat = [np.full(shape, -1.5) for shape in ((4,), (5, 4), (5, 4), (5, 5))]
    uniform = ChartParser(grammar, BoundaryModel(grammar.symbols, sorted(SYMBOLS), *flat))
    plain = ChartParser(grammar)
    assert uniform.parse(sentence, width=width) == plain.parse(sentence, width=width)


def test_closed_cells_have_nothing_but_the_tags_of_words():
    grammar = make_grammar([Rule("R", ("A", "A"), 0.5), Rule("A", ("A", "A"), 0.4), Rule("B", ("A",), 0.5)])
    parser, sentence = ChartParser(grammar), [[("A", -1.0)]] * 3
    widths = make_widths(sentence, -1)
    widths[0, 2] = 0
    _, nodes, _ = parser.parse(sentence, widths=widths)
    assert nodes == [("A", 1, 3), ("R", 0, 3)]
    assert parser.stats["cells"] == 6 and parser.stats["closed"] == 1
    widths[1, 3] = 0
    assert parser.parse(sentence, widths=widths) == (-math.inf, [], [])


def test_cells_may_be_for_symbols_of_binarisation_only():
    rules = [Rule("R", ("A", "@R"), 0.5), Rule("R", ("A", "A"), 0.5), Rule("A", ("A", "A"), 0.5)]
    grammar = make_grammar([*rules, Rule("@R", ("A", "A"), 0.01)])
    parser, sentence = ChartParser(grammar), [[("A", -1.0)]] * 3
    widths = make_widths(sentence, -1)
    widths[0, 2], widths[1, 3] = 0, -2
    assert parser.parse(sentence, widths=widths)[1] == [("@R", 1, 3), ("R", 0, 3)]


@pytest.mark.parametrize(
    "settings, code",
    [
        ({"width": -1}, "J030"),
        ({"width": 2**31}, "J030"),
        ({"widths": np.zeros((2, 2), dtype=np.int32)}, "J001"),
        ({"widths": np.zeros((2, 3))}, "J001"),
        ({"widths": np.full((2, 3), -3)}, "J001"),
        ({"widths": [[0]]}, "J001"),
    ],
)
def test_wrong_widths_are_refused(settings, code):
    parser = ChartParser(make_grammar([Rule("R", ("A", "A"), 0.5)]))
    with pytest.raises(JointValueError, match=rf"\[{code}\]"):
        parser.parse([[("A", -1.0)]] * 2, **settings)


@pytest.mark.parametrize("nodes", [[("R", 0, 3)], [("R", -1, 1)], [("X", 0, 2)], [("B", 0, 2)], [("R", 1, 0)]])
def test_ranks_are_of_derivations_of_the_chart(nodes):
    parser = ChartParser(make_grammar([Rule("R", ("A", "A"), 0.5)]))
    with pytest.raises(JointValueError, match=r"\[J683\]"):
        parser.rank_edges([[("A", -1.0)]] * 2, nodes)


@QUICK
@given(parsers, sentences, st.integers(0, 2), st.data())
def test_all_sentences_have_a_tree(parser, sentence, width, data):
    widths = make_widths(sentence, data.draw(st.integers(-1, 1)))
    (score, nodes, tags), stage = parse_with_fallbacks(parser.parse, sentence, width=width, widths=widths)
    assert len(tags) == len(sentence)
    # A word may be an R.
    assert nodes[-1:] == [("R", 0, len(sentence))] or (not nodes and len(sentence) == 1)
    assert (stage == "glued") == (score == -math.inf)


def test_a_failed_search_is_repeated_with_less_left_out():
    grammar = make_grammar([Rule("R", ("B", "B"), 0.1), Rule("A", ("B", "B"), 0.9), Rule("B", ("B", "B"), 0.5)])
    parser, sentence = ChartParser(grammar), [[("B", -1.0)], [("B", -1.0)]]
    assert parse_with_fallbacks(parser.parse, sentence, width=3)[-1] == "first"
    assert parse_with_fallbacks(parser.parse, sentence, width=2)[-1] == "wider"
    assert parse_with_fallbacks(parser.parse, sentence, width=2, widths=make_widths(sentence, 0))[-1] == "open"
    (_, nodes, _), stage = parse_with_fallbacks(parser.parse, sentence, width=1)
    assert stage == "glued" and nodes == [("A", 0, 2), ("R", 0, 2)]


def test_fragments_are_glued_without_a_tag_for_each_word():
    parser = ChartParser(make_grammar([Rule("R", ("A", "B"), 0.5), Rule("A", ("B", "B"), 0.5)]))
    _, nodes, _ = parser.parse([[("B", -1.0)], [("B", -1.0)], [], [("B", -1.0)]], glue=True)
    assert nodes == [("A", 0, 2), ("R", 0, 4)]
    assert parser.parse([[]], glue=True)[1] == [("R", 0, 1)]
    assert parser.parse([], glue=True)[1] == []


TREEBANK = "(ROOT (S (NP (DT a) (JJ old) (NN cat)) (VP (VB eats) (NP (NN fish)))))"


def estimate(treebank):
    settings = {"horizontal": 1, "parents": True, "tag_parents": True}
    grammar = estimate_grammar(treebank, **settings)
    return grammar, estimate_boundaries([prepare(tree, **settings) for tree in treebank], grammar)


@settings(max_examples=60)
@given(st.lists(trees, min_size=1, max_size=3))
def test_boundary_models_are_distributions(treebank):
    _grammar, model = estimate(treebank)
    assert np.exp(model.left).sum(axis=1) == pytest.approx(np.ones(len(model.tags) + 1), rel=1e-4)
    assert np.exp(model.right).sum(axis=0) == pytest.approx(np.ones(len(model.symbols)), rel=1e-4)
    assert np.exp(model.bigrams).sum(axis=1) == pytest.approx(np.ones(len(model.tags) + 1), rel=1e-4)


def test_boundary_models_know_what_is_next_to_symbols():
    _grammar, model = estimate(list(parse_trees(TREEBANK)))
    assert model.tags == ("DT", "JJ", "NN", "VB")
    after_noun, noun_phrase = model.tags.index("NN"), model.symbols.index("NP^S")
    assert model.symbols[model.left[after_noun].argmax()] == "VP^S"
    assert model.right[:, noun_phrase].argmax() == model.tags.index("VB")
    assert model.symbols[model.left[model.tags.index("DT")].argmax()] in ("@NP", "@NP|JJ")


def test_what_is_no_boundary_model_is_refused():
    _grammar, model = estimate(list(parse_trees(TREEBANK)))
    data = model.to_bytes()
    other = make_grammar([Rule("R", ("A", "A"), 0.5)])
    wrong = [model.symbols, model.tags, model.shares, model.left, model.right]
    for call, code in (
        (lambda: BoundaryModel.from_bytes(data[: len(data) // 2]), "J052"),
        (lambda: BoundaryModel.from_bytes(b"\x80"), "J052"),
        (lambda: BoundaryModel(*wrong, model.bigrams[1:]), "J001"),
        (lambda: BoundaryModel(*wrong, -model.bigrams), "J001"),
        (lambda: BoundaryModel(*wrong, model.bigrams * np.inf), "J001"),
        (lambda: ChartParser(other, model), "J682"),
    ):
        with pytest.raises(JointValueError, match=rf"\[{code}\]"):
            call()
