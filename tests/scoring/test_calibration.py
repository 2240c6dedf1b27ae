"""Scores of probabilities, by hand."""

import numpy as np
import pytest

from spacy_joint.scoring.calibration import expected_calibration_error, precision_of_surest

PROBABILITIES = np.array([0.05, 0.05, 0.31, 0.39, 1.0])
ARE_RIGHT = np.array([False, True, False, False, True])


def test_the_calibration_error_is_the_mean_distance_of_probabilities_and_frequencies():
    assert expected_calibration_error(PROBABILITIES, ARE_RIGHT) == pytest.approx((2 * 0.45 + 2 * 0.35) / 5)


def test_the_surest_predictions_are_those_with_the_highest_probabilities():
    assert precision_of_surest(PROBABILITIES, ARE_RIGHT, 0.2) == 1.0
    assert precision_of_surest(PROBABILITIES, ARE_RIGHT, 0.4) == 0.5
    assert precision_of_surest(PROBABILITIES, ARE_RIGHT, 0.0) == 1.0


def test_without_predictions_there_is_no_score():
    nothing = np.zeros(0), np.zeros(0, dtype=bool)
    assert np.isnan(expected_calibration_error(*nothing)) and np.isnan(precision_of_surest(*nothing))
