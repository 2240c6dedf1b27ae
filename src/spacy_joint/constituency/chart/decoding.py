"""Trees from posterior probabilities: the constituents that are most probably right, each by itself (Goodman 1996)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ...errors import Errors, JointValueError
from ..transform import TEMPORARY
from .posteriors import divide

# Which tree is the best one: the most probable one, or that of the most probable constituents.
DECODINGS = VITERBI, MAX_CONSTITUENTS = "viterbi", "max_constituents"

# By development data, see docs/chart_parser.md.
THRESHOLD = 0.35

Posterior = tuple[str, int, int, float]
"""A label, its first word, its end, and how probable it is there."""


def decode_posteriors(
    posteriors: Iterable[Posterior], n_words: int, root: str, threshold: float = THRESHOLD
) -> list[tuple[str, int, int]]:
    """The tree with the best sum of probabilities, less the threshold for each constituent.

    threshold: From 0 to 1. Of what excludes each other, the best is chosen whatever this is; a lower one gives more
        constituents, and so a better recall.
    RETURNS: Its nodes as those of `ChartParser.parse`. Those of binarisation have the label `@`. None if there are no
        words.
    RAISES ValueError: If the threshold is not allowed (J673).
    """
    if not 0 <= threshold <= 1:
        raise JointValueError(Errors.J673, name="threshold", value=threshold, allowed="numbers from 0 to 1")
    if not n_words:
        return []
    labels: defaultdict[tuple[int, int], list[tuple[float, str]]] = defaultdict(list)
    gains = np.zeros((n_words, n_words + 1))
    for label, start, end, probability in posteriors:
        if probability > threshold and label != root:
            labels[start, end].append((probability, label))
            gains[start, end] += probability - threshold
    middles = divide(gains)
    ordered, pending = [], [(0, n_words)]
    while pending:
        start, end = pending.pop()
        ordered.append((start, end))
        if end - start > 1:
            middle = int(middles[start, end])
            pending += [(start, middle), (middle, end)]
    waiting: list[int] = []
    nodes: list[tuple[str, int, int]] = []
    for start, end in reversed(ordered):
        number, second = start, -1
        if end - start > 1:
            second, number = waiting.pop(), waiting.pop()
        # The least probable one is the topmost: an outer one is in fewer trees than what is always below it.
        above = [label for _, label in sorted(labels[start, end], reverse=True)]
        if end - start == n_words:
            above.append(root)
        elif second >= 0 and not above:
            above.append(TEMPORARY)
        for label in above:
            nodes.append((label, number, second))
            number, second = n_words + len(nodes) - 1, -1
        waiting.append(number)
    return nodes
