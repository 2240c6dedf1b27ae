"""Decodes the quotations of a document from scored candidates, or from labels of tokens.

`choose_best` and `sample` use spans scored by a model without neighbours, as arrays with one number per candidate;
`pair_boundaries` and `read_labels` use labels of tokens. Spans are pairs of a first and a last token. The published
systems are those of Scheible, Klinger & Pado (ACL 2016).
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np

from ..annotation.quotations import Run

# The labels of tokens: for independent boundaries, and for a chain.
BOUNDARIES = ("O", "B", "E")
CHAIN = ("O", "B", "I", "E")
# The maximum distance from the cue and the maximum length in the published greedy system, in tokens.
MAX_CUE_DISTANCE = 30
MAX_LENGTH = 55
# Settings of the published sampler. Its temperature was 10; our scores have a different scale, so the temperature is a
# tenth of the best score per token.
SAMPLES = 1000
STEEPNESS = 10.0


def choose_best(begins: np.ndarray, ends: np.ndarray, scores: np.ndarray) -> list[Run]:
    """Finds the non-overlapping spans with the highest total score by weighted interval scheduling."""
    order = np.lexsort((begins, ends)).tolist()
    last = ends[order].tolist()
    totals = [0.0]
    taken: list[bool] = []
    before: list[int] = []
    for i, candidate in enumerate(order):
        before.append(bisect_left(last, int(begins[candidate]), 0, i))
        with_it = totals[before[-1]] + float(scores[candidate])
        taken.append(with_it > totals[-1])
        totals.append(max(with_it, totals[-1]))
    chosen, i = [], len(order)
    while i:
        if taken[i - 1]:
            chosen.append((int(begins[order[i - 1]]), int(ends[order[i - 1]])))
            i = before[i - 1]
        else:
            i -= 1
    return chosen[::-1]


def sample(begins: np.ndarray, ends: np.ndarray, scores: np.ndarray, seed: int, samples: int = SAMPLES) -> list[Run]:
    """Draws candidates at random. A candidate replaces the spans that it overlaps if it scores more than they do."""
    if not len(scores):
        return []
    generator = np.random.default_rng(seed)
    # Draws a first or last token, then one of the candidates with this token. The weight of a candidate is the
    # exponential of its score per token, and the weight of a token is that of its best candidate.
    by_token = scores.astype(np.float64) / (ends - begins + 1)
    weights = np.exp(STEEPNESS * by_token / by_token.max())
    by_edge = [_group(edges, weights) for edges in (begins, ends)]
    current: dict[Run, float] = {}
    seen: set[int] = set()
    for _ in range(samples):
        groups, probabilities = by_edge[generator.integers(2)]
        group = groups[generator.choice(len(groups), p=probabilities)]
        drawn = int(generator.choice(group, p=weights[group] / weights[group].sum()))
        if drawn in seen:
            continue
        seen.add(drawn)
        begin, end = int(begins[drawn]), int(ends[drawn])
        overlapping = [run for run in current if run[0] <= end and begin <= run[1]]
        if scores[drawn] > sum(current[run] for run in overlapping):
            for run in overlapping:
                del current[run]
            current[begin, end] = float(scores[drawn])
    return sorted(current)


def _group(edges: np.ndarray, weights: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Groups candidates by an edge; returns the groups, and the probability of each edge."""
    order = np.argsort(edges, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(edges[order])) + 1)
    best = np.array([weights[group].max() for group in groups])
    return groups, best / best.sum()


def pair_boundaries(labels: Sequence[str], cues: Iterable[int]) -> list[Run]:
    """Pairs BOUNDARIES by the published greedy search: from each cue, the nearest begin after it and the nearest end
    after that; then the nearest end before the cue and the nearest begin before that."""
    n = len(labels)
    spans: list[Run] = []

    def find(label: str, indices: range) -> int | None:
        return next((i for i in indices if labels[i] == label), None)

    def add(begin: int | None, end: int | None) -> None:
        if begin is not None and end is not None and not any(b <= end and begin <= e for b, e in spans):
            spans.append((begin, end))

    for cue in sorted(cues):
        begin = find("B", range(cue + 1, min(cue + MAX_CUE_DISTANCE + 1, n)))
        if begin is not None:
            add(begin, find("E", range(begin + 1, min(begin + MAX_LENGTH, n))))
        end = find("E", range(cue - 1, max(cue - MAX_CUE_DISTANCE, 0) - 1, -1))
        if end is not None:
            add(find("B", range(end - 1, max(end - MAX_LENGTH, -1), -1)), end)
    return sorted(spans)


def read_labels(labels: Sequence[str]) -> list[Run]:
    """Reads spans of two tokens or more from CHAIN: from B, or I or E after O, to before the next O or B."""
    spans = []
    begin: int | None = None
    for i, label in enumerate([*labels, "O"]):
        if begin is not None and label in "OB":
            if i - begin > 1:
                spans.append((begin, i - 1))
            begin = None
        if label == "B" or (begin is None and label != "O"):
            begin = i
    return spans


def write_labels(spans: Iterable[Run], n_tokens: int, with_inside: bool) -> list[str]:
    """Returns the labels of spans: of CHAIN if `with_inside`, else of BOUNDARIES."""
    labels = ["O"] * n_tokens
    for begin, end in spans:
        labels[begin] = "B"
        if with_inside:
            labels[begin + 1 : end] = ["I"] * (end - begin - 1)
        labels[end] = "E"
    return labels
