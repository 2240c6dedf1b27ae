"""Orders modifiers by multiple sequence alignment, by maximum likelihood and by perceptron (Dunlop, Mitchell and Roark
2010): phrases are rows of one table, and similar words share a column.

The score of an order is that of its cheapest alignment with the columns, in which a column emits a word or is skipped.
`AlignmentByLikelihood` builds the table phrase by phrase and inserts columns where that is cheaper; the cost of a word
follows from the frequencies of its features in the column. `AlignmentByPerceptron` keeps those columns and learns the
costs from its mistakes. The head, where known, is the last word of each row.

The features of a word are binary, in groups: identity, stem, binned length, six properties of the form, nine endings.
Stems just lack inflections, unlike Porter's in the paper; costs and smoothing, for which it gives no values, are ours.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

import numpy as np

from spacy_joint.ordering.phrases import Phrase, identity

from .base import Orderer

GAP = 0
MAX_PERMUTED = 5
# What a new column costs, for each column that there is, and the most columns; the paper's tables had 12 to 14.
INSERTION, MAX_COLUMNS = 3.0, 14
# What is added to the count of each feature.
PSEUDO_COUNT = 0.1
# Of the perceptron: passes over the phrases, and how far costs move at a mistake.
EPOCHS, RATE = 5, 0.1
ENDINGS = ("al", "ble", "ed", "er", "est", "ic", "ing", "ive", "ly")
# The longest words of each bin; one more is open.
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 18)
INFLECTIONS = ("ies", "ing", "est", "ed", "er", "es", "s")
UNKNOWN = "<unknown>"


def stem(word: str) -> str:
    """A word without its inflection, if that leaves three letters."""
    for ending in INFLECTIONS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _has_ending(ending: str) -> Callable[[str], object]:
    return lambda text: text.lower().endswith(ending)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True


GROUPS: dict[str, Callable[[str], object]] = {
    "word": identity,
    "stem": lambda text: stem(identity(text)),
    "length": lambda text: bisect_left(LENGTHS, len(text)),
    "capital": lambda text: text[:1].isupper(),
    "all capitals": str.isupper,
    "hyphen": lambda text: "-" in text,
    "starts numeric": lambda text: text[:1].isdigit(),
    "numeric": _is_number,
    **{f"-{ending}": _has_ending(ending) for ending in ENDINGS},
}
# Groups whose values are words: those seen once stand for all that were never seen.
OPEN = ("word", "stem")


class _Features:
    """Numbers of the features that training has: 0 is the gap, and each group has its own."""

    def __init__(self, words: Iterable[str]) -> None:
        counts = Counter(feature for word in words for feature in self.describe(word))
        kept = [f for f in sorted(counts, key=repr) if counts[f] > 1 or f[0] not in OPEN]
        unknown = [(name, UNKNOWN) for name in OPEN]
        self.numbers = {feature: i for i, feature in enumerate([*unknown, *kept], start=GAP + 1)}
        names = list(GROUPS)
        self.group = np.array([-1, *(names.index(feature[0]) for feature in self.numbers)])
        self.cache: dict[str, np.ndarray] = {}

    @staticmethod
    def describe(text: str) -> list[tuple[str, object]]:
        return [(name, value(text)) for name, value in GROUPS.items()]

    def of(self, text: str) -> np.ndarray:
        if text not in self.cache:
            found = [self.numbers.get(f, self.numbers.get((f[0], UNKNOWN))) for f in self.describe(text)]
            self.cache[text] = np.array([number for number in found if number is not None])
        return self.cache[text]


def align(costs: np.ndarray, gaps: np.ndarray, insertion: float = np.inf) -> tuple[float, list[tuple[int, int]]]:
    """Align a sequence with columns.

    costs: Of each word (rows) in each column.
    gaps: Of skipping each column.
    insertion: Of a new column for a word.
    Returns the least cost, and pairs (word, column); for a new column the column before which it is, minus 1, negated.
    """
    n, k = costs.shape
    before = [0.0]
    for gap in gaps.tolist():
        before.append(before[-1] + gap)
    choices: list[list[int]] = [[1] * (k + 1)]
    rows, skips = costs.tolist(), gaps.tolist()
    for i in range(n):
        row = rows[i]
        now = [before[0] + insertion]
        choice = [2]
        for j in range(k):
            # Of equal ones the first: emit, skip, insert.
            best, which = before[j] + row[j], 0
            if now[j] + skips[j] < best:
                best, which = now[j] + skips[j], 1
            if before[j + 1] + insertion < best:
                best, which = before[j + 1] + insertion, 2
            now.append(best)
            choice.append(which)
        before = now
        choices.append(choice)
    pairs = []
    i, j = n, k
    while i:
        which = choices[i][j]
        if which == 1:
            j -= 1
            continue
        i -= 1
        if which == 0:
            j -= 1
            pairs.append((i, j))
        else:
            pairs.append((i, -j - 1))
    return before[k], pairs[::-1]


class _Alignment(Orderer):
    """What both alignment models do with costs (features x columns, the gap first)."""

    costs: np.ndarray
    features: _Features

    def _texts(self, phrase: Phrase) -> list[str]:
        return [word.text for word in (*phrase.modifiers, *([phrase.head] if phrase.head else []))]

    def _word_costs(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self.costs[self.features.of(text)].sum(axis=0) for text in texts])

    def score(self, phrase: Phrase) -> float:
        """Minus the cost of the cheapest alignment."""
        texts = self._texts(phrase)
        return -align(self._word_costs(texts), self.costs[GAP])[0] if texts else 0.0


class AlignmentByLikelihood(_Alignment):
    """Alignment by the likelihood of columns.

    passes: How often each phrase is aligned anew with all others after the table was built.
    seed: Of the order in which phrases enter the table.
    """

    def __init__(self, *, passes: int = 1, seed: int = 0) -> None:
        self.passes = passes
        self.seed = seed

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Build the table, then align each phrase anew."""
        rows = [self._texts(phrase) for phrase in phrases]
        self.features = _Features(text for row in rows for text in row)
        group = self.features.group
        # Each group shares one unit of probability, and so does the gap with being there.
        self.shared = PSEUDO_COUNT * np.array([2.0, *np.bincount(group[1:])[group[1:]]])
        order = np.random.default_rng(self.seed).permutation(len(rows))
        first = rows[order[0]] if rows else []
        self.counts = np.zeros((len(group), len(first)))
        self.n_rows = 0
        aligned: dict[int, list[tuple[int, int]]] = {}
        for i in order.tolist():
            aligned[i] = self._add(rows[i], aligned)
        for _ in range(self.passes):
            for i in order.tolist():
                self._count(rows[i], aligned[i], -1)
                aligned[i] = self._add(rows[i], None)
        self.costs = self._estimate(np.arange(len(group)))

    def _estimate(self, features: np.ndarray) -> np.ndarray:
        counts = self.counts[features] + PSEUDO_COUNT
        return np.log(self.n_rows + self.shared[features])[:, None] - np.log(counts)

    def _add(self, row: Sequence[str], aligned: dict[int, list[tuple[int, int]]] | None) -> list[tuple[int, int]]:
        costs = np.stack([self._estimate(self.features.of(text)).sum(axis=0) for text in row])
        n_columns = self.counts.shape[1]
        may_grow = aligned is not None and n_columns < MAX_COLUMNS
        insertion = INSERTION * n_columns if may_grow else np.inf
        _, pairs = align(costs, self._estimate(np.array([GAP]))[0], insertion)
        new = [-column - 1 for _, column in pairs if column < 0]
        if new and aligned is not None:
            self._insert(new, aligned)
            grown = 0
            moved = []
            for word, column in pairs:
                grown += column < 0
                moved.append((word, (column if column >= 0 else -column - 2) + grown))
            pairs = moved
        self._count(row, pairs, 1)
        return pairs

    def _insert(self, places: Sequence[int], aligned: dict[int, list[tuple[int, int]]]) -> None:
        """Adds empty columns before the given ones: all rows so far have gaps there."""
        self.counts = np.insert(self.counts, places, 0.0, axis=1)
        new = [place + i for i, place in enumerate(sorted(places))]
        self.counts[GAP, new] = self.n_rows
        for pairs in aligned.values():
            pairs[:] = [(word, column + sum(place <= column for place in places)) for word, column in pairs]

    def _count(self, row: Sequence[str], pairs: Sequence[tuple[int, int]], sign: int) -> None:
        self.n_rows += sign
        self.counts[GAP] += sign
        for word, column in pairs:
            self.counts[GAP, column] -= sign
            self.counts[self.features.of(row[word]), column] += sign


