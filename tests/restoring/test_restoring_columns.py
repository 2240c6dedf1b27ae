"""What the restorer sees of trees."""

import numpy as np

from spacy_joint.restoring.restoring_columns import find_edges


def test_the_edges_of_phrases_are_found_in_trees_of_any_depth():
    n = 100_000
    heads = np.maximum(np.arange(n) - 1, 0)
    assert np.array_equal(find_edges(np.minimum, heads), np.arange(n))
    assert (find_edges(np.maximum, heads) == n - 1).all()
    # Two trees: 0 <- 2 -> 1, 3 -> 4.
    heads = np.array([2, 2, 2, 3, 3])
    assert find_edges(np.minimum, heads).tolist() == [0, 1, 0, 3, 4]
    assert find_edges(np.maximum, heads).tolist() == [0, 1, 2, 4, 4]
