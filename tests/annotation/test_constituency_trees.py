"""Trees in bracket notation."""

import pytest

from spacy_joint.annotation.constituency_trees import Tree, parse_trees, read_trees

CAT = "(S (NP (DT the) (JJ old) (NN cat)) (VP (VBZ sleeps)))"


def test_words_and_tags_are_read_in_order():
    (tree,) = parse_trees(CAT)
    assert tree.leaves() == ["the", "old", "cat", "sleeps"]
    assert [node.label for node in tree.preterminals()] == ["DT", "JJ", "NN", "VBZ"]


def test_a_tree_is_written_as_it_was_read():
    assert str(*parse_trees(CAT)) == CAT


def test_spans_are_listed_outermost_first():
    (tree,) = parse_trees(CAT)
    assert tree.spans() == [("S", 0, 4), ("NP", 0, 3), ("VP", 3, 4)]


def test_the_outermost_bracket_may_have_no_label():
    first, second = parse_trees(f"( {CAT} )\n\n( {CAT} )")
    assert first.label == "" and first.children[0].label == "S"
    assert first == second


def test_a_tree_may_be_as_deep_as_memory_allows():
    deep = "(X " * 20_000 + "(NN cat)" + ")" * 20_000
    (tree,) = parse_trees(deep)
    assert str(tree) == deep and len(tree.spans()) == 20_000


@pytest.mark.parametrize(
    "text, message",
    [
        ("(S (NN cat)\n(NN dog)", "line 1.*never closed"),
        ("(S\n(NN cat)))", "line 2.*closing bracket"),
        ("(NN cat) dog", "word 'dog'"),
        ("(NN cat dog)", "word 'dog'"),
        ("(NP (NN cat) dog)", "word 'dog'"),
        ("(NN cat (NN dog))", "bracket after a word"),
        ("(NP (NN))", "bracket without a word"),
    ],
)
def test_wrong_brackets_are_named_with_their_line(text, message):
    with pytest.raises(ValueError, match=message):
        list(parse_trees(text))


def test_a_file_is_named_in_errors(tmp_path):
    path = tmp_path / "cat.mrg"
    with pytest.raises(FileNotFoundError, match=r"J101.*cat\.mrg"):
        read_trees(path)
    path.write_bytes(b"(NN cat)\n(NN caf\xe9)")
    with pytest.raises(ValueError, match=r"J403.*cat\.mrg, line 2.*0xe9"):
        list(read_trees(path))
    path.write_text("(NN cat", encoding="utf8")
    with pytest.raises(ValueError, match=r"J132.*cat\.mrg, line 1"):
        list(read_trees(path))


def test_trees_are_values():
    assert {Tree("NN", word="cat"), Tree("NN", word="cat")} == {Tree("NN", word="cat")}
