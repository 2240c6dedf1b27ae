"""Scores of modifier orders."""

import pytest
from order_models.measures import Answer, answer, answer_all, compare, cross_validate, score_answers
from order_models.ranks import TagRank

from spacy_joint.ordering.phrases import Phrase, Word

RIGHT, WRONG, BOTH, NONE = Answer(((0, 1),), 2), Answer(((1, 0),), 2), Answer(((0, 1), (1, 0)), 2), Answer((), 2)


def phrase(*words):
    return Phrase(tuple(Word(*word.split("/")) for word in words))


def test_ties_are_scored_as_random_choices():
    assert (RIGHT.full, WRONG.full, NONE.full, BOTH.full) == (1.0, 0.0, 0.5, 0.5)
    assert Answer((), 3).full == pytest.approx(1 / 6)
    assert Answer(((0, 2, 1),), 3).pairs == pytest.approx(2 / 3)


def test_equal_scores_for_all_orders_are_no_answer():
    assert answer(TagRank(), phrase("big/JJ", "red/JJ")) == NONE
    assert answer(TagRank(), phrase("big/JJ", "tin/NN")) == RIGHT
    assert answer(TagRank(), phrase("tin/NN", "big/JJ")) == WRONG


def test_undecided_phrases_count_as_chance():
    scores = score_answers([RIGHT, WRONG, NONE, NONE])
    assert scores["order_full"] == 0.5
    assert scores["order_full_se"] == pytest.approx(0.25)


def test_accuracy_by_length():
    scores = score_answers([RIGHT, Answer(((0, 2, 1),), 3)])
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
