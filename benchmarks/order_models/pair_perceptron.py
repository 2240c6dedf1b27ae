"""A quick baseline for the orderer with beam search: an averaged perceptron over the pairs of an order.

A pair has features of its two words (identity, ending, length, capitals, tags); an order scores the sum over its pairs,
without adjacency, head or position. Updates compare the text with the best of all orders.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations, permutations

import numpy as np

from spacy_joint.ordering.phrases import Phrase, Word, identity, sort_modifiers

from .base import Orderer

MAX_LEARNT = EPOCHS = 5


class PairPerceptron(Orderer):
    """Orders by a perceptron over pairs. seed: Of the order of phrases."""

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed
        self.weights: dict[str, float] = {}

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Learn from each phrase with up to five modifiers."""
        learnt = [phrase for phrase in phrases if len(phrase.modifiers) <= MAX_LEARNT]
        weights: defaultdict[str, float] = defaultdict(float)
        totals: defaultdict[str, float] = defaultdict(float)
        random = np.random.default_rng(self.seed)
        step = 0
        self.weights = weights
        for _ in range(EPOCHS):
            for i in random.permutation(len(learnt)).tolist():
                step += 1
                # Sorted, lest the order of the text win while nothing tells it from others.
                ordered, places = sort_modifiers(learnt[i])
                words = ordered.modifiers
                scores = _score_pairs(words, weights)
                best = max(
                    permutations(range(len(words))), key=lambda o: sum(scores[pair] for pair in combinations(o, 2))
                )
                for a, b in combinations(best, 2):
                    if places[a] > places[b]:
                        for first, second, sign in ((b, a, 1.0), (a, b, -1.0)):
                            for feature in _describe(words[first], words[second]):
                                weights[feature] += sign
                                totals[feature] += sign * step
        self.weights = {feature: weight - totals[feature] / max(step, 1) for feature, weight in weights.items()}

    def score(self, phrase: Phrase) -> float:
        """The sum over all pairs."""
        scores = _score_pairs(phrase.modifiers, self.weights)
        return sum(scores[pair] for pair in combinations(range(len(phrase.modifiers)), 2))


def _score_pairs(words: tuple[Word, ...], weights: dict[str, float]) -> dict[tuple[int, int], float]:
    n = len(words)
    return {
        (i, j): sum(weights.get(feature, 0.0) for feature in _describe(words[i], words[j]))
        for i in range(n)
        for j in range(n)
        if i != j
    }


def _describe(a: Word, b: Word) -> list[str]:
    ours, theirs = _describe_word(a), _describe_word(b)
    singles = [
        f"{place}{i}={value}" for place, values in (("a", ours), ("b", theirs)) for i, value in enumerate(values)
    ]
    return [*singles, *(f"ab{i}={x}/{y}" for i, (x, y) in enumerate(zip(ours, theirs, strict=True)))]


def _describe_word(word: Word) -> tuple[str, ...]:
    lower = identity(word.text)
    form = ("-" if "-" in lower else "") + ("C" if word.text[:1].isupper() else "")
    return lower, lower[-3:], lower[-2:], str(min(len(lower), 10)), form, word.tag
