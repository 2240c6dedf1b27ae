"""Documents as columns: valid and invalid values, and hashes of affixes."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.columns import Columns, affix_columns

from .toys import COLUMNS, JOINT, make_search, random_columns, random_weights

QUICK = settings(max_examples=25)


@pytest.mark.parametrize(("names", "n_tokens"), [(("word", "tag"), 7), (("word",), 0), ((), 3)])
def test_a_document_has_named_columns_with_a_row_for_each_token(names, n_tokens):
    columns = Columns(names, np.zeros((n_tokens, len(names)), dtype=np.uint64))
    assert (columns.names, len(columns)) == (names, n_tokens)
    with pytest.raises(TypeError):
        type("Longer", (Columns,), {"__len__": lambda self: 100})


@pytest.mark.parametrize(
    ("argument", "shapes", "expected"),
    [
        ("values", [(3,), (3, 1), (3, 3), (3, 2, 1), (), (2, 3)], r"\(n_tokens, 2\)"),
        ("constraints", [(0,), (1,), (4,), (1, 3), ()], r"\(3,\)"),
        ("token_info", [(2, 2), (3,), (1, 2)], ""),
    ],
)
def test_arrays_that_do_not_fit_the_names_or_the_tokens_are_refused(argument, shapes, expected):
    for shape in shapes:
        arrays = {"values": np.zeros((3, 2), dtype=np.uint64), argument: np.zeros(shape, dtype=np.int32)}
        with pytest.raises(ValueError, match=rf"\[J001\].*{argument}.*{expected}"):
            Columns(COLUMNS, **arrays)


@pytest.mark.parametrize("values", [None, "text", [["x"]], [[None]], [[-1]], [[2**64]]])
def test_values_that_are_not_numbers_are_refused(values):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        Columns(["word"], values)


def test_values_of_other_integer_types_and_strides_are_converted_and_copied():
    for dtype in (np.int64, np.uint32, np.uint8, ">u8"):
        Columns(["word"], np.ones((3, 1), dtype=dtype))
    values = np.arange(12, dtype=np.uint64).reshape(2, 6)
    strided, copied = Columns(COLUMNS, values[:, ::3]), Columns(COLUMNS, values[:, ::3].copy())
    before = pickle.dumps(strided)
    assert before == pickle.dumps(copied)
    values[:] = 2
    assert pickle.dumps(strided) == before


@QUICK
@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(-1, 1), st.integers(-(2**31), 2**31 - 1))))
def test_a_pickled_document_is_the_same_document(rows):
    words, constraints, token_info = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    token_info = np.array(token_info, dtype=np.int32).reshape(-1, 1)
    columns = Columns(["word"], np.array(words, dtype=np.uint64).reshape(-1, 1), constraints, token_info)
    make, (names, *arrays) = pickle.loads(pickle.dumps(columns)).__reduce__()
    assert make is Columns and names == ("word",)
    assert [array.ravel().tolist() for array in arrays] == [words, constraints, token_info.ravel().tolist()]


def test_a_document_outlives_its_source_arrays():
    # Searches read through pointers, so the data must stay in place when the arrays are freed.
    search, weights, columns = make_search(JOINT, 3), random_weights(JOINT), random_columns(50)
    first = search.predict(weights, columns).tolist()
    for seed in range(20):
        random_columns(50, seed)
    assert search.predict(weights, columns).tolist() == first


def test_a_positive_length_is_a_prefix_and_a_negative_one_a_suffix():
    hashes = affix_columns(["abxx", "abyy", "zzxx"], [2, -2])
    assert hashes[0, 0] == hashes[1, 0] != hashes[2, 0]
    assert hashes[0, 1] == hashes[2, 1] != hashes[1, 1]
    # A word no longer than the affix has none.
    assert not affix_columns(["abc"], [3, -3, 4, -4]).any()
    assert affix_columns(["\ud800abc"], [1])[0, 0] != 0
    for wrong in (None, [None], [3]):
        with pytest.raises(TypeError):
            affix_columns(wrong, [1])


@QUICK
@given(st.lists(st.text()), st.lists(st.integers(-20, 20).filter(bool)))
def test_any_text_has_affix_hashes(words, lengths):
    assert affix_columns(words, lengths).shape == (len(words), len(lengths))


def test_parts_begin_at_constraints():
    columns = Columns(["word"], np.arange(5, dtype=np.uint64)[:, None], np.array([1, -1, 1, 0, 2], dtype=np.int8))
    _, values, constraints, _ = zip(*(part.__reduce__()[1] for part in columns.split(1)), strict=True)
    assert [array.ravel().tolist() for array in values] == [[0, 1], [2, 3, 4]]
    assert [array.tolist() for array in constraints] == [[1, -1], [1, 0, 2]]
    assert [len(part) for part in Columns(["word"], np.zeros((0, 1), dtype=np.uint64)).split(1)] == [0]
