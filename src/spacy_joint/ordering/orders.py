"""Orders of the modifiers of a phrase, and rankings of orders, shared by all systems.

Orders with equal scores are a tie. Systems sort the modifiers before ranking, so that the result depends only on the
multiset of modifiers, never on their given order.
"""

from __future__ import annotations

from typing import NamedTuple

from .phrases import Phrase

# Scores that differ by less are equal: sums of floats depend on the order of addition.
TIE = 1e-9


class Order(NamedTuple):
    """An order of the modifiers of a phrase. indices: The modifiers, left to right. score: Higher is better."""

    indices: tuple[int, ...]
    score: float


class Ranking(NamedTuple):
    """The best orders of a phrase, best first.

    orders: At least one order.
    margin: The score of the best order minus that of the next one with different words; 0 for a tie, infinite if there
        is no such order.
    """

    orders: tuple[Order, ...]
    margin: float

    @property
    def best(self) -> tuple[int, ...]:
        """The indices of the best order."""
        return self.orders[0].indices

    @property
    def tied(self) -> tuple[tuple[int, ...], ...]:
        """The indices of all orders with the best score."""
        return tuple(order.indices for order in self.orders if self.orders[0].score - order.score < TIE)


def sort_modifiers(phrase: Phrase) -> tuple[Phrase, tuple[int, ...]]:
    """The phrase with its modifiers sorted, and their original indices."""
    indices = tuple(sorted(range(len(phrase.modifiers)), key=lambda i: phrase.modifiers[i]))
    return Phrase(tuple(phrase.modifiers[i] for i in indices), phrase.head), indices
