"""The base class of systems that order modifiers: they learn from phrases, and score an order.

A subclass scores an order (`score`). The base class searches: all orders if there are few, otherwise by inserting one
modifier after another where it scores best, which is inexact. Modifiers are sorted first, so the result does not depend
on the given order. Orders with equal scores count as one, undecided answer.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import permutations

from spacy_joint.ordering.phrases import Phrase, sort_modifiers

# Up to 7 modifiers, all orders are scored one by one.
MAX_EXHAUSTIVE = 7
# Scores that differ by less are equal: sums of floats depend on the order of addition.
TIE = 1e-9
# The indices of modifiers, left to right.
Order = tuple[int, ...]


class Orderer(ABC):
    """A system that orders the modifiers of a noun."""

    @abstractmethod
    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Learn from phrases in the order of the text. What was learnt before is forgotten."""

    @abstractmethod
    def score(self, phrase: Phrase) -> float:
        """Score the order that the modifiers are in. Comparable between orders of the same modifiers only."""

    def order(self, phrase: Phrase) -> list[Order]:
        """Find the best order, or all that score like it."""
        ordered, places = sort_modifiers(phrase)
        scores = self._search(ordered)
        best = max(scores.values())
        return [tuple(places[i] for i in order) for order, score in scores.items() if score >= best - TIE]

    def _search(self, phrase: Phrase) -> dict[Order, float]:
        """Score orders to choose from, of the sorted modifiers."""
        words = phrase.modifiers
        if len(words) <= MAX_EXHAUSTIVE:
            return self._score_each(phrase, permutations(range(len(words))))
        placed: Order = ()
        scores: dict[Order, float] = {}
        for new in range(len(words)):
            ways = ((*placed[:i], new, *placed[i:]) for i in reversed(range(len(placed) + 1)))
            scores = self._score_each(phrase, ways)
            placed = max(scores, key=scores.__getitem__)
        return scores

    def _score_each(self, phrase: Phrase, orders: Iterable[Order]) -> dict[Order, float]:
        """Score orders, each way to read the phrase once."""
        read = {tuple(phrase.modifiers[i] for i in order): order for order in orders}
        return {order: self.score(Phrase(words, phrase.head)) for words, order in read.items()}
