"""Layers of guides: windows, the encoder, heads, and their gradients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thinc.api import Linear, Model, with_array

from spacy_joint.errors import JointValueError
from spacy_joint.guiding.encoder import BiLSTMEncoder
from spacy_joint.guiding.heads import (
    DISTANCES,
    N_DISTANCES,
    BiaffineArcs,
    GuideHeads,
    Scores,
    find_classes,
)
from spacy_joint.guiding.lstm import backprop_lstm, run_lstm
from spacy_joint.guiding.windows import Window, cut_windows, with_windows

WIDTH = 6


@pytest.fixture(autouse=True)
def seed():
    np.random.seed(0)


def draw(*shape):
    return np.random.normal(size=shape).astype(np.float32)


def draw_windows(*lengths):
    return [draw(length, WIDTH) for length in lengths]


def weigh(output, gradient):
    """The sum of an output, whose arrays may be nested, weighted by its gradient."""
    if gradient is None:
        return 0.0
    if isinstance(gradient, np.ndarray):
        return float((output.astype(np.float64) * gradient).sum())
    return sum(weigh(*parts) for parts in zip(output, gradient, strict=True))


def check_gradients(model, inputs, given, gradient, step=1e-3):
    """Compare the gradients of inputs and of all parameters, for one of the output, with differences."""

    def differentiate(array, place):
        value = array[place]
        scores = []
        for moved in (value + step, value - step):
            array[place] = moved
            scores.append(weigh(model.predict(given), gradient))
        array[place] = value
        return (scores[0] - scores[1]) / (2 * step)

    _, backprop = model.begin_update(given)
    checked = list(zip(inputs, backprop(gradient), strict=True))
    for node in model.walk():
        checked += [(node.get_param(name), node.get_grad(name)) for name in node.param_names]
    for array, found in checked:
        for place in np.random.randint(array.size, size=6).tolist():
            place = np.unravel_index(place, array.shape)
            assert found[place] == pytest.approx(differentiate(array, place), rel=0.02, abs=0.02)


# Windows


@given(st.integers(0, 400), st.integers(1, 60), st.data())
def test_windows_cover_each_row_once(n, size, data):
    stride = data.draw(st.integers(1, size))
    windows = cut_windows(n, size, stride)
    taken = [row for window in windows for row in range(window.first, window.last)]
    assert taken == list(range(n))
    for start, end, first, last in windows:
        assert start <= first <= last <= end <= n and end - start <= size


def test_rows_are_taken_from_the_window_in_which_they_are_most_central():
    windows = cut_windows(20, 10, 6)
    assert windows == [(0, 10, 0, 8), (6, 16, 8, 14), (12, 20, 14, 20)]


@pytest.mark.parametrize(("size", "stride"), [(10, 0), (10, 11), (0, 0)])
def test_windows_with_gaps_are_refused(size, stride):
    with pytest.raises(JointValueError, match=r"\[J030\]"):
        cut_windows(20, size, stride)


def test_a_layer_without_context_does_not_notice_windows():
    plain = with_array(Linear(3, WIDTH))
    plain.initialize()
    windowed: Model = with_windows(plain, 3, 5, 3, 64)
    X = draw_windows(0, 1, 4, 5, 6, 23)
    for found, expected in zip(windowed.predict(X), plain.predict(X), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


# The encoder


def test_gradients_of_the_encoder_are_exact():
    model = BiLSTMEncoder(width=8, depth=2, window=6, stride=6)
    X = draw_windows(3, 9, 1, 14)
    model.initialize(X=X)
    check_gradients(model, X, X, [draw(len(rows), 8) for rows in X])


@pytest.mark.parametrize("reverse", [False, True])
def test_the_recurrence_is_that_of_an_lstm(reverse):
    lengths, width = [2, 5, 3], 4
    gates, recurrent, bias = draw(10, 4 * width), draw(width, 4 * width), draw(4 * width)
    hidden = np.full((10, width), np.nan, dtype=np.float32)
    run_lstm(gates.copy(), recurrent, bias, lengths, hidden, reverse=reverse)
    for end, length in zip(np.cumsum(lengths), lengths, strict=True):
        h = c = np.zeros(width, dtype=np.float64)
        rows = range(end - length, end)
        for row in reversed(rows) if reverse else rows:
            i, f, o, u = np.split(gates[row] + bias + h @ recurrent.astype(np.float64), 4)
            c = c / (1 + np.exp(-f)) + np.tanh(u) / (1 + np.exp(-i))
            h = np.tanh(c) / (1 + np.exp(-o))
            np.testing.assert_allclose(hidden[row], h, atol=1e-6)


def test_each_token_sees_both_ends_of_its_window():
    model = BiLSTMEncoder(width=8, depth=1)
    X = draw_windows(12)
    model.initialize(X=X)
    before = model.predict(X)[0]
    for changed in (0, 11):
        moved = X[0].copy()
        moved[changed] += 1
        assert (model.predict([moved])[0] != before).any(axis=1).all()


@pytest.mark.parametrize(
    ("changed", "value"),
    [
        ("gates", draw(5, 8)),
        ("gates", draw(6, 7)),
        ("gates", draw(6, 8).astype(np.float64)),
        ("recurrent", draw(3, 8)),
        ("recurrent", draw(0, 0)),
        ("bias", draw(7)),
        ("lengths", [3, 4]),
        ("lengths", [6, 0]),
        ("lengths", [7, -1]),
        ("lengths", [2.5, 3.5]),
        ("lengths", [[3], [3]]),
        ("lengths", np.array([250, 12], dtype=np.uint8)),
        ("lengths", np.array([2**62, 2**62, 2**62, 2**62 + 6])),
        ("bias", [0.0] * 8),
        ("hidden", draw(5, 2)),
        ("hidden", draw(2, 6).T),
        ("kept", draw(2, 5, 2)),
        ("kept", draw(1, 6, 2)),
    ],
)
def test_wrong_shapes_never_reach_memory(changed, value):
    arrays = {"gates": draw(6, 8), "recurrent": draw(2, 8), "lengths": [3, 3], "kept": draw(2, 6, 2), changed: value}
    hidden = arrays.pop("hidden", draw(6, 2))
    with pytest.raises(JointValueError, match=r"\[J001\]"):
        run_lstm(**{"bias": draw(8), **arrays}, hidden=hidden, reverse=False)
    arrays.pop("bias", None)
    if changed != "bias":
        with pytest.raises(JointValueError, match=r"\[J001\]"):
            backprop_lstm(**arrays, d_hidden=hidden, reverse=True)


@pytest.mark.parametrize("settings", [{"width": 7}, {"width": 0}, {"width": 8, "depth": 0}])
def test_encoders_without_two_directions_or_layers_are_refused(settings):
    with pytest.raises(JointValueError, match=r"\[J030\]"):
        BiLSTMEncoder(**settings)


# Heads


def test_gradients_of_arcs_are_exact():
    model = BiaffineArcs(5, WIDTH)
    model.initialize()
    X = draw_windows(4, 1, 7)
    windowed = [(rows, cut_windows(len(rows), 5, 3)) for rows in X]
    shapes = [[(4, 5)], [(1, 2)], [(4, 6), (3, 5)]]
    assert [[of_window.shape for of_window in of_document] for of_document in model.predict(windowed)] == shapes
    check_gradients(model, X, windowed, [[draw(*shape) for shape in of_document] for of_document in shapes])


@pytest.fixture
def heads():
    """The heads of a guide, untrained."""
    model = GuideHeads(arc_width=5, label_width=4, nO=3)
    model.set_dim("nI", WIDTH)
    model.initialize()
    return model


def test_gradients_of_all_heads_are_exact(heads):
    X = draw_windows(4, 6)
    given = [(rows, cut_windows(len(rows), 8, 8), np.arange(len(rows)) % 3) for rows in X]
    gradient = [Scores(draw(len(rows)), [draw(len(rows), len(rows) + 1)], None, draw(len(rows), 3)) for rows in X]
    check_gradients(heads, X, given, gradient)


def test_labels_are_those_of_the_best_heads_if_none_are_given(heads):
    rows = draw(6, WIDTH)
    windows = cut_windows(6, 5, 3)
    (free,) = heads.predict([(rows, windows, None)])
    columns = [arcs.argmax(axis=1) for arcs in free.arcs]
    # The second window starts at the fourth token.
    assert free.heads.tolist() == [*columns[0], *np.where(columns[1] > 0, columns[1] + 3, 0)]
    (given_best,) = heads.predict([(rows, windows, free.heads)])
    np.testing.assert_allclose(free.labels, given_best.labels)
    (others,) = heads.predict([(rows, windows, (free.heads + 1) % 7)])
    assert not np.allclose(free.labels, others.labels)


@given(st.integers(0, 150), st.integers(0, 12), st.integers(0, 12), st.integers(0, 150))
def test_distances_have_classes(start, before, n_rows, after):
    first = start + before
    classes = find_classes(Window(start, first + n_rows + after, first, first + n_rows))
    assert classes.shape == (n_rows, before + n_rows + after)
    for row, numbers in enumerate(classes.tolist()):
        distances = range(-before - row, n_rows + after - row)
        expected = [sum(distance >= least for least in DISTANCES.tolist()) for distance in distances]
        assert [number - N_DISTANCES * row for number in numbers] == expected
