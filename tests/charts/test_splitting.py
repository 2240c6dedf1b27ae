"""Splitting symbols: what expectation maximisation finds, against brute force."""

import math
from collections import Counter
from copy import copy
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts import splitting
from spacy_joint.charts.boundaries import estimate_boundaries
from spacy_joint.charts.estimation import estimate_grammar, prepare
from spacy_joint.charts.grammar import join_subsymbols, strip_annotation
from spacy_joint.charts.splitting import SplitTreebank
from spacy_joint.trees.constituency_trees import flatten, parse_trees

from ..trees.strategies import trees

QUICK = settings(max_examples=10)
PLAIN = {"horizontal": 0, "parents": False, "tag_parents": False}
# Subjects are pronouns and objects are not, which the symbols do not say.
TREEBANK = list(
    parse_trees(
        """
        (ROOT (S (NP (PRP she)) (VP (V saw) (NP (DT the) (N cat)))))
        (ROOT (S (NP (PRP he)) (VP (V saw) (NP (DT the) (N cat)))))
        """
        * 6
    )
)


@pytest.fixture(scope="module", autouse=True)
def split_rare_symbols():
    """Treebanks of tests are small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "MIN_SPLIT", 1)
        yield


def split(treebank, cycles, seed=0):
    made = SplitTreebank([prepare(tree, **PLAIN) for tree in treebank], seed)
    for _ in range(cycles):
        made.run_cycle()
    return made


def enumerate_subsymbols(made, tree):
    """The probability of a tree with each choice of subsymbols, by the probabilities of a treebank's rules."""
    nodes, parents = flatten(prepare(tree, **PLAIN))
    below = [[place for place, parent in enumerate(parents) if parent == of and place] for of in range(len(nodes))]
    rules = []
    for node, places in zip(nodes, below, strict=True):
        names = [nodes[place].label for place in places]
        if node.is_preterminal:
            (names,) = [key[1] for key in made._rules[0] if key[0] == node.label and fits(key[1][0], node.word)]
        rules.append(made._probabilities[len(places)][made._rules[len(places)][node.label, tuple(names)]])
    for chosen in product(range(made.n_subsymbols), repeat=len(nodes) - 1):
        numbers = (0, *chosen)
        yield math.prod(
            rule[(numbers[place], *(numbers[child] for child in below[place]))] for place, rule in enumerate(rules)
        )


def fits(terminal, word):
    """Whether a word is what a rule has: itself, or the class of rare words, which here is that of all."""
    return terminal in (word, " :")


def test_counts_without_splits_are_those_of_trees():
    rules, sentences = split(TREEBANK, 0).count()
    assert rules == {
        ("ROOT", ("S",)): 12,
        ("S", ("NP", "VP")): 12,
        ("NP", ("PRP",)): 12,
        ("NP", ("DT", "N")): 12,
        ("VP", ("V", "NP")): 12,
    }
    assert sentences[0] == [
        (word, {tag: 1}) for word, tag in zip(["she", "saw", "the", "cat"], ("PRP", "V", "DT", "N"), strict=True)
    ]


def test_the_likelihood_is_that_of_all_choices_of_subsymbols():
    treebank = list(parse_trees("(ROOT (S (NP (X a)) (VP (V b) (NP (X c)))))(ROOT (NP (X d) (X e)))"))
    made = split(treebank, 0)
    made.split()
    made.improve()
    expected = sum(math.log(sum(enumerate_subsymbols(made, tree))) for tree in treebank)
    assert made.improve() == pytest.approx(expected)


@QUICK
@given(st.lists(trees, min_size=1, max_size=4), st.integers(0, 3))
def test_no_step_makes_trees_less_probable(treebank, seed):
    made = split(treebank, 1, seed)
    made.split()
    likelihoods = [made.improve() for _ in range(8)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(likelihoods))


@QUICK
@given(st.lists(trees, min_size=1, max_size=4), st.integers(0, 2))
def test_expected_counts_add_up_to_those_of_symbols(treebank, cycles):
    expected = Counter(
        (node.label, tuple(child.label for child in node.children))
        for tree in treebank
        for node in prepare(tree, **PLAIN).nodes()
        if node.children
    )
    found = Counter()
    made = split(treebank, cycles)
    if cycles:
        made.improve()
    for arity in (1, 2):
        for rule, number in made._rules[arity].items():
            found[rule] = made._counts[arity][number].sum()
    assert found == pytest.approx(expected)


@pytest.fixture(scope="module")
def learnt():
    made = split(TREEBANK, 0)
    made.split()
    for _ in range(100):
        made.improve()
    return made


def test_subsymbols_tell_what_symbols_do_not(learnt):
    subjects, objects = Counter(), Counter()
    for (parent, children), count in learnt.count()[0].items():
        if parent.startswith("S"):
            subjects[children[0]] += count
        if parent.startswith("VP"):
            objects[children[1]] += count
    ((subject, often),) = subjects.most_common(1)
    assert often > 11.9 and objects[subject] < 0.1


def test_half_of_the_pairs_are_merged_those_that_matter_least(learnt):
    made = copy(learnt)
    made._counts = list(learnt._counts)
    made.merge()
    symbols = {symbol for parent, children in made.count()[0] for symbol in (parent, *children)}
    # Of seven.
    assert len({"S", "NP", "VP", "PRP", "V", "DT", "N"} & symbols) == 3
    assert {"NP-0", "NP-1"} <= symbols


def test_rare_symbols_are_not_split(monkeypatch):
    monkeypatch.setattr(splitting, "MIN_SPLIT", 13)
    made = split(TREEBANK, 0)
    made.split()
    made.improve()
    symbols = {symbol for parent, children in made.count()[0] for symbol in (parent, *children)}
    assert symbols == {"ROOT", "S", "NP-0", "NP-1", "VP", "V", "PRP", "DT", "N"}


@QUICK
@given(st.lists(trees, min_size=1, max_size=3), st.integers(1, 2), st.integers(0, 1))
def test_split_grammars_are_grammars_with_the_labels_of_trees(treebank, cycles, horizontal):
    annotation = {**PLAIN, "horizontal": horizontal}
    grammar = estimate_grammar(treebank, **annotation, split_cycles=cycles)
    totals = Counter(grammar.lexicon.totals())
    for rule in grammar.rules:
        totals[rule.parent] += rule.probability
    assert all(total == pytest.approx(1, abs=0.01) for total in totals.values())
    plain = {rule.parent for rule in estimate_grammar(treebank, **annotation).rules}
    assert {join_subsymbols(rule.parent) for rule in grammar.rules} == plain
    boundaries = estimate_boundaries([prepare(tree, **annotation) for tree in treebank], grammar)
    # Subsymbols are as probable beside a tag as their symbol is.
    for place, symbol in enumerate(grammar.symbols):
        first = [join_subsymbols(other) for other in grammar.symbols].index(join_subsymbols(symbol))
        assert np.array_equal(boundaries.left[:, place], boundaries.left[:, first])


def test_the_same_seed_gives_the_same_grammar():
    texts = [estimate_grammar(TREEBANK, **PLAIN, split_cycles=2, seed=seed).to_text() for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize(
    "symbol, label, whole",
    [
        ("NP-0", "NP", "NP"),
        ("@NP|JJ-12", "@NP", "@NP|JJ"),
        ("-1", "-1", "-1"),
        ("-LRB-", "-LRB-", "-LRB-"),
        ("NP^S-3", "NP", "NP^S"),
    ],
)
def test_subsymbols_have_numbers(symbol, label, whole):
    assert strip_annotation(symbol) == label and join_subsymbols(symbol) == whole
