"""Memory that runs out, and memory that somebody else might free."""

from functools import partial

import numpy as np
import pytest

from spacy_joint.engine.learner import Instance, Learner
from spacy_joint.engine.stream import Stream

from . import toys
from .processes import LIMIT, TOYS, limited, run_alone
from .toys import JOINT, TAGGING, fresh_weights, predict, random_columns, random_values, random_weights, templates_for

# Tables of this size are given back to the operating system when they are freed: to read them is to crash.
BITS = 20
N_TOKENS = 600


# Running out

run_limited = partial(run_alone, LIMIT + TOYS + "small, weights = random_columns(12), random_weights(JOINT, 3)\n")


@limited
def test_a_search_without_memory_says_so_and_can_be_used_again():
    run_limited("""
        search, huge = make_search(JOINT, 16), random_columns(60_000)
        expected = search.predict(weights, small).tolist()
        # The history, copies of it, and what is left for other buffers.
        for megabytes in (0.2, 1, 2.5, 5, 7):
            assert fails(lambda: search.predict(weights, huge), megabytes)
            assert search.predict(weights, small).tolist() == expected
    """)


@limited
def test_paths_without_memory_say_so():
    run_limited("""
        search, huge = make_search(TAGGING, 1), random_columns(300_000)
        weights = random_weights(TAGGING)
        expected = search.predict(weights, small).tolist()
        search.predict(weights, huge)
        # The history is there already, but there is no room for the result.
        for megabytes in (0, 0.1, 0.3):
            assert fails(lambda: search.predict(weights, huge), megabytes)
            assert fails(lambda: search.predict_all(weights, huge), megabytes)
            assert fails(lambda: search.trace(weights, huge), megabytes)
            assert search.predict(weights, small).tolist() == expected
    """)


@limited
@pytest.mark.parametrize("update_strategy", ["max_violation", "dlaso", "laso"])
@pytest.mark.parametrize("threads", [1, 2])
def test_learning_without_memory_says_so_and_can_go_on(update_strategy, threads):
    run_limited(f"""
        table = fresh_weights(JOINT)
        learner = Learner(table, JOINT, templates_for(JOINT), 4, update_strategy="{update_strategy}", threads={threads})
        shift, left, root = (JOINT.actions[name] for name in ("SHIFT", ("LEFT", "l"), ("ROOT", "root")))
        n = 25_000
        huge = Instance(random_columns(n), [shift] + [shift, left] * (n - 1) + [root])
        normal = [Instance(*document) for document in parsing_problem()] * 25
        learner.update(normal)
        before = table.raw.tobytes()
        for megabytes in (0.05, 0.1, 0.2):
            assert fails(lambda: learner.update([huge, huge]), megabytes)
        assert table.raw.tobytes() == before or "{update_strategy}" == "laso"
        assert learner.update(normal)["gold"] == sum(instance.n_actions for instance in normal)
        # The same weights as those of a learner that never ran out of memory.
        if "{update_strategy}" != "laso":
            other = fresh_weights(JOINT)
            undisturbed = Learner(other, JOINT, templates_for(JOINT), 4, update_strategy="{update_strategy}")
            undisturbed.update(normal)
            undisturbed.update(normal)
            assert other.raw.tobytes() == table.raw.tobytes()
    """)


@limited
def test_an_update_of_many_features_without_memory_says_so():
    run_limited("""
        # Each token is a word of its own, so that the documents differ in as many features as they have tokens.
        n = 40_000
        columns = Columns(COLUMNS, np.arange(2 * n, dtype=np.uint64).reshape(n, 2))
        table = random_weights(TAGGING, bits=22)
        table.start_training()
        before = table.raw.tobytes()
        learner = Learner(table, TAGGING, templates_for(TAGGING), 1, update_strategy="max_violation")
        huge = Instance(columns, np.full(n, 2))
        # The search needs less than the features do.
        for megabytes in (2, 4, 6, 8):
            assert fails(lambda: learner.update([huge]), megabytes)
        assert table.raw.tobytes() == before
        assert learner.update([huge])["used"] > n / 2 and table.raw.tobytes() != before
    """)


