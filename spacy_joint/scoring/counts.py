"""Adding up and reporting the counts behind scores. Scores are None if there is nothing to score."""

from collections.abc import Callable
from typing import Any

from spacy.scorer import PRFScore

Scorer = Callable[..., dict[str, Any]]


def make_factory(score: Scorer) -> Callable[[], Scorer]:
    """Make the function that spaCy registers for a scorer without settings."""
    return lambda: score


def count(score: PRFScore, correct: int, found: int, expected: int) -> None:
    """Add the numbers of correct, predicted and expected items to a score."""
    score.tp += correct
    score.fp += found - correct
    score.fn += expected - correct


def report(name: str, score: PRFScore) -> dict[str, float | None]:
    """Report precision, recall and F1 as NAME_p, NAME_r and NAME_f; None if there is nothing to score."""
    values = (score.precision, score.recall, score.fscore) if len(score) else (None,) * 3
    return {f"{name}_{measure}": value for measure, value in zip("prf", values, strict=True)}


def divide(part: float, whole: float) -> float | None:
    """Divide a part by a whole; return None if the whole is 0."""
    return part / whole if whole else None
