"""Orders modifiers by counts: direct evidence, transitivity and clustering (Shaw and Hatzivassiloglou 1999).

A test against chance decides whether `a` precedes `b`. Pairs never seen together are inferred along chains of pairs
that were, and the rest from clusters of modifiers that stand on the same side of others. Pairs without evidence stay
undecided.
"""

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.stats import binom

from spacy_joint.ordering.phrases import Phrase, identities

from .base import Orderer

# What a pair with a chain in only one direction is worth, in nats, less what the chain costs.
ONE_WAY = 20.0
EXCHANGE_ROUNDS = 10


class DirectEvidence(Orderer):
    """Orders by counts of pairs.

    transitive: Whether to use chains of pairs.
    n_clusters: Groups to sort modifiers into; 0: none.
    min_count: In how many pairs a modifier of a group must have been seen.
    """

    def __init__(self, *, transitive: bool = True, n_clusters: int = 0, min_count: int = 3) -> None:
        self.transitive = transitive
        self.n_clusters = n_clusters
        self.min_count = min_count
        self.counts: Counter[tuple[str, str]] = Counter()

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Count, over all pairs of each phrase, which of the two precedes."""
        self.counts = Counter(pair for phrase in phrases for pair in combinations(identities(phrase), 2))
        self.numbers = {word: i for i, word in enumerate(sorted({word for pair in self.counts for word in pair}))}
        self._chains = self._link() if self.transitive else None
        self._clusters = self._cluster() if self.n_clusters else {}
        self._cluster_counts: Counter[tuple[int, int]] = Counter()
        for (a, b), count in self.counts.items():
            if a in self._clusters and b in self._clusters:
                self._cluster_counts[self._clusters[a], self._clusters[b]] += count
        # A method's cache would be the class's: each fitted system has its own.
        self._costs = lru_cache(maxsize=4096)(self._find_costs)

    def score(self, phrase: Phrase) -> float:
        """The sum of the preferences for the order of each pair."""
        return sum(self.prefer(a, b) for a, b in combinations(identities(phrase), 2))

    def prefer(self, a: str, b: str) -> float:
        """By how much `a` is preferred before `b`, in nats; negative: after it; 0: undecided."""
        before, after = self.counts[a, b], self.counts[b, a]
        if before != after:
            return _compare(before, after)
        if self._chains is not None and a in self.numbers and b in self.numbers:
            forth, back = self._costs(a)[self.numbers[b]], self._costs(b)[self.numbers[a]]
            if forth != back:
                return float(np.clip(back, 0, ONE_WAY) - np.clip(forth, 0, ONE_WAY))
        if a in self._clusters and b in self._clusters:
            pair = self._clusters[a], self._clusters[b]
            return _compare(self._cluster_counts[pair], self._cluster_counts[pair[::-1]])
        return 0.0

    def _link(self) -> csr_array:
        """The costs of edges: what is preferred, by its probability."""
        edges = [(a, b, _confidence(n, self.counts[b, a])) for (a, b), n in self.counts.items()]
        rows = [self.numbers[a] for a, _, _ in edges]
        columns = [self.numbers[b] for _, b, _ in edges]
        # A cost of 0 would be no edge.
        costs = [max(-math.log(max(confidence, 1e-9)), 1e-9) for _, _, confidence in edges]
        return csr_array((costs, (rows, columns)), shape=(len(self.numbers), len(self.numbers)))

    def _find_costs(self, word: str) -> np.ndarray:
        return dijkstra(self._chains, indices=self.numbers[word])

    def _cluster(self) -> dict[str, int]:
        """Groups by exchange: each modifier moves to the group that it is most similar to, until none does."""
        seen: Counter[str] = Counter()
        for (a, b), count in self.counts.items():
            seen[a] += count
            seen[b] += count
        words = sorted(word for word, count in seen.items() if count >= self.min_count)
        number = {word: i for i, word in enumerate(words)}
        sides = [
            (number[x], self.numbers[y], sign * np.sign(count - self.counts[b, a]))
            for (a, b), count in self.counts.items()
            for x, y, sign in ((a, b, 1), (b, a, -1))
            if x in number
        ]
        if not sides:
            return {}
        rows, columns, values = map(np.array, zip(*sides, strict=True))
        side = csr_array((values.astype(float), (rows, columns)), shape=(len(words), len(self.numbers)))
        side.data = np.sign(side.data)
        compared = (abs(side) @ abs(side).T).tocoo()
        agreement = csr_array(side @ side.T)
        similarity = csr_array(agreement / np.maximum(compared.toarray(), 1))
        similarity.setdiag(0)
        groups = np.arange(len(words)) % self.n_clusters
        for _ in range(EXCHANGE_ROUNDS):
            moved = False
            for i in range(len(words)):
                first, end = similarity.indptr[i], similarity.indptr[i + 1]
                pull = np.bincount(
                    groups[similarity.indices[first:end]], similarity.data[first:end], minlength=self.n_clusters
                )
                best = int(pull.argmax())
                if pull[best] > pull[groups[i]]:
                    groups[i] = best
                    moved = True
            if not moved:
                break
        return dict(zip(words, groups.tolist(), strict=True))


@lru_cache(maxsize=65536)
def _confidence(before: int, after: int) -> float:
    """The probability that chance alone would have put it first less often."""
    return 1.0 - float(binom.sf(before - 1, before + after, 0.5))


def _compare(before: int, after: int) -> float:
    if before == after:
        return 0.0
    forth, back = _confidence(before, after), _confidence(after, before)
    return float(np.clip(math.log(max(forth, 1e-9)) - math.log(max(back, 1e-9)), -ONE_WAY, ONE_WAY))
