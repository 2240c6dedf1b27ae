"""Significance of the difference between two systems, by approximate randomisation (Noreen 1989) over documents."""

from collections.abc import Sequence

import numpy as np

from spacy_joint.scoring.quotations import Counts


def randomise(
    first: Sequence[Counts], second: Sequence[Counts], measure: str = "f_score", *, rounds: int = 10_000, seed: int = 0
) -> float:
    """The probability that two equally good systems differ at least as much as these.

    first, second: The counts of each system, one per document, in the same order.
    measure: "precision", "recall" or "f_score" of the summed counts.
    rounds: The number of random swaps.
    Raises ValueError if the numbers of documents differ.
    """
    if len(first) != len(second):
        raise ValueError(f"Both systems need one count per document, not {len(first)} and {len(second)}.")
    if not first:
        return 1.0
    counts = np.array([[count.values for count in system] for system in (first, second)])
    generator = np.random.default_rng(seed)
    observed = _difference(counts.sum(axis=1), measure)
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
        at_least += _difference(sums, measure) >= observed - 1e-12
    return (at_least + 1) / (rounds + 1)


def _difference(sums: np.ndarray, measure: str) -> float:
    first, second = (getattr(Counts(*values), measure) for values in sums.tolist())
    return abs(first - second)
