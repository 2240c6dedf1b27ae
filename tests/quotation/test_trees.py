"""Edges of subtrees, and dependents of cues."""

import numpy as np

from spacy_joint.quotation.trees import Trees, find_depth

# "She said that it , too , fell ."
HEADS = np.array([1, 1, 7, 7, 3, 3, 7, 1, 1])
IS_MARK = np.array([False, False, False, False, True, False, True, False, True])


def test_depth_is_counted_in_arcs():
    assert find_depth(HEADS).tolist() == [1, 0, 2, 2, 3, 3, 2, 1, 1]
    assert find_depth(np.array([], dtype=np.int64)).tolist() == []


def test_edges_leave_punctuation_out():
    trees = Trees.from_heads(HEADS, IS_MARK)
    assert (trees.left[7], trees.right[7]) == (2, 7)
    assert (trees.left[1], trees.right[1]) == (0, 7)
    assert (trees.left[8], trees.right[8]) == (-1, -1)


def test_the_largest_subtree_at_an_edge_is_named():
    trees = Trees.from_heads(HEADS, IS_MARK)
    assert trees.opens[[0, 2, 4]].tolist() == [1, 7, -1]
    assert trees.closes[[5, 7]].tolist() == [3, 1]


def test_columns_show_the_argument_of_a_cue_that_a_word_is_in():
    is_cue = np.arange(9) == 1
    assert Trees.from_heads(HEADS, IS_MARK).find_arguments(is_cue).tolist() == [0, -1, 7, 7, 7, 7, 7, 7, 8]
