"""Scores of modifier orders."""

import pytest
from order_models.measures import Answer, answer_all, compare, cross_validate, score_answers
from order_models.ranks import TagRank

from spacy_joint.ordering.phrases import Phrase, Word

RIGHT, WRONG, BOTH, LONGER = Answer([(0, 1)]), Answer([(1, 0)]), Answer([(0, 1), (1, 0)]), Answer([(0, 2, 1)])


def phrase(*words):
    return Phrase(tuple(Word(*word.split("/")) for word in words))


def test_ties_are_scored_as_random_choices():
    assert (RIGHT.full, WRONG.full, BOTH.full) == (1.0, 0.0, 0.5)
    assert (RIGHT.right_pairs, BOTH.right_pairs, LONGER.right_pairs) == (1.0, 0.5, 2.0)


def test_orders_with_equal_scores_are_one_answer():
    phrases = [phrase("big/JJ", "red/JJ"), phrase("big/JJ", "tin/NN"), phrase("tin/NN", "big/JJ")]
    assert answer_all(TagRank(), phrases) == [BOTH, RIGHT, WRONG]


def test_undecided_phrases_count_as_chance():
    scores = score_answers([RIGHT, WRONG, BOTH, BOTH])
    assert scores["order_full"] == 0.5
    assert scores["order_full_se"] == pytest.approx(0.25)


def test_accuracy_by_length():
    scores = score_answers([RIGHT, LONGER])
    assert (scores["order_full_2"], scores["order_full_3"]) == (1.0, 0.0)
    assert scores["order_pair"] == pytest.approx(3 / 4)


def test_nothing_to_score_is_none():
    assert score_answers([])["order_full"] is None


def test_the_bootstrap_distinguishes_better_from_equal():
    assert compare([RIGHT] * 100, [RIGHT] * 50 + [WRONG] * 50) == 0.0
    assert compare([RIGHT] * 100, [RIGHT] * 100) == 1.0
    assert compare([RIGHT, WRONG] * 50, [WRONG, RIGHT] * 50) == pytest.approx(0.5, abs=0.1)


def test_cross_validation_answers_for_each_phrase_once():
    phrases = [phrase(f"w{i}/JJ", f"x{i}/NN") for i in range(25)]
    folds = cross_validate(TagRank, phrases, folds=10)
    assert len(folds) == 10 and [a for fold in folds for a in fold] == answer_all(TagRank(), phrases)
