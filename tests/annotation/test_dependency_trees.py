import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.annotation.dependency_trees import find_cycle, find_edges, find_gap_head, prune

from ..corpora.strategies import trees


def prune_lists(heads, kept):
    pruned = prune(np.array(heads), np.array(kept, dtype=bool))
    return pruned.heads.tolist(), pruned.promoted.tolist(), pruned.adopted.tolist()


def test_keeping_all_tokens_changes_nothing():
    assert prune_lists([1, 1, 1], [1, 1, 1]) == ([1, 1, 1], [False] * 3, [False] * 3)


def test_dependents_of_a_removed_token_go_to_its_nearest_kept_ancestor():
    # 0 <- 1 <- 2 <- 3, without 1 and 2
    assert prune_lists([0, 0, 1, 2], [1, 0, 0, 1])[0] == [0, 0]


def test_first_orphan_of_a_removed_root_takes_its_place():
    heads, promoted, adopted = prune_lists([1, 1, 1, 2], [1, 0, 1, 1])
    assert heads == [0, 0, 1]
    assert promoted == [True, False, False]
    assert adopted == [False, True, False]


def test_orphans_of_different_trees_stay_apart():
    heads, promoted, _ = prune_lists([0, 0, 2, 2], [0, 1, 0, 1])
    assert heads == [0, 1]
    assert promoted == [True, True]


def test_removing_all_tokens_leaves_nothing():
    assert prune_lists([0, 0], [0, 0]) == ([], [], [])


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


@given(trees(max_size=30))
def test_a_tree_has_no_cycle(heads):
    assert find_cycle(heads) is None


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
