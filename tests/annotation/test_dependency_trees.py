import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.annotation.dependency_trees import find_cycle, find_edges, find_gap_head, prune

from ..corpora.strategies import trees


def prune_lists(heads, kept):
    pruned = prune(np.array(heads), np.array(kept, dtype=bool))
    return pruned.heads.tolist(), pruned.promoted.tolist(), pruned.adopted.tolist()


# Heads, tokens that are kept, and their heads; which of them became roots, and which got a head by that.
PRUNED = {
    "all tokens are kept": ([1, 1, 1], [1, 1, 1], [1, 1, 1], [0, 0, 0], [0, 0, 0]),
    "dependents go to the nearest ancestor that is kept": ([0, 0, 1, 2], [1, 0, 0, 1], [0, 0], [0, 0], [0, 0]),
    "the first orphan of a root takes its place": ([1, 1, 1, 2], [1, 0, 1, 1], [0, 0, 1], [1, 0, 0], [0, 1, 0]),
    "orphans of different trees stay apart": ([0, 0, 2, 2], [0, 1, 0, 1], [0, 1], [1, 1], [0, 0]),
    "no token is kept": ([0, 0], [0, 0], [], [], []),
}


@pytest.mark.parametrize(("heads", "kept", "pruned", "promoted", "adopted"), PRUNED.values(), ids=PRUNED)
def test_the_rest_of_a_tree_has_heads(heads, kept, pruned, promoted, adopted):
    assert prune_lists(heads, kept) == (pruned, promoted, adopted)


def test_pruning_ends_even_if_heads_form_a_cycle():
    prune_lists([1, 0, 0], [0, 0, 1])


@given(trees(max_size=30), st.data())
def test_the_rest_of_a_tree_is_a_tree(heads, data):
    kept = data.draw(st.lists(st.booleans(), min_size=len(heads), max_size=len(heads)))
    left, _, _ = prune_lists(heads, kept)
    assert sum(head == token for token, head in enumerate(left)) == min(1, sum(kept))
    assert find_cycle(left) is None


def test_a_word_is_added_under_the_head_of_the_shortest_arc_over_its_place():
    heads = np.array([1, 4, 1, 1, 4, 5])
    assert [find_gap_head(heads, place) for place in range(6)] == [4, 1, 1, 1, 4, 5]


def test_a_cycle_is_reported_at_one_of_its_tokens():
    assert find_cycle([0, 2, 3, 1, 1]) in (1, 2, 3)


def test_edges_are_found_in_trees_of_any_depth():
    n = 100_000
    tokens = np.arange(n)
    heads = np.maximum(np.arange(n) - 1, 0)
    assert np.array_equal(find_edges(np.minimum, heads, tokens), np.arange(n))
    assert (find_edges(np.maximum, heads, tokens) == n - 1).all()
    # Two trees: 0 <- 2 -> 1, 3 -> 4.
    heads, tokens = np.array([2, 2, 2, 3, 3]), np.arange(5)
    assert find_edges(np.minimum, heads, tokens).tolist() == [0, 1, 0, 3, 4]
    assert find_edges(np.maximum, heads, tokens).tolist() == [0, 1, 2, 4, 4]
