"""Trees in bracket notation."""

import copy
import pickle

import pytest

from spacy_joint.trees.constituency_trees import (
    ROOT,
    Tree,
    count_blocks,
    find_blocks,
    format_tree,
    nest,
    parse_trees,
    read_trees,
)

from .strategies import read_tree

CAT = "(S (NP (DT the) (JJ old) (NN cat)) (VP (VBZ sleeps)))"


def test_words_and_tags_are_read_in_order():
    (tree,) = parse_trees(CAT)
    assert str(tree) == CAT
    assert tree.leaves() == ["the", "old", "cat", "sleeps"]
    assert [node.label for node in tree.preterminals()] == ["DT", "JJ", "NN", "VBZ"]
    # The outermost first.
    assert tree.spans() == [("S", 0, 4), ("NP", 0, 3), ("VP", 3, 4)]


def test_the_outermost_bracket_may_have_no_label():
    first, second = parse_trees(f"( {CAT} )\n\n( {CAT} )")
    assert first.label == "" and first.children[0].label == "S"
    assert first == second


@pytest.mark.parametrize(
    "text, message",
    [
        ("(S (NN cat)\n(NN dog)", "J132.*line 1.*never closed"),
        ("(S\n(NN cat)))", "J131.*line 2.*closing bracket"),
        ("(NN cat) dog", "J131.*word 'dog'"),
        ("(NN cat dog)", "J131.*word 'dog'"),
        ("(NP (NN cat) dog)", "J131.*word 'dog'"),
        ("(NN cat (NN dog))", "J131.*bracket after a word"),
        ("(NP (NN))", "J131.*bracket without a word"),
    ],
)
def test_wrong_brackets_are_named_with_their_line(text, message):
    with pytest.raises(ValueError, match=message):
        list(parse_trees(text))


def test_a_file_is_named_in_errors(tmp_path):
    path = tmp_path / "cat.mrg"
    with pytest.raises(FileNotFoundError, match=r"J101.*cat\.mrg"):
        next(read_trees(path))
    path.write_bytes(b"(NN cat)\n(NN caf\xe9)")
    with pytest.raises(ValueError, match=r"J403.*cat\.mrg, line 2.*0xe9"):
        list(read_trees(path))
    path.write_text("(NN cat", encoding="utf8")
    with pytest.raises(ValueError, match=r"J132.*cat\.mrg, line 1"):
        list(read_trees(path))


# Discontinuous trees

RICH = "(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John) (? 3=?))"


def test_words_with_positions_are_in_the_order_of_the_sentence():
    tree = read_tree(RICH)
    assert tree.leaves() == ["is", "John", "rich", "?"]
    assert str(tree) == format_tree(tree, indexed=True) == RICH
    assert not tree.is_continuous


def test_a_discontinuous_constituent_has_a_span_for_each_block():
    tree = read_tree(RICH)
    assert tree.spans() == [("S", 0, 4), ("VP", 0, 1), ("VP", 2, 3)]


def test_yields_are_sets_of_words():
    tree = read_tree(RICH)
    yields = {node.label: words for node, words in tree.yields()}
    assert (yields["S"], yields["VP"], yields["NP"]) == (0b1111, 0b0101, 0b0010)
    assert find_blocks(0b1101110) == [(1, 4), (5, 7)] and count_blocks(0b1101110) == 2
    assert find_blocks(0) == [] and count_blocks(0) == 0


def test_trees_are_nested_whatever_the_order_of_their_constituents():
    words = [Tree(tag, word=word) for tag, word in (("VB", "is"), ("NP", "John"), ("JJ", "rich"), ("?", "?"))]
    tree = nest(Tree(ROOT), [(Tree("VP"), [(0, 1), (2, 3)]), (Tree("S"), [(0, 4)])], words)
    assert str(tree) == f"(ROOT {RICH})"


def test_constituents_that_cross_are_not_a_tree():
    words = [Tree("N", word=word) for word in "abc"]
    with pytest.raises(ValueError, match=r"\[J335\] The constituent Y of tokens 1 to 3 \('b c'\)"):
        nest(Tree(ROOT), [(Tree("X"), [(0, 2)]), (Tree("Y"), [(1, 3)])], words)


def test_trees_as_deep_as_memory_allows_are_read_compared_hashed_shown_and_copied():
    deep = "(X " * 20_000 + "(NN 0=cat)" + ")" * 20_000
    one, other = read_tree(deep), read_tree(deep)
    assert len(one.spans()) == 20_000
    assert one == other and hash(one) == hash(other) and repr(one) == f"<Tree {deep}>"
    assert one != "cat" and one != one.children[0]
    assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one


def test_a_pickled_tree_is_the_same():
    tree = read_tree("(ROOT (S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John)) (. 3=!))")
    child = tree.children[0].with_children(tree.children[0].children, 1)
    tree = Tree(ROOT, (child, Tree(".", word="!", index=3, function="punct", lemma="!", morph="Sg")), head=0)
    assert pickle.loads(pickle.dumps(tree)) == tree
