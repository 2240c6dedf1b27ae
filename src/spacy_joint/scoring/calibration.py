"""Scores of probabilities: whether what is predicted with a probability of 80 % is right in 80 % of cases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

N_BINS = 10


class Bin(NamedTuple):
    """The predictions with probabilities in an interval: how many, their mean probability, and how many are right."""

    n: int
    predicted: float
    observed: float


def make_reliability_table(probabilities: np.ndarray, are_right: np.ndarray, n_bins: int = N_BINS) -> list[Bin]:
    """Compare probabilities with frequencies, in intervals of the same width (Murphy & Winkler 1977).

    probabilities: Probabilities (one per prediction).
    are_right: Which predictions are right (bool, one per prediction).
    n_bins: The number of intervals. Those without predictions are left out.
    """
    numbers = np.minimum((probabilities * n_bins).astype(np.int64), n_bins - 1)
    groups = [numbers == number for number in np.unique(numbers)]
    return [
        Bin(int(group.sum()), float(probabilities[group].mean()), float(are_right[group].mean())) for group in groups
    ]


def expected_calibration_error(probabilities: np.ndarray, are_right: np.ndarray, n_bins: int = N_BINS) -> float:
    """Compute the mean distance, between 0 and 1, of probabilities and frequencies in the intervals of
    `make_reliability_table` (Naeini, Cooper & Hauskrecht 2015); NaN without predictions."""
    bins = make_reliability_table(probabilities, are_right, n_bins)
    error = sum(n * abs(predicted - observed) for n, predicted, observed in bins)
    return error / len(probabilities) if bins else float("nan")


def precision_of_surest(probabilities: np.ndarray, are_right: np.ndarray, share: float = 0.2) -> float:
    """Compute the share, between 0 and 1, of right predictions among those with the highest probabilities; NaN without
    predictions.

    share: How many of the predictions to look at; at least one is.
    """
    if not len(probabilities):
        return float("nan")
    surest = np.argsort(-probabilities, kind="stable")[: max(round(share * len(probabilities)), 1)]
    return float(are_right[surest].mean())
