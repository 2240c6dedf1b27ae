"""CYK: the best derivation is the best of all derivations, which brute force enumerates."""

import math
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.grammar import Rule
from spacy_joint.errors import JointValueError

from .grammars import SYMBOLS, grammars, make_grammar, sentences

QUICK = settings(max_examples=120)
ALL_TAGS = [(symbol, -1.0) for symbol in SYMBOLS]


def find_best(grammar, sentence, max_span=0):
    """The score of the best derivation. Within a chain of unary rules, no symbol can help twice."""

    @cache
    def best(symbol, start, end, chain=()):
        is_glue = symbol in ("R", "@R") and (start == 0 or end == len(sentence))
        if 0 < max_span < end - start and not is_glue:
            return -math.inf
        scores = [score for tag, score in sentence[start] if tag == symbol] if end - start == 1 else []
        for rule in grammar.rules:
            if rule.parent != symbol:
                continue
            if len(rule.children) == 2:
                below = [
                    best(rule.children[0], start, middle) + best(rule.children[1], middle, end)
                    for middle in range(start + 1, end)
                ]
            elif rule.children[0] in (*chain, symbol):
                continue
            else:
                below = [best(rule.children[0], start, end, (*chain, symbol))]
            scores += [math.log(rule.probability) + score for score in below]
        return max(scores, default=-math.inf)

    return best(grammar.root, 0, len(sentence))


def score_nodes(grammar, sentence, nodes, tags):
    """The score of a derivation."""
    probabilities = {rule[:2]: math.log(rule.probability) for rule in grammar.rules}
    score = sum(dict(of_word)[tag] for of_word, tag in zip(sentence, tags, strict=True))
    # The topmost symbols so far, by their words.
    above = {(word, word + 1): tag for word, tag in enumerate(tags)}
    for symbol, start, end in nodes:
        splits = [((start, middle), (middle, end)) for middle in range(start + 1, end)]
        (children,) = [[(start, end)]] if (start, end) in above else [split for split in splits if {*split} <= {*above}]
        score += probabilities[symbol, tuple(above[child] for child in children)]
        above[start, end] = symbol
    return score


@QUICK
@given(grammars(), sentences, st.integers(0, 4))
def test_the_best_derivation_with_any_limit_is_found(grammar, sentence, max_span):
    score, nodes, tags = ChartParser(grammar, max_span=max_span).parse(sentence)
    assert score == pytest.approx(find_best(grammar, sentence, max_span))
    if nodes:
        assert score == pytest.approx(score_nodes(grammar, sentence, nodes, tags))


@QUICK
@given(grammars(), sentences, sentences)
def test_a_sentence_leaves_nothing_for_the_next(grammar, first, second):
    parser = ChartParser(grammar)
    parser.parse(first)
    assert parser.parse(second) == ChartParser(grammar).parse(second)


def test_nodes_are_children_first():
    grammar = make_grammar([Rule("R", ("A", "B"), 0.5), Rule("B", ("B", "@R"), 0.5), Rule("@R", ("A",), 0.5)])
    sentence = [[("A", -1.0)], [("B", -1.0)], [("A", -1.0)]]
    score, nodes, _ = ChartParser(grammar).parse(sentence)
    assert nodes == [("@R", 2, 3), ("B", 1, 3), ("R", 0, 3)]
    assert score == pytest.approx(3 * math.log(0.5) - 3)


@pytest.mark.parametrize("sentence", [[], [[]], [ALL_TAGS, []], [[("@R", -1.0)]]])
def test_what_cannot_be_derived_has_no_nodes(sentence):
    grammar = make_grammar([Rule("R", ("A", "B"), 0.5)])
    assert ChartParser(grammar).parse(sentence) == (-math.inf, [], [])


@pytest.mark.parametrize(
    ("sentence", "max_span", "code"),
    [
        *(([ALL_TAGS, [tag]], 0, "J675") for tag in [("X", -1.0), ("A", 0.5), ("A", math.nan), ("A", -math.inf)]),
        ([ALL_TAGS] * 5_001, 0, "J002"),
        *(([], max_span, "J030") for max_span in (-1, 2**31 - 1)),
    ],
)
def test_wrong_tags_limits_and_lengths_are_refused(sentence, max_span, code):
    with pytest.raises(JointValueError, match=rf"\[{code}\]"):
        ChartParser(make_grammar([Rule("R", ("A",), 0.5)]), max_span=max_span).parse(sentence)


def test_of_long_sentences_only_cells_for_hedges_and_what_joins_them_are_open():
    grammar = make_grammar([Rule("R", ("A", "@R"), 0.5), Rule("@R", ("A", "@R"), 0.4), Rule("@R", ("A", "A"), 0.5)])
    for n_words in (10, 20, 40):
        parser = ChartParser(grammar, max_span=3)
        score, nodes, _ = parser.parse([[("A", -1.0)]] * n_words)
        assert math.isfinite(score) and len(nodes) == n_words - 1
        # Up to three words, those that begin and those that end with the sentence, and the whole sentence.
        open_cells = 3 * n_words - 3 + 2 * (n_words - 4) + 1
        assert parser.stats["cells"] - parser.stats["closed"] == open_cells
