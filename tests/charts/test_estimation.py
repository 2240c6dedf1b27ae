"""Grammars of treebanks, and the text that holds them."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts.estimation import estimate_grammar
from spacy_joint.charts.grammar import Grammar, Rule, is_factored, strip_annotation
from spacy_joint.charts.lexicon import Lexicon, list_classes
from spacy_joint.errors import JointValueError
from spacy_joint.trees.constituency_trees import parse_trees

from ..fuzz.readers import GRAMMAR
from ..trees.strategies import trees

QUICK = settings(max_examples=25)
TREEBANK = (
    "(ROOT (S (NP (DT a) (JJ old) (NN cat)) (VP (VB sleeps)))) (ROOT (S (NP (NN cat)) (VP (VB eats) (NP (NN fish)))))"
)
PLAIN = {"horizontal": 0, "parents": False, "tag_parents": False}


def estimate(text=TREEBANK, **settings):
    return estimate_grammar(parse_trees(text), **settings)


def rules(grammar):
    return {f"{rule.parent} -> {' '.join(rule.children)}": rule.probability for rule in grammar.rules}


def test_probabilities_are_relative_frequencies():
    assert rules(estimate(**PLAIN)) == {
        "ROOT -> S": 1,
        "S -> NP VP": 1,
        "NP -> DT @NP": pytest.approx(1 / 3),
        "@NP -> JJ NN": 1,
        "NP -> NN": pytest.approx(2 / 3),
        "VP -> VB": 0.5,
        "VP -> VB NP": 0.5,
    }


def test_symbols_of_binarisation_name_sisters():
    found = rules(estimate(horizontal=1, parents=False, tag_parents=False))
    assert found["@NP|JJ -> JJ NN"] == 1
    # One symbol follows, once, so that half of the probability is that of any symbol.
    assert found["NP -> DT @NP|JJ"] == found["NP -> DT @NP"] == pytest.approx(1 / 6)
    assert found["@NP -> @NP|JJ"] == 1


def test_symbols_name_the_constituent_above():
    found = rules(estimate(horizontal=1))
    assert found["S -> NP^S VP^S"] == found["VP^S -> VB^VP NP^VP"] / 0.5 == found["ROOT -> S"] == 1
    assert "@NP|JJ -> JJ^NP NN^NP" in found


def test_a_constituent_alone_in_one_of_the_same_label_is_the_same_constituent():
    assert rules(estimate("(ROOT (NP (NP (NN cat))))", **PLAIN)) == {"ROOT -> NP": 1, "NP -> NN": 1}


@QUICK
@given(st.lists(trees, min_size=1, max_size=4), st.integers(0, 2), st.booleans())
def test_probabilities_of_rules_and_words_add_up_to_one(treebank, horizontal, parents):
    grammar = estimate_grammar(treebank, horizontal=horizontal, parents=parents)
    totals = dict(grammar.lexicon.totals())
    for rule in grammar.rules:
        totals[rule.parent] = totals.get(rule.parent, 0) + rule.probability
    assert all(math.isclose(total, 1) for total in totals.values())


@QUICK
@given(st.lists(trees, min_size=1, max_size=4))
def test_the_text_of_a_grammar_is_read_as_the_same_grammar(treebank):
    grammar = estimate_grammar(treebank)
    text = grammar.to_text()
    assert Grammar.from_text(text).to_text() == text


def test_annotation_is_no_part_of_a_label():
    assert strip_annotation("@NP|JJ,NN") == "@NP" and is_factored("@NP|JJ,NN")
    assert strip_annotation("NP^S") == "NP" and not is_factored("NP^S")
    assert strip_annotation("^") == "^"


def test_unknown_words_have_the_tags_of_rare_words_with_the_same_ending():
    sentences = " ".join(f"(ROOT (S (VBG {c}ing) (NN {c}o)))" for c in "abcdefghijklm")
    lexicon = estimate(sentences, **PLAIN).lexicon
    assert set(lexicon.find_tags("zing")) == {"VBG"} and set(lexicon.find_tags("zo")) == {"NN"}


def test_a_first_word_is_known_in_lower_case():
    lexicon = Lexicon({"the": (("DT", 0.5),)}, (), {})
    assert lexicon.find_tags("The", is_first=True) == {"DT": 0.5} and not lexicon.find_tags("The")


@pytest.mark.parametrize("word", ["", "x", "Ab", "AB", "1990s", "--", "x-1", "€", "ǅ"])
def test_classes_of_words_end_with_the_class_of_all_words(word):
    assert list_classes(word)[-1] == ":"


GOOD = Grammar(
    "R", [Rule("R", ("A",), 1.0), Rule("A", ("A", "A"), 0.5)], Lexicon({"a": (("A", 0.5),)}, (), {})
).to_text()
# Grammars, what is replaced in them, and the code of the error.
REFUSED = {
    GOOD: [
        ("pcfg 1", "pcfg 2", "J666"),
        ("A -> A A 0.5", "A -> A A", "J666"),
        ("A -> A A 0.5", "A -> A A x", "J666"),
        ("A -> A A 0.5", "A -> A A 0.0", "J030"),
        ("A -> A A 0.5", "A -> A A -0.5", "J030"),
        ("A -> A A 0.5", "A -> A A nan", "J030"),
        ("A -> A A 0.5", "A -> A A 0.6", "J674"),
        ("A -> A A 0.5", "A -> A B 0.5", "J669"),
        ("a A 0.5", "a A 0.0", "J674"),
        ("a A 0.5", "a A", "J666"),
        ("a A 0.5", "a", "J666"),
        ("unary 1\nR -> A 1.0", "unary 0", "J671"),
        ("binary 1\nA -> A A 0.5", "binary 2\nA -> A A 0.25\nA -> A A 0.25", "J670"),
        ("words 1\na A 0.5", "words 2\na A 0.25\na A 0.25", "J666"),
        ("binary 1", "binary x", "J668"),
        ("end\n", "", "J668"),
        ("classes 0", "classes 1\n: 0 A 0.1", "J666"),
    ],
    GRAMMAR: [
        ("binary 2", "binary " + "9" * 5000, "J668"),
        ("binary 2", "binary 999999999", "J666"),
        ("binary 2", "binary -2", "J668"),
        (": 2 A", ": " + "9" * 400 + " A", "J666"),
        (": 2 A", ": " + "9" * 5000 + " A", "J666"),
        (": 2 A 0.125", ": 2 A 5e-324", "J674"),
        ("R -> A B 0.5", "R -> A B inf", "J030"),
        ("R -> A B 0.5", "R -> A B 1e-400", "J030"),
        ("b B 0.125", "b B nan", "J674"),
        ("\n", "\x00", "J666"),
        ("pcfg", "\ufeffpcfg", "J666"),
    ],
}


@pytest.mark.parametrize(
    ("text", "old", "new", "code"), [(text, *row) for text, rows in REFUSED.items() for row in rows]
)
def test_what_is_no_grammar_is_refused(text, old, new, code):
    assert old in text
    with pytest.raises(JointValueError, match=rf"\[{code}\]"):
        Grammar.from_text(text.replace(old, new))


@pytest.mark.parametrize("children", [(), ("A", "A", "A")])
def test_rules_have_one_or_two_children(children):
    rules = [Rule("R", ("A",), 1.0), Rule("A", children, 0.5)]
    with pytest.raises(JointValueError, match=rf"\[J030\] The number of children of A -> .* is {len(children)}"):
        Grammar("R", rules, Lexicon({"a": (("A", 0.5),)}, (), {}))


def test_a_truncated_text_is_refused():
    lines = GOOD.split("\n")
    for size, _ in enumerate(pairwise(lines)):
        with pytest.raises(JointValueError, match=r"\[J668\]"):
            Grammar.from_text("\n".join(lines[:size]))


@pytest.mark.parametrize(
    "text, code",
    [
        ("(ROOT (A^B (NN cat)))", "J672"),
        ("(ROOT (@A (NN cat)))", "J672"),
        ("", "J330"),
    ],
)
def test_what_no_grammar_can_be_made_of_is_refused(text, code):
    with pytest.raises(JointValueError, match=rf"\[{code}\]"):
        estimate(text)
