"""The base class of systems that order modifiers: they learn from phrases, score an order, and rank.

A subclass scores an order (`score`). The base class searches: all orders if there are few, otherwise by inserting one
modifier after another where it scores best, which is inexact. Modifiers are sorted first, so the result does not depend
on the given order. Orders with equal scores count as one, undecided answer.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import NamedTuple

from spacy_joint.ordering.phrases import Phrase, Word, sort_modifiers
from spacy_joint.ordering.prenominal_orderer import Order

# Up to 7 modifiers, all orders are scored one by one.
MAX_EXHAUSTIVE = 7
# Scores that differ by less are equal: sums of floats depend on the order of addition.
TIE = 1e-9


class Ranking(NamedTuple):
    """The best orders of a phrase, best first, at least one. margin: The score of the best order minus that of the next
    one with other words; 0 for a tie, infinite if there is no other."""

    orders: tuple[Order, ...]
    margin: float


class Orderer(ABC):
    """A system that orders the modifiers of a noun."""

    @abstractmethod
    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Learn from phrases in the order of the text. What was learnt before is forgotten."""

    @abstractmethod
    def score(self, phrase: Phrase) -> float:
        """Score the order that the modifiers are in. Comparable between orders of the same modifiers only."""

    def order(self, phrase: Phrase, n_best: int = 1) -> Ranking:
        """Find the best orders. All that score like the best are given, even if they are more than `n_best`."""
        ordered, places = sort_modifiers(phrase)
        ranking = rank(ordered, self._search(ordered), n_best)
        orders = (Order(tuple(places[i] for i in indices), score) for indices, score in ranking.orders)
        return Ranking(tuple(orders), ranking.margin)

    def _search(self, phrase: Phrase) -> list[Order]:
        """Orders to choose from, of the sorted modifiers; each way to read the phrase at most once."""
        words = phrase.modifiers
        if len(words) <= MAX_EXHAUSTIVE:
            candidates = {tuple(words[i] for i in indices): indices for indices in permutations(range(len(words)))}
            return [Order(indices, self.score(Phrase(ordered, phrase.head))) for ordered, indices in candidates.items()]
        placed: tuple[int, ...] = ()
        found: list[Order] = []
        for new in range(len(words)):
            ways = [(*placed[:i], new, *placed[i:]) for i in range(len(placed) + 1)]
            found = [
                Order(way, self.score(Phrase(tuple(words[i] for i in way), phrase.head))) for way in reversed(ways)
            ]
            placed = max(found, key=lambda order: order.score).indices
        return _distinct(words, found)


def rank(phrase: Phrase, found: Sequence[Order], n_best: int) -> Ranking:
    """Rank orders of which no two read alike."""
    ranked = sorted(found, key=lambda order: (-order.score, [phrase.modifiers[i] for i in order.indices]))
    margin = ranked[0].score - ranked[1].score if len(ranked) > 1 else float("inf")
    ranking = Ranking(tuple(ranked), margin if margin >= TIE else 0.0)
    return ranking._replace(orders=ranking.orders[: max(n_best, len(list_tied(ranking)))])


def _distinct(words: Sequence[Word], orders: Iterable[Order]) -> list[Order]:
    return list({tuple(words[i] for i in order.indices): order for order in orders}.values())


def list_tied(ranking: Ranking) -> tuple[tuple[int, ...], ...]:
    """The indices of all orders with the best score."""
    best = ranking.orders[0].score
    return tuple(order.indices for order in ranking.orders if best - order.score < TIE)
