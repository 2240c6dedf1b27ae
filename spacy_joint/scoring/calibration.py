"""Scores of probabilities: whether predictions with a probability of 80 % are right in 80 % of cases."""

import numpy as np

N_BINS = 10


def expected_calibration_error(probabilities: np.ndarray, are_correct: np.ndarray) -> float:
    """Compute the mean distance, between 0 and 1, of probabilities and frequencies of right predictions in ten
    intervals of the same width (Naeini, Cooper & Hauskrecht 2015); NaN without predictions."""
    if not len(probabilities):
        return float("nan")
    intervals = np.minimum((probabilities * N_BINS).astype(np.int64), N_BINS - 1)
    differences = np.bincount(intervals, weights=probabilities - are_correct)
    return float(np.abs(differences).sum() / len(probabilities))


def precision_of_surest(probabilities: np.ndarray, are_correct: np.ndarray, share: float = 0.2) -> float:
    """Compute the share, between 0 and 1, of right predictions among the `share` with the highest probabilities, at
    least one; NaN without predictions."""
    if not len(probabilities):
        return float("nan")
    surest = np.argsort(-probabilities, kind="stable")[: max(round(share * len(probabilities)), 1)]
    return float(are_correct[surest].mean())
