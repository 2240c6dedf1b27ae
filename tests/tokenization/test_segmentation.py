"""The search of the tokenizer that is learnt: one action per character."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.columns import Columns
from spacy_joint.tokenization.system import JOIN, SKIP, SegmentationSystem

from ..engine.toys import replay, walk_at_random

QUICK = settings(max_examples=100)
SYSTEM = SegmentationSystem()
BEGIN, INSIDE, END, SINGLE, OUTSIDE = range(5)
# Characters (0), and whitespace that may be in a word only between two of them.
texts = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from([SKIP, JOIN])).map(lambda pair: [0] * pair[0] + [pair[1]]), max_size=4
).map(lambda chunks: [constraint for chunk in chunks for constraint in chunk][:-1])


def make_columns(constraints):
    numbers = np.arange(1, len(constraints) + 1, dtype=np.uint64)
    numbers = numbers.reshape(-1, 1)
    return Columns(["char"], numbers, np.array(constraints, dtype=np.int8), numbers.astype(np.int32))


def after(constraints, *actions):
    return replay(SYSTEM, make_columns(constraints), actions)


@QUICK
@given(texts, st.integers(0, 2**32 - 1))
def test_every_walk_takes_one_action_per_character_that_is_not_skipped(constraints, seed):
    actions = walk_at_random(SYSTEM, make_columns(constraints), seed)
    assert len(actions) == sum(constraint != SKIP for constraint in constraints)


@QUICK
@given(texts, st.integers(0, 2**32 - 1))
def test_the_actions_for_words_give_these_words(constraints, seed):
    begins, ends = SYSTEM.build(walk_at_random(SYSTEM, make_columns(constraints), seed))
    kept = np.array(constraints, dtype=np.int8) != SKIP
    all_begins, all_ends = np.zeros(len(constraints), dtype=bool), np.zeros(len(constraints), dtype=bool)
    all_begins[kept], all_ends[kept] = begins, ends
    actions = SYSTEM.actions(all_begins, all_ends, np.array(constraints, dtype=np.int8))
    found = SYSTEM.build(actions)
    assert begins.sum() == ends.sum()
    assert np.array_equal(found[0], begins) and np.array_equal(found[1], ends)


def test_a_word_goes_on_until_it_ends():
    assert after([0, 0, 0]).legal() == [BEGIN, SINGLE]
    assert after([0, 0, 0], BEGIN).legal() == [INSIDE, END]
    assert after([0, 0, 0], BEGIN, INSIDE).legal() == [END]
    assert after([0, 0, 0], BEGIN, END).legal() == [SINGLE]


def test_skipped_whitespace_ends_a_word():
    assert after([0, SKIP, 0]).legal() == [SINGLE]
    assert after([0, 0, SKIP, 0], BEGIN).legal() == [END]


def test_other_whitespace_is_in_a_word_if_it_goes_on():
    assert after([0, JOIN, 0]).legal() == [BEGIN, SINGLE]
    assert after([0, JOIN, 0], BEGIN).legal() == [INSIDE]
    assert after([0, JOIN, 0], SINGLE).legal() == [OUTSIDE]


def test_templates_see_the_current_word_and_the_one_before():
    first = after([0, 0, 0, 0]).slots()
    second = after([0, 0, 0, 0], BEGIN).slots()
    assert (first["length"], second["length"]) == (1, 2)
    assert first["word"] != second["word"] and first["before"] == second["before"] == 0
    assert after([0, 0, 0, 0], BEGIN, END).slots()["before"] == second["word"]
    # It is the same word after other words.
    assert after([0, 0, 0], BEGIN, END).slots()["word"] == after([0, 0, 0], SINGLE, SINGLE).slots()["word"]


def test_paths_and_shapes_are_checked():
    with pytest.raises(ValueError, match="J314"):
        SYSTEM.build(np.array([7]))
    with pytest.raises(ValueError, match="J001"):
        SYSTEM.actions(np.zeros(2, dtype=bool), np.zeros(2, dtype=bool), np.zeros(3, dtype=np.int8))


def test_it_can_be_pickled():
    assert isinstance(pickle.loads(pickle.dumps(SYSTEM)), SegmentationSystem)
