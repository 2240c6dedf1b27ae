"""Discontinuous trees: binarisation, root attachment and the continuous variant hold for any tree."""

from itertools import combinations

from hypothesis import given, settings

from spacy_joint.trees.constituency_trees import Tree, assemble, count_blocks, find_blocks, flatten
from spacy_joint.trees.discontinuity import attach_root_children, make_continuous
from spacy_joint.trees.heads import HeadRules, load_head_rules
from spacy_joint.trees.transform import binarise, mark_heads

from .strategies import discontinuous_trees, read_tree, trees, unbinarise

QUICK = settings(max_examples=40)
RULES = HeadRules("* function hd\nS left VP\nVP right VB\nNP right NN\nPP rightmost")
# `Whom did Ada meet ?`, with the object where the verb is.
QUESTION = "(ROOT (SQ (VP (WP 0=Whom) (VB 3=meet)) (VBD 1=did) (NP (NNP 2=Ada))) (. 4=?))"


def count_discontinuous(tree):
    return sum(count_blocks(words) > 1 for _, words in tree.yields())


@QUICK
@given(discontinuous_trees())
def test_binarisation_can_be_undone(tree):
    binary = binarise(mark_heads(tree, RULES))
    assert all(len(node.children) <= 2 for node in binary.nodes())
    assert unbinarise(binary) == tree


@QUICK
@given(discontinuous_trees())
def test_children_are_ordered_by_their_first_words(tree):
    for transformed in (tree, binarise(mark_heads(tree, RULES)), attach_root_children(tree)):
        firsts = {id(node): words & -words for node, words in transformed.yields()}
        for node in transformed.nodes():
            first_words = [firsts[id(child)] for child in node.children]
            assert first_words == sorted(first_words)


@QUICK
@given(discontinuous_trees())
def test_a_tree_is_assembled_from_its_parts(tree):
    assert assemble(*flatten(tree)) == tree


@QUICK
@given(discontinuous_trees())
def test_heads_of_binarised_nodes_are_on_the_right_first(tree):
    # The head takes its right sisters, then its left ones: once the head is on the right, it stays there.
    for node in binarise(mark_heads(tree, RULES)).nodes():
        for place, child in enumerate(node.children):
            if child.label.startswith("@"):
                assert node.head == place and node.label.lstrip("@") == child.label.lstrip("@")
                assert not (place == 0 and child.head == 1)


@QUICK
@given(discontinuous_trees())
def test_root_attachment_keeps_words_and_constituents_and_adds_no_gaps(tree):
    attached = attach_root_children(tree)
    assert list(attached.preterminals()) == list(tree.preterminals())
    assert sorted(node.label for node in attached.nodes()) == sorted(node.label for node in tree.nodes())
    assert count_discontinuous(attached) <= count_discontinuous(tree)


@QUICK
@given(trees)
def test_a_continuous_tree_stays_as_it_is(tree):
    assert attach_root_children(tree) == tree
    assert make_continuous(tree) == tree


@QUICK
@given(discontinuous_trees())
def test_the_continuous_variant_has_the_same_nodes_and_no_gaps(tree):
    continuous = make_continuous(mark_heads(tree, RULES))
    assert continuous.is_continuous
    assert list(continuous.preterminals()) == list(tree.preterminals())
    assert sorted(node.label for node in continuous.nodes()) == sorted(node.label for node in tree.nodes())


@QUICK
@given(discontinuous_trees())
def test_blocks_are_nested_and_yields_are_their_words(tree):
    for (_, first, end), (_, other, last) in combinations(tree.spans(), 2):
        assert end <= other or last <= first or (first <= other and last <= end) or (other <= first and end <= last)
    for _, words in tree.yields():
        blocks = find_blocks(words)
        assert sum((1 << end) - (1 << start) for start, end in blocks) == words
        assert count_blocks(words) == len(blocks)


def test_binarisation_of_a_question():
    rules = HeadRules("ROOT left SQ\nSQ left VBD\nVP left VB")
    binary = binarise(mark_heads(read_tree(QUESTION), rules))
    assert str(binary) == ("(ROOT (SQ (VP (WP 0=Whom) (VB 3=meet)) (@SQ (VBD 1=did) (NP (NNP 2=Ada)))) (. 4=?))")
    assert [node.head for node in binary.nodes() if len(node.children) == 2] == [0, 1, 1, 0]


def test_punctuation_at_the_root_goes_to_what_is_around_it():
    tree = read_tree("(ROOT (S (NP (N 0=a)) (VP (V 2=b) (N 4=c))) (, 1=,) (: 3=:) (. 5=.))")
    assert str(attach_root_children(tree)) == "(ROOT (S (NP (N a)) (, ,) (VP (V b) (: :) (N c))) (. .))"


def test_several_root_children_in_a_row_move_together():
    tree = read_tree("(ROOT (S (A 0=a) (B 3=b)) (, 1=,) (: 2=:))")
    assert str(attach_root_children(tree)) == "(ROOT (S (A a) (, ,) (: :) (B b)))"


def test_what_has_no_head_in_a_block_is_raised():
    tree = mark_heads(read_tree(QUESTION), HeadRules("VP left VB"))
    assert str(make_continuous(tree)) == "(ROOT (SQ (WP Whom) (VBD did) (NP (NNP Ada)) (VP (VB meet))) (. ?))"


def test_raising_continues_to_the_nearest_constituent_without_a_gap():
    tree = read_tree("(ROOT (S (VP (NP (N 0=a) (PP (P 4=e))) (V 2=c)) (X 1=b)) (Y 3=d))")
    rules = HeadRules("VP left V\nS left VP")
    assert str(make_continuous(mark_heads(tree, rules))) == "(ROOT (S (NP (N a)) (X b) (VP (V c))) (Y d) (PP (P e)))"


def test_a_function_marks_the_head_before_labels_do():
    rules = load_head_rules("alpino")
    assert rules.find("np", ["det", "noun", "pp"], ["det", "hd", "mod"]) == 1
    assert rules.find("conj", ["np", "vg", "np"], ["cnj", "crd", "cnj"]) == 0
    assert rules.find("np", ["det", "noun"]) == 0


def test_german_heads():
    rules = load_head_rules("negra")
    assert rules.find("S", ["NP", "VAFIN", "VP"]) == 2
    assert rules.find("S", ["NP", "VVFIN", "VP"]) == 1
    assert rules.find("NP", ["ART", "ADJA", "NN", "PP"]) == 2
    assert rules.find("PP", ["APPR", "NN"]) == 0


def test_long_sentences_and_chains():
    words = [Tree("W", word="w", index=index) for index in range(1000)]
    # Even words are under one constituent, odd words under another, both under a chain.
    nodes = [Tree("ROOT"), *(Tree("X") for _ in range(100)), Tree("A"), Tree("B"), *words]
    parents = [-1, *range(100), 100, 100, *(101 + index % 2 for index in range(1000))]
    tree = assemble(nodes, parents)
    assert [count_blocks(bits) for node, bits in tree.yields() if node.label in "AB"] == [500, 500]
    assert unbinarise(binarise(mark_heads(tree, RULES))) == tree
    assert make_continuous(tree).is_continuous
    assert attach_root_children(tree) == tree