@limited
def test_a_stream_that_has_no_memory_for_more_tokens_goes_on_without_them():
    run_limited("""
        values = random_values(300_000)
        expected = predict(JOINT, weights, random_columns(5000))
        for megabytes in (0, 1, 4, 6, 9.7):
            stream = Stream(JOINT, templates_for(JOINT), 4, weights)
            stream.feed(values[:1])
            assert fails(lambda: stream.feed(values), megabytes)
            assert stream.n_tokens == 1
            stream.forget(1)
            stream.feed(random_values(5000))
            stream.end()
            assert stream.run().tolist() == expected
    """)


@limited
def test_a_stream_without_memory_says_so_and_another_one_goes_on():
    run_limited("""
        values = random_values(60_000)
        for megabytes in (0.2, 1, 2.5):
            stream = Stream(JOINT, templates_for(JOINT), 16, weights)
            stream.feed(values)
            assert fails(stream.run, megabytes)
            try:
                stream.run()
                raise AssertionError("it went on")
            except ValueError as error:
                assert error.code == "J039"
            stream = Stream(JOINT, templates_for(JOINT), 16, weights)
            stream.feed(random_values(12))
            stream.end()
            expected = make_search(JOINT, 16).predict(weights, small)
            assert stream.run().tolist() == expected.tolist()
    """)


def replace(weights, seed):
    """Gives weights other arrays, which frees the old ones at once if nobody holds them."""
    other = random_weights(JOINT, seed, weights.bits)
    weights.set_averaged(other.averaged, other.kept, 1.0)


def test_a_stream_goes_on_with_the_weights_that_it_was_opened_with():
    values, weights = random_values(N_TOKENS), random_weights(JOINT, 0, BITS)
    expected = predict(JOINT, weights, random_columns(N_TOKENS))
    stream, actions = Stream(JOINT, templates_for(JOINT), 4, weights), []
    for first in range(0, N_TOKENS, 50):
        stream.feed(values[first : first + 50])
        actions.extend(stream.run().tolist())
        replace(weights, first)
    del weights
    stream.end()
    assert actions + stream.run().tolist() == expected


def test_a_stream_of_a_perceptron_goes_on_while_the_perceptron_learns_and_predicts():
    perceptron = toys.make_perceptron(JOINT, table_bits=BITS, n_tables=2)
    instances = [Instance(*document) for document in toys.parsing_problem()]
    columns, values = random_columns(N_TOKENS), random_values(N_TOKENS)
    for _ in range(3):
        perceptron.update(instances)
        expected = perceptron.predict(columns).tolist()
        stream, actions = perceptron.stream(), []
        for first in range(0, N_TOKENS, 100):
            stream.feed(values[first : first + 100])
            actions.extend(stream.run().tolist())
            # New averages, in the place of which the old ones are freed.
            perceptron.update(instances[first // 100 % 2 :], dropout=0.2)
            perceptron.predict(columns)
        stream.end()
        assert actions + stream.run().tolist() == expected


def test_a_search_that_is_kept_does_not_need_the_weights_that_it_used_last():
    search, columns = toys.make_search(JOINT), random_columns(30)
    for seed in range(10):
        weights = random_weights(JOINT, seed, BITS)
        expected = predict(JOINT, weights, columns)
        assert search.predict(weights, columns).tolist() == expected
        # Weights can be replaced by their own arrays.
        weights.set_averaged(weights.averaged, weights.kept, weights.scale)
        assert search.predict(weights, columns).tolist() == expected
        replace(weights, seed + 1)
        del weights


def test_a_learner_does_not_keep_arrays_that_were_replaced():
    weights = fresh_weights(TAGGING, BITS)
    learner = Learner(weights, TAGGING, templates_for(TAGGING), 4)
    instance = Instance(random_columns(40), np.ones(40, dtype=np.uint16))
    blank = [np.zeros_like(array) for array in (weights.raw, weights.total, weights.n_changes)]
    learnt = set()
    for _ in range(5):
        weights.restore(*(array.copy() for array in blank), 0)
        learner.update([instance])
        weights.finish()
        learnt.add((weights.raw.tobytes(), weights.total.tobytes(), weights.n_updates))
    assert len(learnt) == 1
