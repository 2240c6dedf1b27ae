"""The weight table: sizes, restoring, averages, pruning and quantising."""

import mmap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine import model_file
from spacy_joint.engine.learner import Instance, Learner
from spacy_joint.engine.linear_model import HUGE_PAGE
from spacy_joint.engine.weights import Weights

from .toys import JOINT, TAGGING, all_kept, make_perceptron, make_search, random_columns, random_weights, templates_for

QUICK = settings(max_examples=30)


def arrays_for(weights):
    n = weights.n_cells
    return np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros(1 << weights.bits, np.uint8)


def use(weights):
    """Learn and predict with weights, as far as they are ready; they may raise errors, but must not crash."""
    for call in (
        lambda: Learner(weights, JOINT, templates_for(JOINT), 4).update([Instance(random_columns(1), [0, 6])]),
        lambda: make_search(JOINT).predict(weights, random_columns(5)),
    ):
        try:
            call()
        except ValueError as error:
            assert "J023" in str(error) or "J024" in str(error)


@pytest.mark.parametrize(
    ("sizes", "wrong", "allowed"),
    [
        *(((bits, 10), bits, "8 to 30") for bits in (7, 31, 0, -1, 64)),
        *(((8, width), width, "32768") for width in (0, -1, 32769)),
        *(((8, 10, min_changes), min_changes, "255") for min_changes in (0, -1, 256)),
    ],
)
def test_sizes_out_of_range_are_refused(sizes, wrong, allowed):
    with pytest.raises(ValueError, match=f"J030.*{wrong}.*{allowed}"):
        Weights(*sizes)


def test_the_last_row_fits_into_the_table_which_neither_learns_nor_predicts_nor_can_be_finished():
    for width in (1, 15, 16, 17, 32768):
        assert Weights(8, width).n_cells >= 2**8 - 1 + width
    weights = Weights(8, JOINT.row_width)
    assert not weights.is_learning and weights.averaged is None
    use(weights)
    with pytest.raises(ValueError, match="J023"):
        weights.finish()


SPOILT = {
    "short": lambda array: array[:-1],
    "long": lambda array: np.append(array, array[:1]),
    "two-dimensional": lambda array: array.reshape(1, -1),
    "double": lambda array: array.astype(np.float64),
    "big-endian": lambda array: array.astype(">f4"),
    "strided": lambda array: np.repeat(array, 2)[::2],
    "read-only": lambda array: np.frombuffer(array.tobytes(), dtype=array.dtype),
}


@pytest.mark.parametrize("is_learning", [True, False])
@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_arrays_that_do_not_fit_are_refused_without_side_effects(spoil, which, is_learning):
    weights = Weights(8, JOINT.row_width)
    if is_learning:
        weights.start_training()
        weights.raw[0] = 5
    arrays = list(arrays_for(weights))
    arrays[which] = spoil(arrays[which])
    with pytest.raises(ValueError, match=r"J022|not C-contiguous|read-only"):
        weights.restore(*arrays, 0)
    assert weights.is_learning is is_learning and (not is_learning or weights.raw[0] == 5)
    use(weights)


@pytest.mark.parametrize("wrong", [None, "text", [0.0]])
def test_values_that_are_not_arrays_are_refused(wrong):
    weights = Weights(8, JOINT.row_width)
    raw, total, n_changes = arrays_for(weights)
    for call in (
        lambda: weights.restore(wrong, total, n_changes, 0),
        lambda: weights.restore(raw, total, n_changes, "many"),
        lambda: weights.set_averaged(wrong, all_kept(8), 1.0),
        lambda: weights.set_averaged(np.zeros(weights.n_cells, np.int8), wrong, 1.0),
        lambda: weights.set_averaged(np.zeros(weights.n_cells, np.int8), all_kept(8), "one"),
    ):
        with pytest.raises((ValueError, TypeError, AttributeError)):
            call()
        use(weights)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("name", [name for name in SPOILT if name != "read-only"])
