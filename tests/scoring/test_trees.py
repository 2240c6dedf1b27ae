"""Scores of constituency trees: the values of disco-dop, and its definitions on trees that can be checked by hand."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.corpora.brackets import read_discbrackets
from spacy_joint.scoring.brackets import load_parameters
from spacy_joint.scoring.trees import find_edit_distance, find_levenshtein_distance, list_paths, score_trees
from spacy_joint.trees.constituency_trees import parse_trees

TREES = Path(__file__).parent / "trees"
# What `discodop eval gold predicted proper.prm --la --ted --fmt=discbracket`, without and with `--disconly`, prints for
# random trees with random errors in these files (disco-dop 0.5.2), in percent.
EXPECTED = {
    "constituents_r": 66.13,
    "constituents_p": 66.89,
    "constituents_f": 66.50,
    "constituents_exact": 39.33,
    "constituents_la": 77.50,
    "constituents_ted": 87.39,
    "constituents_disc_r": 58.11,
    "constituents_disc_p": 54.43,
    "constituents_disc_f": 56.21,
    "constituents_disc_exact": 35.59,
}
NAMES = st.sampled_from("AB")


def read(*texts):
    return [tree for text in texts for tree in parse_trees(text, indexed=True)]


def score(predicted, reference, parameters="proper", **settings):
    return score_trees(read(predicted), read(reference), load_parameters(parameters), **settings)


def test_scores_are_those_of_disco_dop():
    predicted, gold = (read_discbrackets(TREES / f"{name}.discbracket") for name in ("predicted", "gold"))
    scores = score_trees(predicted, gold, edit_distance=True)
    assert {name: round(100 * scores[name], 2) for name in EXPECTED} == EXPECTED


def test_brackets_are_multisets_of_labels_and_words():
    # Right: S and one X. Wrong: another X, and Y with other words.
    scores = score("(ROOT (S (X (X (N 0=a))) (Y (N 1=b) (N 2=c))))", "(ROOT (S (X (N 0=a)) (Y (N 1=b)) (N 2=c)))")
    assert scores["constituents_p"] == 2 / 4
    assert scores["constituents_r"] == 2 / 3
    assert scores["constituents_exact"] == 0
    assert scores["constituents_per_type"]["X"]["p"] == 1 / 2
    assert scores["constituents_disc_f"] is None and scores["constituents_disc_exact"] is None


def test_gaps_of_punctuation_do_not_count():
    reference = "(ROOT (S (X (N 0=a) (N 2=c)) (, 1=,)))"
    scores = score("(ROOT (S (X (N 0=a) (, 1=,) (N 2=c))))", reference)
    assert scores["constituents_f"] == 1 and scores["constituents_disc_f"] is None


def test_gaps_of_words_count():
    reference = "(ROOT (S (X (N 0=a) (N 2=c)) (N 1=b)))"
    scores = score("(ROOT (S (X (N 0=a) (N 1=b) (N 2=c))))", reference)
    assert scores["constituents_disc_r"] == 0 and scores["constituents_f"] == 1 / 2
    assert score(reference, reference)["constituents_disc_exact"] == 1


def test_the_reference_says_what_is_punctuation():
    scores = score("(ROOT (S (N 0=a) (X (N 1=x))))", "(ROOT (S (N 0=a) (X (PUNCT 1=x))))")
    assert scores["constituents_p"] == 1
    scores = score("(ROOT (S (N 0=a) (X (PUNCT 1=x))))", "(ROOT (S (N 0=a) (X (N 1=x))))")
    assert scores["constituents_r"] == 1


def test_escaped_brackets_are_words_unless_their_tag_is_deleted():
    tree = "(ROOT (X (N 0=-LRB-)) (N 1=a))"
    assert score(tree, tree)["constituents_f"] == 1
    tree = "(ROOT (X ($[ 0=-LRB-)) (N 1=a))"
    assert score(tree, tree)["constituents_f"] is None


def test_particles_are_adverbs():
    assert score("(ROOT (PRT (N 0=a)))", "(ROOT (ADVP (N 0=a)))")["constituents_f"] == 1


def test_evalb_keeps_quotes_without_their_tags():
    reference = '(ROOT (S (X (N 0=")) (N 1=a)))'
    assert score("(ROOT (S (N 0=x) (N 1=a)))".replace("x", '"'), reference, "evalb")["constituents_r"] == 1 / 2
    assert score("(ROOT (S (N 0=x) (N 1=a)))".replace("x", '"'), reference, "proper")["constituents_r"] == 1


def test_sentences_of_punctuation_are_right():
    scores = score("(ROOT (S (, 0=,)))", "(ROOT (, 0=,))", edit_distance=True)
    assert scores["constituents_exact"] == 1
    assert scores["constituents_f"] is scores["constituents_la"] is scores["constituents_ted"] is None


def test_paths_mark_where_constituents_and_blocks_begin_and_end():
    (tree,) = read("(ROOT (S (VP (N 0=a) (N 2=c)) (N 1=b)))")
    assert list_paths(tree) == [["S", "(", "]", "VP"], ["S"], [")", "S", "VP", "["]]


def test_the_leaf_ancestor_score_is_a_mean_over_words_then_sentences():
    # In the first sentence, one of two words lacks X: `( S ) X` against `( S`, i.e. `S ( ) X` and `S (`.
    same, other = "(ROOT (S (N 0=a) (N 1=b)))", "(ROOT (S (X (N 0=a)) (N 1=b)))"
    scores = score(same + same, other + same)
    # Reference paths: a: S ( ) X; b: ) S. Predicted: a: S (; b: ) S.
    assert scores["constituents_la"] == pytest.approx(((1 - 2 / 6 + 1) / 2 + 1) / 2)


def test_the_tree_edit_distance_is_relative_to_the_nodes_below_the_roots():
    one, other = "(ROOT (S (N 0=a) (N 1=b)))", "(ROOT (T (X (N 0=a)) (N 1=b)))"
    scores = score(one, other, edit_distance=True)
    # S becomes T, X is inserted; 3 and 4 nodes.
    assert scores["constituents_ted"] == pytest.approx(1 - 2 / 7)


@st.composite
def small_trees(draw):
    """Trees over two words."""
    shapes = ("({} (N 0=a) (N 1=b))", "({} ({} (N 0=a)) (N 1=b))", "({} (N 0=a) ({} ({} (N 1=b))))")
    shape = draw(st.sampled_from(shapes))
    return read(shape.format(*(draw(NAMES) for _ in range(shape.count("{}")))))[0]


def measure_forests(one, other):
    """The edit distance of forests by its recursive definition."""
    if not one and not other:
        return 0
    choices = []
    if one:
        choices.append(measure_forests([*one[:-1], *one[-1].children], other) + 1)
    if other:
        choices.append(measure_forests(one, [*other[:-1], *other[-1].children]) + 1)
    if one and other:
        differ = (one[-1].label, one[-1].word, one[-1].index) != (other[-1].label, other[-1].word, other[-1].index)
        below = measure_forests(list(one[-1].children), list(other[-1].children))
        choices.append(measure_forests(one[:-1], other[:-1]) + below + differ)
    return min(choices)


@settings(max_examples=40)
@given(small_trees(), small_trees())
def test_the_edit_distance_of_trees_is_minimal(one, other):
    assert find_edit_distance(one, other) == measure_forests([one], [other])


def test_the_edit_distance_of_sequences():
    assert find_levenshtein_distance("shine", "rain") == 3
    assert find_levenshtein_distance("", "rain") == 4


def test_trees_of_other_sentences_are_refused():
    with pytest.raises(ValueError, match=r"\[J143\] There are 2 predicted trees, but 1"):
        score("(N 0=a) (N 0=b)", "(N 0=a)")
    with pytest.raises(ValueError, match=r"\[J568\] Sentence 2"):
        score("(N 0=a) (N 0=b)", "(N 0=a) (N 0=c)")


def test_parameters_are_read_from_a_file(write_text):
    path = write_text("mine.prm", "# mine\n\nDEBUG 0\nDELETE_LABEL S\nEQ_LABEL A B\nEQ_LABEL C B\nDELETE_WORD x\n")
    parameters = load_parameters(path)
    assert parameters.equal_labels["B"] == parameters.equal_labels["A"] == parameters.equal_labels["C"]
    assert not parameters.keeps("N", "x") and parameters.keeps("N", "y")
    scores = score("(ROOT (S (A (N 0=y)) (S (N 1=z))))", "(ROOT (C (N 0=y)) (N 1=z))", path)
    assert scores["constituents_f"] == 1


@pytest.mark.parametrize("line", ["DELETE_LABEL", "DELETE A B", "EQ_LABEL A"])
def test_wrong_parameters_are_named(write_text, line):
    path = write_text("mine.prm", f"DEBUG 0\n{line}\n")
    with pytest.raises(ValueError, match=rf"\[J142\].*line 2.*{line}"):
        load_parameters(path)
    with pytest.raises(ValueError, match=r"\[J040\].*'other'.*evalb, proper"):
        load_parameters("other")
