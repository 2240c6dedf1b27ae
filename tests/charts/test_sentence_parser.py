"""Sentences by a grammar: which tags words can have, what is left of binarisation, how long sentences are cut."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.charts.estimation import estimate_grammar
from spacy_joint.charts.grammar import Grammar, Rule
from spacy_joint.charts.lexicon import Lexicon
from spacy_joint.charts.sentence_parser import SentenceParser
from spacy_joint.errors import JointValueError
from spacy_joint.trees.constituency_trees import Tree, nest, parse_trees

from .grammars import TREEBANK as TREES


def make(trees=TREES, *, width=0, decoding="viterbi", max_words=200, cut_long=False, **settings):
    grammar = estimate_grammar(list(parse_trees(trees)), **settings)
    return SentenceParser(grammar, width=width, decoding=decoding, max_words=max_words, cut_long=cut_long)


def format_parse(parse, words):
    below = [(Tree(label), [(start, end)]) for label, start, end in parse.constituents]
    return str(nest(Tree("ROOT"), below, [Tree(tag, word=word) for tag, word in zip(parse.tags, words, strict=True)]))


@pytest.mark.parametrize("horizontal", [0, 1, 2])
@pytest.mark.parametrize("annotated", [True, False])
def test_trees_of_the_treebank_come_back_without_what_was_added_to_labels(horizontal, annotated):
    parser = make(horizontal=horizontal, parents=annotated, tag_parents=annotated)
    for tree in parse_trees(TREES):
        parse, stats = parser.parse(tree.leaves())
        assert format_parse(parse, tree.leaves()) == str(tree)
        assert parse.log_probability == stats["log_probability"] < 0
        assert (stats["words"], stats["parts"]) == (len(tree.leaves()), 1)


def test_the_probability_is_the_product_of_rules_and_words():
    lexicon = Lexicon({"a": (("A", 0.5),), "b": (("B", 0.25), ("A", 0.5))}, (), {})
    grammar = Grammar("ROOT", [Rule("ROOT", ("S",), 1.0), Rule("S", ("A", "B"), 0.75)], lexicon)
    parse, _ = SentenceParser(grammar, width=0, decoding="viterbi", max_words=9, cut_long=False).parse(["a", "b"])
    assert parse.log_probability == pytest.approx(math.log(0.5 * 0.25 * 0.75))
    # The tag that the tree needs, not the most probable one of the word.
    assert parse.tags == ["A", "B"]


def test_given_tags_are_kept():
    parser = make()
    words, tags = ["the", "saw", "met", "ada", "."], ["DT", "NN", "VBD", "NNP", "."]
    parse, _ = parser.parse(words, tags)
    assert format_parse(parse, words) == "(ROOT (S (NP (DT the) (NN saw)) (VP (VBD met) (NP (NNP ada))) (. .)))"
    # Also where the word has another one in the lexicon.
    assert parser.parse(["the", "ada", "met", "ben", "."], tags)[0].tags == tags


@pytest.mark.parametrize("tag", ["", "UNHEARD"])
def test_words_without_a_tag_of_the_grammar_have_those_of_the_lexicon(tag):
    parser = make()
    words = ["the", "old", "cat", "saw", "ada", "."]
    assert parser.parse(words, [tag] * len(words))[0] == parser.parse(words)[0]


def test_words_of_no_class_can_have_any_tag():
    lexicon = Lexicon({"a": (("A", 1.0),), "b": (("B", 1.0),)}, (), {})
    grammar = Grammar("ROOT", [Rule("ROOT", ("A", "B"), 1.0)], lexicon)
    parse, _ = SentenceParser(grammar, width=0, decoding="viterbi", max_words=9, cut_long=False).parse(["x", "y"])
    assert parse.tags == ["A", "B"]
    assert parse.log_probability == pytest.approx(2 * math.log(1 / 3))


def test_long_sentences_are_refused_or_cut_at_clause_marks():
    words = ["the", "cat", "saw", "ben", ",", "ben", "met", "the", "cat", "in", "the", "park", "."]
    with pytest.raises(JointValueError, match=r"\[J700\].*13.*12.*max_words.*cut_long"):
        make(max_words=12).parse(words)
    parse, stats = make(max_words=12, cut_long=True).parse(words)
    assert stats["parts"] == 2
    tree = next(parse_trees(format_parse(parse, words)))
    assert [len(child.leaves()) for child in tree.children] == [5, 8]
    single = [make().parse(part)[0].log_probability for part in (words[:5], words[5:])]
    assert parse.log_probability == pytest.approx(sum(single))


@given(n_words=st.integers(1, 40), limit=st.integers(1, 12))
def test_parts_have_all_words_and_are_not_too_long(n_words, limit):
    parser = make(max_words=limit, cut_long=True)
    parse, stats = parser.parse(["cat"] * n_words)
    assert len(parse.tags) == n_words
    assert stats["parts"] == -(-n_words // limit)


def test_sums_that_are_not_finite_are_refused_before_anything_is_parsed():
    rules = [Rule("ROOT", ("A",), 1.0), Rule("A", ("B",), 1.0), Rule("B", ("A",), 1.0)]
    grammar = Grammar("ROOT", rules, Lexicon({"a": (("A", 1e-9),)}, (), {}))
    with pytest.raises(JointValueError, match=r"\[J684\]"):
        SentenceParser(grammar, width=0, decoding="max_constituents", max_words=9, cut_long=False)


def test_decoded_trees_have_the_probability_of_the_words():
    lexicon = Lexicon({"a": (("A", 0.5), ("B", 0.1)), "b": (("B", 0.25),)}, (), {})
    rules = [Rule("ROOT", ("S",), 1.0), Rule("S", ("A", "B"), 0.5), Rule("S", ("B", "B"), 0.25)]
    settings = {"width": 0, "decoding": "max_constituents", "max_words": 9, "cut_long": False}
    parse, _ = SentenceParser(Grammar("ROOT", rules, lexicon), **settings).parse(["a", "b"])
    assert parse.log_probability == pytest.approx(math.log(0.5 * 0.5 * 0.25 + 0.25 * 0.1 * 0.25))
    assert (parse.tags, parse.constituents) == (["A", "B"], [("S", 0, 2)])
