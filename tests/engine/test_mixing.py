"""Mixing what was learnt from shards: the definition of engine/mixing.py, against weights kept after each instance."""

from dataclasses import replace

import numpy as np
import pytest

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.learner import Instance
from spacy_joint.engine.mixing import mix

from . import toys

TEMPLATES = "w.word\nw-1.word w.word\n\ntag-1 w.word"
SHARDS = ([1, 2, 3], [4], [5, 6, 7, 8])


def make_perceptron(templates=TEMPLATES, **settings):
    learning = {"table_bits": 12, "beam_width": 2, "update_strategy": "early", "rule": "passive_aggressive"}
    return toys.make_perceptron(toys.TAGGING, templates, ["word"], **learning | settings)


def make_instance(number):
    """A document of five words with tags at random."""
    rng = np.random.default_rng(number)
    return Instance(Columns(["word"], rng.integers(1, 5, (5, 1)).astype(np.uint64)), rng.integers(0, 3, 5))


def run_pass(start, numbers):
    """The end of a pass from a state, and the weights after each instance."""
    perceptron = make_perceptron()
    perceptron.restore_states([start])
    kept = []
    for number in numbers:
        perceptron.update([make_instance(number)])
        perceptron.n_seen += 1
        kept.append(perceptron.weights.raw.astype(np.float64))
    return perceptron.copy_states()[0], kept


def start_training():
    return make_perceptron().copy_states()[0]


def as_bytes(state):
    return [np.asarray(value).tobytes() for value in vars(state).values() if not isinstance(value, str)]


def test_a_mixture_of_one_pass_is_its_end():
    state = start_training()
    for _ in range(3):
        end, _ = run_pass(state, SHARDS[2])
        state = mix(state, [end])
        assert as_bytes(state) == as_bytes(end)


def test_each_weight_is_mixed_over_the_passes_that_changed_it():
    start, _ = run_pass(start_training(), [9])
    ends, kept = zip(*(run_pass(start, shard) for shard in SHARDS), strict=True)
    changed = np.sum([np.any(of_pass != start.raw, axis=0) for of_pass in kept], axis=0)
    assert {0, 1, 2} <= set(changed.tolist())
    expected = start.raw + np.sum([end.raw - start.raw for end in ends], axis=0) / np.maximum(changed, 1)
    np.testing.assert_allclose(mix(start, ends).raw, expected, rtol=1e-5, atol=1e-7)


def test_mixed_weights_are_averaged_over_time():
    state, history = start_training(), []
    for epoch in range(3):
        ends, kept = zip(*(run_pass(state, shard) for shard in SHARDS), strict=True)
        changed = np.maximum(np.sum([np.any(of_pass != state.raw, axis=0) for of_pass in kept], axis=0), 1)
        during = sum(np.mean(of_pass, axis=0) - state.raw for of_pass in kept) / changed
        history.append(state.raw + during)
        state = mix(state, ends)
        assert state.n_updates == state.n_seen == 8 * (epoch + 1)
        averages = state.raw - state.total / state.n_updates
        assert np.abs(averages).max() > 0.01
        np.testing.assert_allclose(averages, np.mean(history, axis=0), atol=1e-6)


def test_changes_are_counted_over_all_shards():
    start, _ = run_pass(start_training(), [9])
    ends = [run_pass(start, shard)[0] for shard in SHARDS]
    counts = start.n_changes + sum(end.n_changes.astype(int) - start.n_changes for end in ends)
    assert 0 < counts.max() < 255
    assert mix(start, ends).n_changes.tolist() == counts.tolist()
    many = [replace(end, n_changes=np.full_like(end.n_changes, 200)) for end in ends]
    assert set(mix(start_training(), many).n_changes.tolist()) == {255}


def test_a_model_goes_on_from_a_mixture():
    start = start_training()
    state = mix(start, [run_pass(start, shard)[0] for shard in SHARDS])
    perceptron = make_perceptron()
    perceptron.restore_states([state])
    np.testing.assert_allclose(perceptron.weights.averages(), state.raw - state.total / state.n_updates)
    assert perceptron.weights.averaged is not None and not perceptron.weights.averaged.any()
    perceptron.predict(Columns(["word"], np.ones((1, 1), dtype=np.uint64)))
    assert perceptron.weights.averaged.any()


def test_tables_learn_the_same_in_one_model_and_one_by_one():
    together = make_perceptron(n_tables=3)
    together.seed = 5
    for number in range(4):
        together.update([make_instance(number)], 0.5)
    states = together.copy_states()
    assert len({state.raw.tobytes() for state in states}) == 3
    for table, state in enumerate(states):
        alone = make_perceptron()
        alone.seed, alone.first_table = 5, table
        for number in range(4):
            alone.update([make_instance(number)], 0.5)
        assert as_bytes(alone.copy_states()[0]) == as_bytes(state)


def test_states_of_another_model_are_refused():
    state = start_training()
    later = replace(state, n_updates=3)
    for states, n_tables in (([state], 2), ([state, later], 2), ([], 1), ([replace(state, fingerprint="other")], 1)):
        with pytest.raises(ValueError, match=rf"\[J732\] {len(states)} training states .* {n_tables} tables"):
            make_perceptron(n_tables=n_tables).restore_states(states)
    with pytest.raises(ValueError, match=r"\[J022\]"):
        make_perceptron(table_bits=13).restore_states([state])
