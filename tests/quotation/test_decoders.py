"""From candidates or labels to quotations."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.quotation.decoders import (
    BOUNDARIES,
    CHAIN,
    choose_best,
    pair_boundaries,
    read_labels,
    sample,
    write_labels,
)

RUNS = st.tuples(st.integers(0, 9), st.integers(1, 4)).map(lambda run: (run[0], run[0] + run[1]))
CANDIDATES = st.dictionaries(RUNS, st.integers(1, 20), max_size=7)


def split(candidates):
    edges = np.array(list(candidates), dtype=np.int32).reshape(-1, 2)
    return edges[:, 0], edges[:, 1], np.array(list(candidates.values()), dtype=np.float32)


def overlap(runs):
    return any(a[0] <= b[1] and b[0] <= a[1] for a, b in combinations(runs, 2))


@given(CANDIDATES)
def test_the_best_spans_are_the_best_of_all_subsets(candidates):
    subsets = chain.from_iterable(combinations(candidates, size) for size in range(len(candidates) + 1))
    best = max(sum(candidates[run] for run in subset) for subset in subsets if not overlap(subset))
    chosen = choose_best(*split(candidates))
    assert not overlap(chosen) and chosen == sorted(chosen)
    assert sum(candidates[run] for run in chosen) == best


@given(CANDIDATES)
def test_samples_do_not_overlap_and_are_repeatable(candidates):
    found = sample(*split(candidates), seed=3, samples=50)
    assert not overlap(found)
    assert found == sample(*split(candidates), seed=3, samples=50)
    assert bool(found) == bool(candidates)


@given(st.lists(RUNS, max_size=4))
def test_labels_of_a_chain_are_recovered(runs):
    apart = []
    for run in sorted(runs):
        if not apart or run[0] > apart[-1][1]:
            apart.append(run)
    assert read_labels(write_labels(apart, 16, with_inside=True)) == apart


@pytest.mark.parametrize(
    ("labels", "spans"),
    [("OIIO", [(1, 2)]), ("BB", []), ("BIBI", [(0, 1), (2, 3)]), ("BEO", [(0, 1)]), ("BEEI", [(0, 3)]), ("B", [])],
)
def test_any_labels_give_spans(labels, spans):
    assert set(labels) <= set(CHAIN)
    assert read_labels(labels) == spans


@pytest.mark.parametrize(
    ("labels", "cues", "spans"),
    [
        ("OBOEO", [0], [(1, 3)]),
        ("BOEOO", [4], [(0, 2)]),
        ("BOEOO", [], []),
        ("OBOEOBOE", [0], [(1, 3)]),
        ("BEOBE", [2], [(0, 1), (3, 4)]),
        ("O" * 40 + "BE", [0], []),
    ],
)
def test_the_greedy_search_starts_at_cues(labels, cues, spans):
    assert set(labels) <= set(BOUNDARIES)
    assert pair_boundaries(labels, cues) == spans
