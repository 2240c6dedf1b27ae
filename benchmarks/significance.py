"""Significance of the difference between two systems, by approximate randomisation (Noreen 1989) over documents."""

from collections.abc import Sequence

import numpy as np

from spacy_joint.scoring.quotations import Counts


def randomise(first: Sequence[Counts], second: Sequence[Counts], *, rounds: int = 10_000) -> float:
    """The probability that the F1 scores of two equally good systems differ at least as much as these.

    first, second: The counts of each system, one per document, in the same order.
    rounds: The number of random swaps.
    Raises ValueError if the numbers of documents differ.
    """
    if len(first) != len(second):
        raise ValueError(f"Both systems need one count per document, not {len(first)} and {len(second)}.")
    if not first:
        return 1.0
    counts = np.array([[count.values for count in system] for system in (first, second)])
    generator = np.random.default_rng(0)
    observed = _compare(counts.sum(axis=1))
    at_least = 0
    for _ in range(rounds):
        swapped = generator.random(len(first)) < 0.5
        sums = np.stack(
            [
                counts[0, ~swapped].sum(axis=0) + counts[1, swapped].sum(axis=0),
                counts[1, ~swapped].sum(axis=0) + counts[0, swapped].sum(axis=0),
            ]
        )
        # Tolerance for floating-point sums in a different order.
        at_least += _compare(sums) >= observed - 1e-12
    return (at_least + 1) / (rounds + 1)


def _compare(sums: np.ndarray) -> float:
    first, second = (Counts(*values).f_score for values in sums.tolist())
    return abs(first - second)