def test_weights_that_do_not_fit_are_refused_without_side_effects(name, which):
    weights = Weights(8, JOINT.row_width)
    arrays = [np.zeros(weights.n_cells, np.int8), all_kept(8)]
    arrays[which] = SPOILT[name](arrays[which])
    with pytest.raises(ValueError):
        weights.set_averaged(*arrays, 1.0)
    assert weights.averaged is None
    use(weights)


def test_weights_keep_the_memory_that_they_were_given():
    averaged = random_weights(JOINT).averaged
    place = mmap.mmap(-1, len(averaged))
    place.write(averaged.tobytes())
    weights = Weights(12, JOINT.row_width)
    weights.set_averaged(np.frombuffer(place, np.int8), all_kept(12), 1.0)
    del averaged
    with pytest.raises(BufferError):
        place.close()
    use(weights)


def test_large_models_are_loaded_unchanged_to_aligned_memory():
    perceptron = make_perceptron(table_bits=21)
    content = perceptron.to_bytes()
    perceptron.from_bytes(content)
    assert perceptron.weights.averaged.ctypes.data % HUGE_PAGE < len(content) - perceptron.weights.averaged.nbytes
    assert perceptron.to_bytes() == content


def finished(raw, total=None, n_updates=0, min_changes=1, n_changes=None):
    weights = Weights(8, 16, min_changes)
    arrays = arrays_for(weights)
    arrays[0][: len(raw)] = raw
    if total is not None:
        arrays[1][: len(total)] = total
    if n_changes is not None:
        arrays[2][: len(n_changes)] = n_changes
    weights.restore(*arrays, n_updates)
    weights.finish()
    return weights


def test_averages_subtract_the_mean_of_the_totals_and_leave_rare_features_out():
    assert finished([4.0], [6.0], 3).averages()[0] == 2.0
    # Before the first instance, they are the weights.
    assert finished([4.0]).averages()[0] == 4.0
    weights = finished([0.0])
    assert not weights.averaged.any() and np.isfinite(weights.scale)
    weights = finished([1.0], min_changes=3, n_changes=[2, 3, 255])
    assert np.unpackbits(weights.kept, bitorder="little")[:4].tolist() == [0, 1, 1, 0]


@QUICK
@given(st.lists(st.floats(-100, 100, width=32, allow_subnormal=False), min_size=1, max_size=200))
def test_finished_weights_have_the_signs_of_the_averages_and_are_within_half_a_step_unless_clipped(raw):
    weights = finished(raw)
    averages = weights.averages()
    error = np.abs(weights.averaged.astype(np.float64) * weights.scale - averages)
    clipped = np.abs(weights.averaged) == 127
    assert (error[~clipped] <= weights.scale * 0.501).all()
    assert (np.sign(weights.averaged) * np.sign(averages) >= 0).all()


@pytest.mark.parametrize(("n_templates", "most"), [(1, 127), (256, 127), (258, 127), (259, 126), (512, 63)])
def test_sums_of_finished_weights_fit_in_16_bits(n_templates, most):
    weights = finished([4.0, -4.0])
    weights.finish(n_templates=n_templates)
    assert weights.averaged[:2].tolist() == [most, -most]
    assert n_templates * most < 2**15


def test_files_whose_sums_would_overflow_are_refused():
    perceptron = make_perceptron(TAGGING, "\n".join(["w.word w-1.word"] * 300), ["word"])
    n_cells, kept = perceptron.weights.n_cells, all_kept(10)
    for weight in (109, -109, 110, -110, -128):
        weights = np.full(n_cells, weight, dtype=np.int8)
        described, _ = model_file.unpack(perceptron.to_bytes())
        content = model_file.pack(described, {"averaged": weights, "kept": kept})
        if abs(weight) == 109:
            perceptron.from_bytes(content)
        else:
            with pytest.raises(ValueError, match="J052"):
                perceptron.from_bytes(content)
