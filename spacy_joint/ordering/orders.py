"""Orders of the modifiers of a phrase, and a ranking of them, whatever found it.

Orders that score alike count as one answer, an undecided one. Whoever ranks sorts the modifiers first, so that the
result depends on the multiset of modifiers only, never on the order that they are given in.
"""

from __future__ import annotations

from typing import NamedTuple

from .phrases import Phrase

# Scores that differ by less are the same: sums of floats depend on the order of addition.
TIE = 1e-9


class Order(NamedTuple):
    """An order of the modifiers of a phrase. indices: Into them, left to right. score: Higher is better."""

    indices: tuple[int, ...]
    score: float


class Ranking(NamedTuple):
    """The best orders of a phrase, best first.

    orders: One or more.
    margin: By how much the best scores above the best that reads differently; 0: undecided; infinite if there is none.
    """

    orders: tuple[Order, ...]
    margin: float

    @property
    def best(self) -> tuple[int, ...]:
        """The indices of the best order."""
        return self.orders[0].indices

    @property
    def tied(self) -> tuple[tuple[int, ...], ...]:
        """The indices of all orders that score like the best."""
        return tuple(order.indices for order in self.orders if self.orders[0].score - order.score < TIE)


def sort_modifiers(phrase: Phrase) -> tuple[Phrase, tuple[int, ...]]:
    """The phrase with its modifiers sorted, and where each of them was."""
    indices = tuple(sorted(range(len(phrase.modifiers)), key=lambda i: phrase.modifiers[i]))
    return Phrase(tuple(phrase.modifiers[i] for i in indices), phrase.head), indices
