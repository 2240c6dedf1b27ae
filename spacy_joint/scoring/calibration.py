"""Scores of probabilities: whether predictions with a probability of 80 % are right in 80 % of cases."""

from typing import NamedTuple

import numpy as np

N_BINS = 10


class Bin(NamedTuple):
    """The predictions with probabilities in an interval: their number, mean probability, and share of right ones."""

    n: int
    predicted: float
    observed: float


def make_reliability_table(probabilities: np.ndarray, are_correct: np.ndarray) -> list[Bin]:
    """Compare probabilities with frequencies of right predictions, in ten intervals of the same width, without empty
    ones (Murphy & Winkler 1977)."""
    numbers = np.minimum((probabilities * N_BINS).astype(np.int64), N_BINS - 1)
    groups = [numbers == number for number in np.unique(numbers)]
    return [
        Bin(int(group.sum()), float(probabilities[group].mean()), float(are_correct[group].mean())) for group in groups
    ]


def expected_calibration_error(probabilities: np.ndarray, are_correct: np.ndarray) -> float:
    """Compute the mean distance, between 0 and 1, of probabilities and frequencies in the intervals of
    `make_reliability_table` (Naeini, Cooper & Hauskrecht 2015); NaN without predictions."""
    bins = make_reliability_table(probabilities, are_correct)
    error = sum(n * abs(predicted - observed) for n, predicted, observed in bins)
    return error / len(probabilities) if bins else float("nan")


def precision_of_surest(probabilities: np.ndarray, are_correct: np.ndarray, share: float = 0.2) -> float:
    """Compute the share, between 0 and 1, of right predictions among the `share` with the highest probabilities, at
    least one; NaN without predictions."""
    if not len(probabilities):
        return float("nan")
    surest = np.argsort(-probabilities, kind="stable")[: max(round(share * len(probabilities)), 1)]
    return float(are_correct[surest].mean())
