"""Calibration: probabilities of sentence starts, from the decisions of the search.

Margins are differences of scores. Logistic regression on development documents (Platt 1999) turns them into
probabilities, separately for margins for and against a start and for text with and without punctuation. It sees the
margin, the distances to the nearest boundaries, the log-odds of a guide if the parser reads one, and how many sentences
the document has: the same margin is more reliable in conversations, whose sentences are short, than in articles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import Errors, JointValueError
from ..pipes.token_columns import PUNCTUATED, UNPUNCTUATED

# The kinds of text that are calibrated separately. The last one is for templates that do not read the style.
KINDS = {"punctuated": PUNCTUATED, "unpunctuated": UNPUNCTUATED, "any": 0}
# A kind of text needs this many decisions for a start, and as many against one, to be calibrated.
MIN_DECISIONS = 20
# The numbers of features without and with a guide.
N_FEATURES, N_GUIDED = 8, 9
# The usual share of words that start a sentence, and its weight, in words: a prior for short documents.
USUAL_SHARE, USUAL_WORDS = 0.07, 100
# Log-odds of a guide are clipped to this magnitude.
MAX_ODDS = 10.0
# The strength of L2 regularization, in units of one observation.
PENALTY = 1.0
MAX_ITERATIONS = 100
DIGITS = 6


class Decisions(NamedTuple):
    """The decisions about the tokens of a document that are not whitespace: whether each starts a sentence."""

    starts: np.ndarray
    margins: np.ndarray  # see margins.pyx
    is_open: np.ndarray  # rather than given
    kinds: np.ndarray  # of the text around each token: values of `KINDS`
    guide: np.ndarray | None = None  # the log-odds according to the guide, NaN if unknown


class Calibration(NamedTuple):
    """Maps decisions to probabilities."""

    # The median margin, which is the unit of margins.
    scale: float
    # By kind of text: the weights of the features of decisions against and for a start (float64, 2 x features).
    weights: dict[str, np.ndarray]
    # The settings of the search that decided.
    search: dict[str, Any]

    def predict(self, decisions: Decisions) -> np.ndarray:
        """Returns the probability that each token starts a sentence; NaN if its start is given, or the kind of text is
        not calibrated."""
        features = _make_features(decisions, self.scale)
        probabilities = np.full(len(features), np.nan)
        for kind, weights in self.weights.items():
            for start in (0, 1):
                rows = _select(decisions, kind, start)
                probabilities[rows] = _logistic(features[rows] @ weights[start])
        return probabilities

    def to_dict(self) -> dict[str, Any]:
        """Returns the calibration as JSON-serialisable data."""
        # Rounded, so that saving does not change a calibration.
        weights = {kind: weights.round(DIGITS).tolist() for kind, weights in self.weights.items()}
        return {"scale": round(self.scale, DIGITS), "weights": weights, "search": self.search}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, guided: bool) -> Calibration:
        """Loads the data of `to_dict`. RAISES ValueError, TypeError, KeyError: If it is not valid."""
        scale, search = float(data["scale"]), dict(data["search"])
        weights = {kind: np.array(rows, dtype=np.float64) for kind, rows in dict(data["weights"]).items()}
        shape = (2, N_GUIDED if guided else N_FEATURES)
        are_valid = all(kind in KINDS and w.shape == shape and np.isfinite(w).all() for kind, w in weights.items())
        if not (weights and are_valid and 0 < scale < np.inf):
            raise ValueError
        return cls(scale, weights, search)


def fit_calibration(documents: Sequence[tuple[Decisions, np.ndarray]], search: Mapping[str, Any]) -> Calibration:
    """Learns probabilities from documents that the parser was not trained on, each with its true starts (bool).

    Kinds of text with at least `MIN_DECISIONS` decisions for a start, and as many against one, are calibrated. RAISES
    ValueError: If there are none (J646).
    """
    n = sum(np.count_nonzero(decisions.is_open) for decisions, _ in documents)
    too_few = JointValueError(Errors.J646, n=n, least=MIN_DECISIONS)
    if n < 2 * MIN_DECISIONS:
        raise too_few
    margins = np.abs(np.concatenate([decisions.margins[decisions.is_open] for decisions, _ in documents]))
    known = margins[margins > 0]
    scale = float(np.median(known)) if len(known) else 1.0
    features = np.concatenate([_make_features(decisions, scale) for decisions, _ in documents])
    correct = np.concatenate([gold for _, gold in documents])
    weights = {}
    for kind in KINDS:
        rows = [np.concatenate([_select(decisions, kind, start) for decisions, _ in documents]) for start in (0, 1)]
        if min(map(np.count_nonzero, rows)) >= MIN_DECISIONS:
            weights[kind] = np.stack([_fit(features[chosen], correct[chosen]) for chosen in rows])
    if not weights:
        raise too_few
    return Calibration(scale, weights, dict(search))


def _select(decisions: Decisions, kind: str, start: int) -> np.ndarray:
    """Selects the tokens of a kind of text for which the parser itself decided for or against a start."""
    return decisions.is_open & (decisions.kinds == KINDS[kind]) & (decisions.starts == start)


def _make_features(decisions: Decisions, scale: float) -> np.ndarray:
    """Makes the features of decisions (float64, tokens x features)."""
    starts, margins = decisions.starts, decisions.margins / scale
    # From -1 (no analysis with a start) to 1 (none without).
    squashed = np.where(np.isnan(margins), np.where(starts, 1.0, -1.0), margins / (1 + np.abs(margins)))
    tokens = np.arange(len(starts))
    boundaries = np.concatenate([[0], np.flatnonzero(starts), [len(starts)]])
    before = np.maximum(tokens - boundaries[np.searchsorted(boundaries, tokens, side="left") - 1], 1)
    after = boundaries[np.searchsorted(boundaries, tokens, side="right")] - tokens
    features = [np.ones(len(starts)), squashed, squashed**2, np.log(before), 1 / before, np.log(after), 1 / after]
    if decisions.guide is not None:
        features.append(np.clip(np.nan_to_num(decisions.guide), -MAX_ODDS, MAX_ODDS))
    share = (np.count_nonzero(starts) + USUAL_SHARE * USUAL_WORDS) / (len(starts) + USUAL_WORDS)
    features.append(np.full(len(starts), np.log(share / USUAL_SHARE)))
    return np.stack(features, axis=1)


def _fit(features: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Fits the weights of a logistic regression, by Newton's method with step halving. Platt's (1999) targets, which
    are short of 0 and 1, and a penalty keep the weights finite even if errors are few."""
    n_right = np.count_nonzero(gold)
    targets = np.where(gold, (n_right + 1) / (n_right + 2), 1 / (len(gold) - n_right + 2))
    penalty = np.full(features.shape[1], PENALTY)
    # The penalty of the constant feature only keeps the Hessian regular.
    penalty[0] = 1e-6

    def measure_loss(weights: np.ndarray) -> float:
        log_odds = features @ weights
        return float((np.logaddexp(0, log_odds) - targets * log_odds).sum() + 0.5 * (penalty * weights**2).sum())

    weights = np.zeros(features.shape[1])
    for _ in range(MAX_ITERATIONS):
        probabilities = _logistic(features @ weights)
        gradient = features.T @ (probabilities - targets) + penalty * weights
        hessian = (features.T * (probabilities * (1 - probabilities))) @ features + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        while measure_loss(weights - step) > measure_loss(weights):
            step /= 2
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def _logistic(log_odds: np.ndarray) -> np.ndarray:
    # Does not overflow.
    return 0.5 + 0.5 * np.tanh(0.5 * log_odds)
