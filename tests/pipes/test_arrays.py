"""Arrays: rows of keys, stretches without breaks, last dependents; each compared with the plain way to find them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.pipes.arrays import (
    RowIndex,
    find_runs,
    following,
    forbid_starts,
    make_relative_columns,
    preceding,
)

KEYS = st.lists(st.one_of(st.integers(0, 20), st.integers(0, 2**64 - 1)), max_size=50)


@given(st.lists(KEYS, max_size=10), KEYS)
def test_rows_are_numbered_in_the_order_in_which_keys_are_added(parts, wanted):
    index, rows = RowIndex(), {}
    for part in parts:
        index.add(np.array(part, dtype=np.uint64))
        for key in part:
            rows.setdefault(key, len(rows))
    found, unknown = index.find(np.array(wanted, dtype=np.uint64))
    assert len(index) == len(rows)
    assert found.tolist() == [rows.get(key, -1) for key in wanted]
    assert unknown == list(dict.fromkeys(key for key in wanted if key not in rows))


def test_an_index_grows():
    keys = np.arange(100_000, dtype=np.uint64) << np.uint64(20)
    index = RowIndex()
    index.add(keys[:1])
    index.add(keys)
    assert index.find(keys)[0].tolist() == list(range(len(keys)))


def test_keys_may_be_a_column_of_a_table():
    table = np.array([[5, 1], [6, 1], [5, 1]], dtype=np.uint64)
    index = RowIndex()
    index.add(table[:, 0])
    assert index.find(table[:, 0]) == (pytest.approx([0, 1, 0]), [])
    assert index.find(table[:, 1])[1] == [1]


@pytest.mark.parametrize("keys", [None, np.zeros((2, 2), np.uint64), np.zeros(2, np.int32), ["word"]])
def test_keys_of_another_kind_are_refused(keys):
    for method in (RowIndex().find, RowIndex().add):
        with pytest.raises((TypeError, ValueError)):
            method(keys)


def test_an_index_is_not_pickled():
    with pytest.raises(TypeError):
        pickle.dumps(RowIndex())


@pytest.mark.parametrize(("distance", "shifted"), [(1, [0, 3, 4]), (2, [0, 0, 3]), (3, [0, 0, 0]), (9, [0, 0, 0])])
def test_values_are_those_of_words_before(distance, shifted):
    assert preceding(np.array([3, 4, 5]), distance).tolist() == shifted


def test_values_are_those_of_the_next_word():
    assert following(np.array([3, 4, 5])).tolist() == [4, 5, 0]
    assert following(np.zeros(0)).tolist() == preceding(np.zeros(0), 2).tolist() == []


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 8), st.booleans())
def test_stretches_are_the_long_runs_without_breaks(breaks, least, whole):
    found, n_open = find_runs(np.array(breaks, dtype=bool), least, whole)
    runs = "".join("|" if is_break else "." for is_break in breaks).split("|")
    expected = "|".join(("x" if len(run) >= least or (whole and len(runs) == 1) else ".") * len(run) for run in runs)
    assert found.tolist() == [mark == "x" for mark in expected]
    assert n_open == (0 if len(runs[-1]) >= least else len(runs[-1]))


# Two kinds of dependents, of which the first is the subject; tokens of kinds 2 and 3 share that of their head.
SHARES = np.array([0, 0, 1, 1], dtype=np.uint8)
# The word of the token, and those of its head, of its subject and of its other dependent; the second column.
SHOWN = np.array([(0, 0), (1, 0), (2, 0), (3, 0), (0, 1)], dtype=np.int32)


def show(heads, kinds, n_sources=None, shown=SHOWN):
    n = len(heads)
    words = np.arange(10, 10 + (n if n_sources is None else n_sources), dtype=np.uint64)
    sources = np.column_stack([words, words + np.uint64(100)])
    heads, kinds = np.array(heads, dtype=np.intp), np.array(kinds, dtype=np.uint8)
    return make_relative_columns(sources, heads, kinds, SHARES, np.array(shown, dtype=np.int32)).tolist()


@given(
    st.integers(1, 20).flatmap(
        lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.sampled_from([0, 1])), min_size=n, max_size=n)
    )
)
def test_the_last_dependent_of_a_kind_counts(arcs):
    heads, kinds = zip(*arcs, strict=True)
    for token, (word, head, subject, other, second) in enumerate(show(heads, kinds)):
        assert (word, head, other, second) == (10 + token, 10 + heads[token], 0, 110 + token)
        assert subject == max((10 + i for i, arc in enumerate(arcs) if arc == (token, 1)), default=0)


@pytest.mark.parametrize(
    ("heads", "kinds", "n_sources"),
    [([2, 0], [0, 0], 2), ([-1, 0], [0, 0], 2), ([0, 0], [4, 0], 2), ([0, 0], [0], 2), ([0, 0], [0, 0], 1)],
)
def test_heads_kinds_and_arrays_out_of_range_are_refused(heads, kinds, n_sources):
    with pytest.raises(IndexError):
        show(heads, kinds, n_sources)


@pytest.mark.parametrize("shown", [[(5, 0)], [(-1, 0)], [(0, 2)], [(0, -1)], [(0, 0, 0)]])
def test_columns_and_relatives_that_do_not_exist_are_refused(shown):
    with pytest.raises(IndexError):
        show([0, 0], [0, 0], shown=shown)


def test_kinds_must_include_that_of_subjects():
    sources, one = np.zeros((1, 1), dtype=np.uint64), np.zeros(1, dtype=np.uint8)
    with pytest.raises(IndexError):
        make_relative_columns(sources, np.zeros(1, dtype=np.intp), one, one, np.zeros((1, 2), dtype=np.int32))


@pytest.mark.parametrize("shapes", [((2, 2), (2, 1), 1), ((2, 2), (1, 1), 2), ((2, 1), (2, 1), 2), ((2, 2), (2, 0), 2)])
def test_constraints_edges_and_spaces_must_fit(shapes):
    edges, spaces, constraints = map(np.zeros, shapes, (np.uint8, np.uint64, np.int8))
    with pytest.raises(IndexError):
        forbid_starts(edges, spaces, constraints)


def test_there_may_be_no_tokens():
    nothing = np.zeros(0, dtype=np.intp)
    assert show([], []) == []
    assert RowIndex().find(nothing.astype(np.uint64))[1] == []
