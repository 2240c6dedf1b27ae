"""Measures of systems that order modifiers: accuracy on whole phrases and pairs, and significance.

A system may return one order, or several equally good ones: all if it cannot decide. Accuracy is the expectation of
choosing one of them at random. Leave out phrases with repeated modifiers: they have no unique order.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import comb, sqrt
from typing import NamedTuple

import numpy as np

from spacy_joint.ordering.phrases import Phrase

from .base import Order, Orderer

LONGEST = 5
RESAMPLES = 10_000


class Answer(NamedTuple):
    """The orders that a system likes best of a phrase whose text has the order 0, 1, 2, ..."""

    orders: Sequence[Order]

    @property
    def n(self) -> int:
        """The number of modifiers."""
        return len(self.orders[0])

    @property
    def full(self) -> float:
        """The chance to have the order of the text."""
        return (tuple(range(self.n)) in self.orders) / len(self.orders)

    @property
    def right_pairs(self) -> float:
        """The expected number of pairs in the order of the text."""
        return sum(a < b for order in self.orders for a, b in combinations(order, 2)) / len(self.orders)


def score_answers(answers: Sequence[Answer]) -> dict[str, float | int | None]:
    """Score `order_full` with its standard error, `order_full_N` by length, and `order_pair`.

    Scores are shares from 0 to 1, None where there is nothing to score.
    """
    full = [given.full for given in answers]
    by_length: defaultdict[int, list[float]] = defaultdict(list)
    for given in answers:
        by_length[min(given.n, LONGEST)].append(given.full)
    mean = _divide(sum(full), len(full))
    return {
        "n": len(answers),
        "order_full": mean,
        "order_full_se": None if mean is None else sqrt(mean * (1 - mean) / len(full)),
        "order_pair": _divide(sum(given.right_pairs for given in answers), sum(comb(given.n, 2) for given in answers)),
        **{f"order_full_{n}": _divide(sum(values), len(values)) for n, values in sorted(by_length.items())},
    }


def _divide(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def compare(ours: Sequence[Answer], theirs: Sequence[Answer]) -> float:
    """Compare two systems on the same phrases by a paired bootstrap (Efron and Tibshirani 1993).

    Returns the share of RESAMPLES resamples in which ours is not better: a one-sided p-value.
    """
    difference = np.array([a.full - b.full for a, b in zip(ours, theirs, strict=True)])
    if not len(difference):
        return 1.0
    random = np.random.default_rng(0)
    worse = sum(
        int((difference[random.integers(len(difference), size=(500, len(difference)))].sum(axis=1) <= 0).sum())
        for _ in range(RESAMPLES // 500)
    )
    return worse / RESAMPLES


def cross_validate(
    make: Callable[[], Orderer], phrases: Sequence[Phrase], *, folds: int = 10, seed: int = 0
) -> list[list[Answer]]:
    """Ask for the phrases of each fold a system that has learnt from the others; the same folds for the same seed."""
    fold_of = (np.random.default_rng(seed).permutation(len(phrases)) % folds).tolist()
    answers = []
    for fold in range(folds):
        system = make()
        system.fit([phrase for phrase, other in zip(phrases, fold_of, strict=True) if other != fold])
        held_out = [phrase for phrase, other in zip(phrases, fold_of, strict=True) if other == fold]
        answers.append(answer_all(system, held_out))
    return answers


def answer_all(system: Orderer, phrases: Iterable[Phrase]) -> list[Answer]:
    """Ask a system for the order of each phrase."""
    return [Answer(system.order(phrase)) for phrase in phrases]
