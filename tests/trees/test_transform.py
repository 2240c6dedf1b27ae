"""Tree transforms: the properties of hedges hold for any tree and any limit."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.charts.training import hedge
from spacy_joint.corpora.brackets import clean, split_label
from spacy_joint.trees.constituency_trees import ROOT, Tree, nest, parse_trees
from spacy_joint.trees.heads import HeadRules, load_head_rules
from spacy_joint.trees.transform import binarise, find_segments, mark_heads

from .strategies import number, trees, unbinarise

QUICK = settings(max_examples=40)
limits = st.integers(1, 12)
RULES = HeadRules("S left VP\nVP left VB\nNP right NN\nPP leftmost")
MARKET = (
    "(S (NP (NNS traders)) (VP (VBP are) (ADJP (JJ afraid) (SBAR (IN that) (S (NP (NP (NN much)) (PP (IN of) (NP "
    "(DT the) (JJ old) (NN market)))) (VP (MD will) (VP (VB stay) (ADJP (JJ calm)) (PP (IN for) (NP (NNS days))))))))) "
    "(. .))"
)


def read(text):
    return clean(*parse_trees(text))


def sizes(tree):
    """The number of words of each phrase below the root."""
    return [end - start for _, start, end in tree.spans()[1:]]


@QUICK
@given(trees, limits)
def test_words_are_kept_and_constituents_above_the_limit_are_not(tree, limit):
    hedged = hedge(tree, limit)
    assert list(hedged.preterminals()) == list(tree.preterminals())
    assert hedged.label == ROOT and all(size <= limit for size in sizes(hedged))


@QUICK
@given(trees, limits)
def test_constituents_within_the_limit_are_kept_in_their_order(tree, limit):
    kept = [(label, start, end) for label, start, end in tree.spans()[1:] if end - start <= limit]
    assert hedge(tree, limit).spans()[1:] == kept


def test_the_worked_example():
    hedged = hedge(read(MARKET), 7)
    assert [child.label for child in hedged.children] == ["NP", "VBP", "JJ", "IN", "NP", "VP", "."]
    starts = {start: kind for kind, start, _ in find_segments(hedged.spans()[1:], 15)}
    assert starts == {0: "G", 4: "NP", 9: "VP", 14: "G"}


def test_unary_chains_survive_or_disappear_completely():
    tree = read("(S (VP (SBAR (NN a) (NN b) (NN c))) (NN d))")
    assert str(hedge(tree, 3)) == "(ROOT (VP (SBAR (NN a) (NN b) (NN c))) (NN d))"
    assert str(hedge(tree, 2)) == "(ROOT (NN a) (NN b) (NN c) (NN d))"


@QUICK
@given(trees, limits, st.sets(st.integers(0, 30)))
def test_segments_cover_the_words_and_only_groups_may_be_long(tree, limit, starts):
    n_words = len(tree.leaves())
    hedges = hedge(tree, limit).spans()[1:]
    within = {start for start in starts if not any(first < start < end for _, first, end in hedges)}
    segments = find_segments(hedges, n_words, within)
    assert [start for _, start, _ in segments] == [0, *(end for _, _, end in segments[:-1])]
    assert segments[-1][2] == n_words
    assert all(kind == "G" or 2 <= end - start <= limit for kind, start, end in segments)
    for (kind, _, end), (other, _, _) in pairwise(segments):
        assert (kind, other) != ("G", "G") or end in within
    assert {start for start in within if start < n_words} <= {start for _, start, _ in segments}


def test_segments_that_are_not_chunks_have_the_type_out():
    segments = find_segments([("S", 0, 2), ("VP", 0, 1), ("NP", 3, 5)], 5)
    assert segments == [("OUT", 0, 2), ("G", 2, 3), ("NP", 3, 5)]


def test_the_head_takes_its_right_sisters_first():
    tree = mark_heads(*parse_trees("(NP (DT the) (JJ old) (NN cat) (PP (IN here)) (, ,))"), RULES)
    assert str(binarise(tree)) == "(NP (DT the) (@NP (JJ old) (@NP (@NP (NN cat) (PP (IN here))) (, ,))))"


def test_cleaning_keeps_categories_and_words():
    raw = "( (S (NP-SBJ-1 (-NONE- *)) (VP (VBD left) (NP=2 (NP (PRP$ her))) (PRT|ADVP (RP up)) (-LRB- -LRB-))) )"
    assert str(read(raw)) == "(ROOT (S (VP (VBD left) (NP (PRP$ her)) (PRT (RP up)) (-LRB- -LRB-))))"


@pytest.mark.parametrize("top", ["", "TOP", "ROOT", "S1"])
def test_every_tree_has_one_root(top):
    assert str(read(f"({top} (NP (NN tea)))")) == str(read("(NP (NN tea))")) == "(ROOT (NP (NN tea)))"


@pytest.mark.parametrize(
    ("label", "category", "function"),
    [
        ("NP", "NP", ""),
        ("NP-SBJ=2", "NP", "SBJ"),
        ("ADVP-LOC-PRD-12", "ADVP", "LOC-PRD"),
        ("ADVP|PRT", "ADVP", ""),
        ("-LRB-", "-LRB-", ""),
        ("PRP$", "PRP$", ""),
        ("=", "=", ""),
    ],
)
def test_labels_are_divided_into_categories_and_functions(label, category, function):
    assert split_label(label) == (category, function)


@QUICK
@given(trees)
def test_a_tree_is_built_from_its_spans(tree):
    constituents = [(Tree(label), [(start, end)]) for label, start, end in tree.spans()[1:]]
    assert nest(Tree(ROOT), constituents, tree.preterminals()) == tree


# Heads


@pytest.mark.parametrize(
    ("rule", "children", "head"),
    [
        ("X left B A", ["A", "B", "B"], 1),
        ("X right B A", ["A", "B", "B", "C"], 2),
        ("X leftmost B A", ["C", "A", "B"], 1),
        ("X rightmost B A", ["A", "B", "A", "C"], 2),
        ("X rightmost", ["A", "B"], 1),
        ("X left C\nX right A", ["A", "A", "B"], 1),
        ("X left C", ["A", "B"], 0),
        ("Y left B", ["A", "B"], 0),
    ],
)
def test_heads_follow_rules(rule, children, head):
    assert HeadRules(rule).find("X", children) == head


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", ["DT", "JJ", "NN", "POS"], 3),
        ("NP", ["NP", "PP"], 0),
        ("NP", ["DT", "NN", "NN", ","], 2),
        ("VP", ["MD", "VP"], 0),
        ("S", ["NP", "VP", "."], 1),
        ("PP", ["IN", "NP"], 0),
        ("QP", ["RB", "$", "CD"], 1),
    ],
)
def test_english_heads(label, children, head):
    assert load_head_rules("english").find(label, children) == head


@pytest.mark.parametrize("text", ["X", "X left", "X up A", "NP left A\nVP nowhere A"])
def test_wrong_rules_are_refused(text):
    with pytest.raises(ValueError, match=r"\[J331\] Line [12]"):
        HeadRules(text)


def test_comments_and_empty_lines_are_not_rules():
    assert HeadRules("# heads\n\nX left A # first\n").find("X", ["B", "A"]) == 1


def test_deep_trees():
    deep = Tree("NN", word="a")
    for height in range(2000):
        deep = Tree("AB"[height % 2], (deep, Tree("NN", word="b"), Tree("NN", word="c")))
    tree = number(Tree(ROOT, (deep,)))
    assert unbinarise(binarise(mark_heads(clean(tree), RULES))).spans() == tree.spans()
    assert len(hedge(tree, 7).spans()) == 4
