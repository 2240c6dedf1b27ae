"""What all derivations, and the best ones, say: compared with brute force, which enumerates derivations."""

import math
import signal
import sys
from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.decoding import THRESHOLD, decode_posteriors
from spacy_joint.charts.grammar import Grammar, Rule
from spacy_joint.charts.lexicon import Lexicon
from spacy_joint.charts.posteriors import find_best_splits
from spacy_joint.errors import JointValueError

from .grammars import (
    SYMBOLS,
    grammars,
    leave_out_binarisation,
    list_constituents,
    list_derivations,
    make_grammar,
    sentences,
)

QUICK = settings(max_examples=40)
acyclic = grammars(cyclic=False)
WORD = [("A", -1.0)]
AMBIGUOUS = [
    Rule("R", ("A", "A"), 0.5),
    Rule("A", ("A", "A"), 0.3),
    Rule("A", ("B", "A"), 0.2),
    Rule("B", ("A", "A"), 0.5),
]


@QUICK
@given(acyclic, sentences)
def test_the_best_trees_are_those_of_brute_force(grammar, sentence):
    best = defaultdict(lambda: -math.inf)
    for score, tree in list_derivations(grammar, sentence):
        key = tuple(list_constituents(tree)[0])
        best[key] = max(best[key], score)
    found = ChartParser(grammar).list_best(sentence, 5)
    assert [score for score, *_ in found] == pytest.approx(sorted(best.values(), reverse=True)[:5])
    for score, nodes, _ in found:
        assert score == pytest.approx(best[tuple(leave_out_binarisation(nodes))])


@QUICK
@given(grammars(), sentences)
def test_the_first_of_the_best_trees_is_the_best_one(grammar, sentence):
    parser = ChartParser(grammar)
    best, *_ = parser.parse(sentence)
    scores = [score for score, *_ in parser.list_best(sentence, 4)]
    # Sums of the same numbers in another order: there may be ties, too.
    assert scores[:1] == pytest.approx([best] if best > -math.inf else [])
    assert scores == pytest.approx(sorted(scores, reverse=True))


def test_the_best_trees_of_a_cycle_go_round_it():
    grammar = make_grammar([Rule("R", ("A",), 0.9), Rule("A", ("B",), 0.5), Rule("B", ("A",), 0.5)])
    found = ChartParser(grammar).list_best([WORD], 3)
    assert [len(nodes) for _, nodes, _ in found] == [1, 3, 5]
    assert [score for score, *_ in found] == pytest.approx([math.log(0.9) - 1 + k * math.log(0.25) for k in range(3)])


def test_a_cycle_that_costs_nothing_ends():
    grammar = make_grammar([Rule("R", ("A",), 0.9), Rule("A", ("B",), 1 - 1e-8), Rule("B", ("A",), 1 - 1e-8)])
    assert len(ChartParser(grammar).list_best([WORD], 3)) == 3


def test_derivations_of_the_same_trees_do_not_keep_others_from_being_listed():
    # Each A is one of three subsymbols, and all derivations of the best tree are better than those of others.
    names = ["A-0", "A-1", "A-2"]
    rules = [Rule("R", (name,), 0.3) for name in names]
    for one, other in product(names, repeat=2):
        rules += [Rule(one, ("B", other), 0.2), Rule(one, (other, "B"), 1e-9)]
    words = {"a": tuple((name, 0.1) for name in (*names, "B"))}
    sentence = [[(name, -1.0) for name in (*names, "B")]] * 8
    found = ChartParser(Grammar("R", rules, Lexicon(words, (), {}))).list_best(sentence, 200)
    # Each word but the innermost two is joined from the left or from the right.
    assert len(found) == 2**6


def test_trees_of_long_sentences_are_listed():
    found = ChartParser(make_grammar(AMBIGUOUS)).list_best([WORD] * 60, 20)
    assert len(found) == 20 and len({tuple(nodes) for _, nodes, _ in found}) == 20


@QUICK
@given(acyclic, sentences)
def test_sums_are_those_of_brute_force(grammar, sentence):
    total, expected = 0.0, defaultdict(float)
    for score, tree in list_derivations(grammar, sentence):
        total += math.exp(score)
        for constituent in list_constituents(tree)[0]:
            expected[constituent] += math.exp(score)
    found, posteriors, _ = ChartParser(grammar).sum_derivations(sentence, min_probability=0)
    assert math.exp(found) == pytest.approx(total)
    # Which symbols over one word are constituents and which tags cannot be told in these grammars.
    long = {key: value / total for key, value in expected.items() if key[2] - key[1] > 1}
    assert {tuple(key): value for *key, value in posteriors if value > 1e-9} == pytest.approx(
        {key: value for key, value in long.items() if value > 1e-9}
    )


@QUICK
@given(acyclic, sentences, st.data())
def test_sums_of_a_pruned_chart_are_of_some_derivations(grammar, sentence, data):
    parser, n = ChartParser(grammar), len(sentence)
    cells = data.draw(st.lists(st.integers(-2, 2), min_size=n * (n + 1), max_size=n * (n + 1)))
    limits = {"width": data.draw(st.integers(0, 3)), "widths": np.array(cells).reshape(n, n + 1)}
    best, *_ = parser.parse(sentence, **limits)
    everything, *_ = parser.sum_derivations(sentence)
    total, posteriors, tags = parser.sum_derivations(sentence, **limits, min_probability=0)
    # Chains of unary rules may have symbols that are no entries, so they are at least those of the chart.
    assert best <= total + 1e-9 and total <= everything + 1e-9
    assert (best > -math.inf) == (total > -math.inf)
    assert all(-1e-9 <= value <= len(SYMBOLS) + 1e-9 for *_, value in posteriors)
    for word, of_word in enumerate(tags):
        assert sum(of_word.values()) >= 1 - 1e-9 and set(of_word) <= {tag for tag, _ in sentence[word]} | set(SYMBOLS)


