"""Edges of subtrees, and dependents of cues."""

import numpy as np

from spacy_joint.quotation.trees import Trees, find_depth

# "She said that it , too , fell ."
HEADS = np.array([1, 1, 7, 7, 3, 3, 7, 1, 1])
IS_MARK = np.array([False, False, False, False, True, False, True, False, True])


def test_depth_is_counted_in_arcs():
    assert find_depth(HEADS).tolist() == [1, 0, 2, 2, 3, 3, 2, 1, 1]
    assert find_depth(np.array([], dtype=np.int64)).tolist() == []


def test_subtrees_have_edges_without_punctuation_and_cues_have_arguments():
    trees = Trees.from_heads(HEADS, IS_MARK)
    assert [(trees.left[i], trees.right[i]) for i in (7, 1, 8)] == [(2, 7), (0, 7), (-1, -1)]
    # The largest subtrees at these edges.
    assert trees.opens[[0, 2, 4]].tolist() == [1, 7, -1]
    assert trees.closes[[5, 7]].tolist() == [3, 1]
    assert trees.find_arguments(np.arange(9) == 1).tolist() == [0, -1, 7, 7, 7, 7, 7, 7, 8]
