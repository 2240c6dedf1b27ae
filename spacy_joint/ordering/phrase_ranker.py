"""A perceptron over orders as it meets phrases: columns made, modifiers sorted so that no order is favoured, answers in
the places of the phrase given. What the component and the system of the comparisons share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..engine.columns import Columns
from ..pipes.token_columns import WordClasses
from .order_perceptron import OrderPerceptron
from .orders import Order, Ranking, sort_modifiers
from .phrase_columns import PhraseColumns
from .phrases import MOST_MODIFIERS, Phrase

# A phrase to learn from: its columns, and the places of its modifiers in the text.
PhraseInstance = tuple[Columns, Sequence[int]]
# Phrases between two looks at the clock of a progress bar. Learning goes on phrase by phrase, whatever the batch.
BATCH = 256


class PhraseRanker:
    """Ranks the orders of phrases.

    perceptron (OrderPerceptron): Set up, and changed by `learn`.
    word_classes (WordClasses): For the columns of words.
    """

    def __init__(self, perceptron: OrderPerceptron, word_classes: WordClasses) -> None:
        self.perceptron = perceptron
        self.phrase_columns = PhraseColumns(perceptron.templates.columns, word_classes)

    def rank(self, phrase: Phrase, n_best: int = 2) -> Ranking:
        """Find the best orders, no two of which read alike; the margin is right for any `n_best`.

        Raises ValueError (J355) if there are too many modifiers.
        """
        ordered, places = sort_modifiers(phrase)
        found = self.perceptron.rank(self._columns_of(ordered), max(n_best, 2))
        orders = tuple(Order(tuple(places[i] for i in indices), score) for indices, score in found)
        margin = orders[0].score - orders[1].score if len(orders) > 1 else float("inf")
        return Ranking(orders[: max(n_best, 1)], margin)

    def score(self, phrase: Phrase) -> float:
        """Score the order that the modifiers are in."""
        ordered, places = sort_modifiers(phrase)
        return self.perceptron.score(self._columns_of(ordered), invert(places))

    def _columns_of(self, phrase: Phrase) -> Columns:
        return self.phrase_columns.columns_of(phrase)

    def make_instances(self, phrases: Iterable[Phrase], untagged_share: float) -> list[PhraseInstance]:
        """Make what to learn from: each phrase with its tags, and an even share of them once more without."""
        instances = []
        due = 0.0
        for phrase in phrases:
            if not 2 <= len(phrase.modifiers) <= MOST_MODIFIERS:
                continue
            instances.append(self._make_instance(phrase))
            due += untagged_share
            if due >= 1.0:
                due -= 1.0
                instances.append(self._make_instance(phrase.without_tags()))
        return instances

    def _make_instance(self, phrase: Phrase) -> PhraseInstance:
        ordered, places = sort_modifiers(phrase)
        return self._columns_of(ordered), invert(places)

    def learn(
        self, phrases: Iterable[Phrase], *, epochs: int, dropout: float, untagged_share: float, seed: int
    ) -> Iterator[float]:
        """Learn from phrases, each epoch in another order.

        Yields the share of the epochs that is done after each batch, for who waits to see.
        """
        instances = self.make_instances(phrases, untagged_share)
        random = np.random.default_rng(seed)
        self.perceptron.seed = seed
        for epoch in range(epochs):
            order = random.permutation(len(instances)).tolist()
            for first in range(0, len(order), BATCH):
                batch = [instances[i] for i in order[first : first + BATCH]]
                self.perceptron.update([batch], dropout)
                yield (epoch + min(first + BATCH, len(order)) / len(order)) / epochs


def invert(places: Sequence[int]) -> list[int]:
    """Find where each member of an order is."""
    return sorted(range(len(places)), key=places.__getitem__)