@QUICK
@given(acyclic, sentences)
def test_tags_are_as_probable_as_brute_force_says(grammar, sentence):
    total, expected = 0.0, [defaultdict(float) for _ in sentence]

    def list_tags(tree):
        children = tree[1:]
        if isinstance(children[0], int):
            return [(tree[0], children[0])]
        # A symbol over a symbol over a word counts for its word, too.
        return [found for child in children for found in list_tags(child)]

    for score, tree in list_derivations(grammar, sentence):
        total += math.exp(score)
        for tag, word in list_tags(tree):
            expected[word][tag] += math.exp(score)
    _, _, tags = ChartParser(grammar).sum_derivations(sentence, min_probability=0)
    for of_word, wanted in zip(tags, expected, strict=False):
        assert all(of_word[tag] >= value / total - 1e-9 for tag, value in wanted.items())


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (1, 0)])
def test_gains_have_a_row_for_each_word(shape):
    with pytest.raises(JointValueError, match=r"\[J001\]"):
        find_best_splits(np.zeros(shape))


def test_cyclic_unary_rules_are_summed():
    grammar = make_grammar([Rule("R", ("A",), 0.9), Rule("A", ("B",), 0.5), Rule("B", ("A",), 0.5)])
    total, *_ = ChartParser(grammar).sum_derivations([WORD])
    assert math.exp(total) == pytest.approx(0.9 * math.exp(-1) / (1 - 0.25))


def test_sums_that_are_not_finite_are_refused():
    grammar = make_grammar([Rule("R", ("A",), 0.9), Rule("A", ("B",), 1.0), Rule("B", ("A",), 1.0)])
    with pytest.raises(JointValueError, match=r"\[J684\]"):
        ChartParser(grammar).sum_derivations([WORD])


def test_sums_of_long_sentences_neither_overflow_nor_vanish():
    parser, sentence = ChartParser(make_grammar(AMBIGUOUS)), [[("A", -50.0)]] * 200
    best, *_ = parser.parse(sentence)
    total, posteriors, _ = parser.sum_derivations(sentence)
    assert best < total < 0
    assert all(0 <= posterior < 1 + 1e-6 for *_, posterior in posteriors)
    assert [posterior for label, *span, posterior in posteriors if label == "R"] == [pytest.approx(1)]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no timers")
def test_sums_of_long_sentences_are_interrupted():
    class Interruption(Exception):
        pass

    def interrupt(*_):
        raise Interruption

    parser = ChartParser(make_grammar(AMBIGUOUS))
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Interruption):
            parser.sum_derivations([WORD] * 3_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert parser.parse([WORD] * 3) == ChartParser(make_grammar(AMBIGUOUS)).parse([WORD] * 3)


def test_what_cannot_be_derived_has_no_sums():
    parser = ChartParser(make_grammar(AMBIGUOUS))
    for sentence in ([], [[]], [WORD]):
        assert parser.sum_derivations(sentence) == (-math.inf, [], [])
        assert parser.list_best(sentence, 2) == []


@pytest.mark.parametrize("k", [-1, 0, 10**6 + 1, 2**31])
def test_only_a_number_of_trees_can_be_asked_for(k):
    with pytest.raises(JointValueError, match=r"\[J030\]"):
        ChartParser(make_grammar(AMBIGUOUS)).list_best([WORD], k)


def test_the_decoded_tree_has_what_is_probable():
    posteriors = [("R", 0, 4, 1.0), ("A", 0, 2, 0.6), ("B", 1, 4, 0.4), ("B", 2, 4, 0.7), ("A", 2, 4, 0.8)]
    assert decode_posteriors(posteriors, 4, "R") == [("B", 2, 4), ("A", 2, 4), ("A", 0, 2)]
    assert decode_posteriors([("R", 0, 4, 1.0), ("A", 0, 2, 0.3), ("B", 2, 4, 0.3)], 4, "R") == []
    assert decode_posteriors([("A", 0, 1, 1.0)], 1, "R") == [("A", 0, 1)] and decode_posteriors([], 0, "R") == []


@QUICK
@given(st.integers(1, 6), st.integers(0, 5))
def test_the_decoded_tree_is_the_best_choice(n_words, seed):
    numbers = np.random.default_rng(seed)
    spans = [(start, end) for start in range(n_words) for end in range(start + 1, n_words + 1)]
    posteriors = [("A", *span, float(numbers.random())) for span in spans]

    def best(start, end):
        own = max(0.0, dict(((s, e), p) for _, s, e, p in posteriors)[start, end] - THRESHOLD)
        return own + max((best(start, middle) + best(middle, end) for middle in range(start + 1, end)), default=0.0)

    chosen = decode_posteriors(posteriors, n_words, "R")
    gained = sum(p - THRESHOLD for label, s, e, p in posteriors if (label, s, e) in chosen)
    assert gained == pytest.approx(best(0, n_words))
