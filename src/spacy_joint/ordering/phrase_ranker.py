"""Applying an order perceptron to phrases: this builds columns, sorts modifiers so that no order is favoured, and maps
results back to the given phrase. The component and the benchmark share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..engine.columns import Columns
from ..pipes.token_columns import WordClasses
from .order_perceptron import OrderPerceptron
from .orders import Order, Ranking, sort_modifiers
from .phrase_columns import PhraseColumns
from .phrases import MAX_MODIFIERS, Phrase

# A training phrase: its columns, and its modifiers in the order of the text.
PhraseInstance = tuple[Columns, Sequence[int]]
# Phrases between two updates of a progress bar. It does not affect the weights, which are updated after each phrase.
BATCH = 256


class PhraseRanker:
    """Ranks the orders of phrases.

    perceptron (OrderPerceptron): The perceptron, which must be set up; `learn` modifies it.
    word_classes (WordClasses): The word classes for the columns.
    """

    def __init__(self, perceptron: OrderPerceptron, word_classes: WordClasses) -> None:
        self.perceptron = perceptron
        self.phrase_columns = PhraseColumns(perceptron.templates.columns, word_classes)

    def rank(self, phrase: Phrase, n_best: int = 2) -> Ranking:
        """Find the best orders, no two with the same words; the margin is exact for any `n_best`.

        Raises ValueError (J355) if there are too many modifiers.
        """
        ordered, places = sort_modifiers(phrase)
        found = self.perceptron.rank(self._columns_of(ordered), max(n_best, 2))
        orders = tuple(Order(tuple(places[i] for i in indices), score) for indices, score in found)
        margin = orders[0].score - orders[1].score if len(orders) > 1 else float("inf")
        return Ranking(orders[: max(n_best, 1)], margin)

    def score(self, phrase: Phrase) -> float:
        """Score the given order of the modifiers."""
        ordered, places = sort_modifiers(phrase)
        return self.perceptron.score(self._columns_of(ordered), invert(places))

    def _columns_of(self, phrase: Phrase) -> Columns:
        return self.phrase_columns.columns_of(phrase)

    def make_instances(self, phrases: Iterable[Phrase], untagged_share: float) -> list[PhraseInstance]:
        """Make training instances: each phrase with its tags, and an evenly spread share of them again without tags."""
        instances = []
        due = 0.0
        for phrase in phrases:
            if not 2 <= len(phrase.modifiers) <= MAX_MODIFIERS:
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
        """Learn from phrases, shuffled in each epoch.

        Yields the progress, from 0 to 1, after each batch.
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
    """Find the place of each member of an order."""
    return sorted(range(len(places)), key=places.__getitem__)