class AlignmentByPerceptron(_Alignment):
    """Alignment by features of columns, learnt by a perceptron. seed: Of the order of the phrases."""

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Learn from each phrase with up to five modifiers whose cheapest order is not that of the text."""
        phrases = list(phrases)
        start = AlignmentByLikelihood(passes=0)
        start.fit(phrases)
        self.features, self.costs = start.features, start.costs
        rows = [(self._texts(phrase), len(phrase.modifiers)) for phrase in phrases]
        rows = [(texts, n) for texts, n in rows if n <= MAX_PERMUTED]
        random = np.random.default_rng(self.seed)
        total = np.zeros_like(self.costs)
        step = 0
        for _ in range(EPOCHS):
            for i in random.permutation(len(rows)).tolist():
                step += 1
                texts, n = rows[i]
                self._learn(texts, n, total, step)
        self.costs = self.costs - total / max(step, 1)

    def _learn(self, texts: list[str], n: int, total: np.ndarray, step: int) -> None:
        costs = self._word_costs(texts)
        gaps = self.costs[GAP]
        tail = list(range(n, len(texts)))
        ways = [[*indices, *tail] for indices in permutations(range(n))]
        found = [align(costs[way], gaps) for way in ways]
        best = min(range(len(ways)), key=lambda i: (found[i][0], -i))
        if best == 0 or [texts[i] for i in ways[best]] == texts:
            return
        for (_, pairs), way, sign in ((found[0], ways[0], -1), (found[best], ways[best], 1)):
            used = np.ones(self.costs.shape[1])
            for word, column in pairs:
                used[column] = 0.0
                number = self.features.of(texts[way[word]])
                self.costs[number, column] += sign * RATE
                total[number, column] += sign * RATE * step
            self.costs[GAP] += sign * RATE * used
            total[GAP] += sign * RATE * step * used
