"""Finds trees by posterior probabilities: those of the individually most probable constituents (Goodman 1996)."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ..trees.constituency_trees import Constituent
from .posteriors import find_best_splits

# The most probable tree, or the tree of the most probable constituents.
DECODINGS = VITERBI, MAX_CONSTITUENTS = "viterbi", "max_constituents"

# A lower threshold gives more constituents. Chosen on development data: 0.3, 0.35 and 0.4 are about equally good.
THRESHOLD = 0.35

Posterior = tuple[str, int, int, float]
"""A label, its first word, its end, and its probability there."""


def decode_posteriors(posteriors: Iterable[Posterior], n_words: int, root: str) -> list[Constituent]:
    """Find the constituents below the root, each after those around it, with the best sum of probabilities, less the
    threshold for each."""
    labels: defaultdict[tuple[int, int], list[tuple[float, str]]] = defaultdict(list)
    gains = np.zeros((n_words, n_words + 1))
    for label, start, end, probability in posteriors:
        if probability > THRESHOLD and label != root:
            labels[start, end].append((probability, label))
            gains[start, end] += probability - THRESHOLD
    middles = find_best_splits(gains)
    found: list[Constituent] = []
    pending = [(0, n_words)] if n_words else []
    while pending:
        start, end = pending.pop()
        # The least probable label is the topmost: an outer constituent is in fewer trees than one that is always below
        # it.
        found += [(label, start, end) for _, label in sorted(labels[start, end])]
        if end - start > 1:
            middle = int(middles[start, end])
            pending += [(start, middle), (middle, end)]
    return found
