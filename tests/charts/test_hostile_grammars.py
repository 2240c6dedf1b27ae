"""Charts that nobody should need: grammars and sentences of strangers, no memory, other threads, and Ctrl-C."""

import copy
import pickle
import sys

import pytest

from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.grammar import Grammar, Rule

from ..engine.processes import INTERRUPT, LIMIT, limited, run_alone
from ..engine.sharing import Busy
from ..fuzz.readers import GRAMMAR
from .test_cyk import ALL_TAGS, SYMBOLS, make_grammar

# Each symbol of each cell comes from any two: much work for few words.
SATURATED = make_grammar(
    [Rule(parent, (left, right), 1 / 20) for parent in SYMBOLS for left in SYMBOLS for right in SYMBOLS]
)


# Grammars


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
