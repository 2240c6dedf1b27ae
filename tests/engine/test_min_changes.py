"""What `min_changes` counts: the changed weights of a feature, over all updates and tables."""

import numpy as np
import pytest

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.learner import Instance, Learner
from spacy_joint.engine.templates import Templates
from spacy_joint.engine.weights import Weights

from .toys import TAGGING


def tagging_learner(text, min_changes, update_strategy="early", width=1):
    """A table and what learns it, for documents of words, with tags x, y and z."""
    weights = Weights(14, TAGGING.row_width, min_changes)
    weights.start_training()
    templates = Templates(text, ["word"], TAGGING)
    learner = Learner(weights, TAGGING, templates, width, update_strategy=update_strategy, rule="perceptron")
    return weights, learner


def one_word(gold):
    return Instance(Columns(["word"], np.ones((1, 1), dtype=np.uint64)), [gold])


def n_kept(weights, others=()):
    weights.finish(others)
    return int(np.unpackbits(weights.kept).sum())


@pytest.mark.parametrize(("min_changes", "kept"), [(1, 1), (2, 1), (3, 0)])
def test_taking_one_action_for_another_changes_two_weights_of_a_feature_of_both(min_changes, kept):
    weights, learner = tagging_learner("w.word", min_changes)
    # Without weights the first tag is preferred.
    assert learner.update([one_word(1)])["segments"] == 1
    assert weights.n_changes.sum() == np.count_nonzero(weights.raw) == 2
    assert n_kept(weights) == kept


def test_each_feature_is_counted_for_itself_and_once_if_only_one_of_the_paths_has_it():
    weights, learner = tagging_learner("w.word\nw-1.word", 2)
    learner.update([one_word(1)])
    assert sorted(weights.n_changes[weights.n_changes > 0].tolist()) == [2, 2]
    weights, learner = tagging_learner("tag-1 w.word", 1, update_strategy="dlaso", width=9)
    # The second token follows another tag on each path, so its features differ; that of the first is the same.
    learner.update([Instance(Columns(["word"], np.array([[1], [2]], dtype=np.uint64)), [1, 0])])
    assert sorted(weights.n_changes[weights.n_changes > 0].tolist()) == [1, 1, 2]


@pytest.mark.parametrize(("n", "counted"), [(1, 2), (3, 6), (127, 254), (128, 255), (200, 255)])
def test_changes_are_summed_over_updates_up_to_the_most_that_fits(n, counted):
    weights, learner = tagging_learner("w.word", 1)
    for i in range(n):
        # Each time the other tag, as the one before has just won.
        assert learner.update([one_word(1 + i % 2)])["segments"] == 1
    assert weights.n_changes.max() == counted


@pytest.mark.parametrize(("min_changes", "kept"), [(4, 1), (5, 0)])
def test_changes_are_summed_over_tables(min_changes, kept):
    (weights, first), (other, second) = (tagging_learner("w.word", min_changes) for _ in range(2))
    first.update([one_word(1)])
    second.update([one_word(2)])
    assert n_kept(weights) == n_kept(other) == 0
    assert n_kept(weights, [other]) == kept
    # Sums do not overflow.
    tables = [tagging_learner("w.word", 255) for _ in range(3)]
    for _, learner in tables:
        for i in range(128):
            learner.update([one_word(1 + i % 2)])
    assert n_kept(tables[0][0], [weights for weights, _ in tables[1:]]) == 1
