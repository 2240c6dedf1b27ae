"""Charts that nobody should need: grammars and sentences of strangers, no memory, other threads, and Ctrl-C."""

import copy
import math
import pickle
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.estimation import estimate_grammar
from spacy_joint.charts.grammar import Grammar, Rule

from ..engine.processes import INTERRUPT, LIMIT, limited, run_alone
from ..engine.sharing import Busy
from ..fuzz.readers import GRAMMAR
from ..trees.strategies import trees
from .grammars import tag
from .test_cyk import ALL_TAGS, SYMBOLS, find_best, grammars, make_grammar

QUICK = settings(max_examples=60)
# Each symbol of each cell comes from any two: much work for few words.
SATURATED = make_grammar(
    [Rule(parent, (left, right), 1 / 20) for parent in SYMBOLS for left in SYMBOLS for right in SYMBOLS]
)


# Grammars


@QUICK
@given(st.lists(trees, min_size=1, max_size=3))
def test_grammars_of_treebanks_parse_as_brute_force_does(treebank):
    grammar = estimate_grammar(treebank)
    sentence = tag(grammar, [*grammar.lexicon.words, "unknown"][:4])
    assert ChartParser(grammar).parse(sentence)[0] == pytest.approx(find_best(grammar, sentence))


@QUICK
@given(
    grammars(), st.lists(st.sampled_from([[], ALL_TAGS, [("A", 0.0)], [("C", -1e300)], [("B", -5e-324)]]), max_size=5)
)
def test_scores_may_be_as_extreme_as_numbers_are(grammar, sentence):
    known = [[(tag, score) for tag, score in word if tag in grammar.symbols] for word in sentence]
    score, nodes, _ = ChartParser(grammar).parse(known)
    assert score <= 0 and (score > -math.inf or not nodes)


def test_rules_that_are_certain_may_be_cyclic():
    cycle = [Rule("R", ("A",), 1.0), Rule("A", ("B",), 1.0), Rule("B", ("C",), 1.0), Rule("C", ("A",), 1.0)]
    score, nodes, _ = ChartParser(make_grammar(cycle)).parse([[("C", 0.0)]])
    assert (score, [symbol for symbol, *_ in nodes]) == (0, ["B", "A", "R"])


def test_the_least_probability_has_a_logarithm():
    grammar = make_grammar([Rule("R", ("A", "A"), 5e-324)])
    assert ChartParser(grammar).parse([ALL_TAGS] * 2)[0] == pytest.approx(math.log(5e-324) - 2)


def test_line_breaks_may_be_those_of_windows():
    assert Grammar.from_text(GRAMMAR.replace("\n", "\r\n")).to_text() == Grammar.from_text(GRAMMAR).to_text()


# Sentences


def test_a_sentence_that_changes_while_it_is_read_is_read_as_it_was():
    sentence = []

    def grow():
        sentence.extend([ALL_TAGS] * 1000)
        yield from ALL_TAGS

    sentence += [grow(), ALL_TAGS]
    parser = ChartParser(make_grammar([Rule("R", ("A", "B"), 0.5)]))
    assert parser.parse(sentence) == parser.parse([ALL_TAGS] * 2)


def test_a_tag_that_is_given_twice_has_its_best_score():
    parser = ChartParser(make_grammar([Rule("R", ("A",), 0.5)]))
    assert parser.parse([[("A", -2.0), ("A", -1.0), ("A", -3.0)]]) == parser.parse([[("A", -1.0)]])


def test_parsers_are_not_copied():
    parser = ChartParser(make_grammar([Rule("R", ("A",), 0.5)]))
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            duplicate(parser)


# Threads, memory, interrupts


def test_a_parser_belongs_to_one_thread_at_a_time():
    parser, long, found = ChartParser(SATURATED), [ALL_TAGS] * 150, []
    expected = parser.parse(long)
    with Busy(lambda: found.append(parser.parse(long))) as busy:
        assert busy.refused(lambda: parser.parse([ALL_TAGS])) == {"J007"}
    assert found == [expected] and parser.parse(long) == expected


SETUP = (
    LIMIT
    + """
from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.grammar import Grammar, Rule
from spacy_joint.charts.lexicon import Lexicon

symbols = "RABC"
rules = [Rule(p, (l, r), 1 / 20) for p in symbols for l in symbols for r in symbols]
words = {"a": tuple((symbol, 1e-9) for symbol in symbols)}
parser = ChartParser(Grammar("R", rules, Lexicon(words, (), {})))
tags = [(symbol, -1.0) for symbol in symbols]
expected = parser.parse([tags] * 20)
"""
)


@limited
def test_a_chart_without_memory_says_so_and_can_be_used_again():
    run_alone(
        SETUP,
        """
        for megabytes in (0.2, 1, 3, 8):
            assert fails(lambda: parser.parse([tags] * 600), megabytes)
            assert parser.parse([tags] * 20) == expected
        """,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there are no timers")
def test_a_long_parse_is_interrupted_soon():
    run_alone(
        SETUP + INTERRUPT,
        """
        for seconds in (0.1, 0.5):
            took = interrupt(lambda: parser.parse([tags] * 5000), seconds)
            assert took is not None and took < 1.5, took
            assert parser.parse([tags] * 20) == expected
        """,
    )
