"""Applying an order perceptron to phrases: builds columns, sorts modifiers so that the result does not depend on their
given order, and maps the result back to the given phrase. The component and the benchmark share it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..engine.columns import Columns
from ..pipes.word_classes import WordClasses
from .order_perceptron import OrderPerceptron
from .phrase_columns import PhraseColumns
from .phrases import MAX_MODIFIERS, Phrase

# A training phrase: its columns, and its modifiers in the order of the text.
PhraseInstance = tuple[Columns, Sequence[int]]
# Phrases per step of a progress bar. It does not affect the weights, which are updated after each phrase.
BATCH = 256


class Order(NamedTuple):
    """The indices of the modifiers of a phrase, left to right, and a score; higher is better."""

    indices: tuple[int, ...]
    score: float


class Ranking(NamedTuple):
    """The best orders of a phrase, best first, at least one. margin: The score of the best order minus that of the next
    one with other words; 0 for a tie, infinite if there is no other."""

    orders: tuple[Order, ...]
    margin: float


def sort_modifiers(phrase: Phrase) -> tuple[Phrase, tuple[int, ...]]:
    """Sort the modifiers of a phrase; return the phrase and their original indices."""
    indices = tuple(sorted(range(len(phrase.modifiers)), key=lambda i: phrase.modifiers[i]))
    return Phrase(tuple(phrase.modifiers[i] for i in indices), phrase.head), indices


class PhraseRanker:
    """Ranks the orders of phrases by a perceptron that is set up; `learn` modifies it."""

    def __init__(self, perceptron: OrderPerceptron, word_classes: WordClasses) -> None:
        self.perceptron = perceptron
        self.phrase_columns = PhraseColumns(perceptron.templates.columns, word_classes)

    def rank(self, phrase: Phrase, n_best: int = 2) -> Ranking:
        """Find the best orders, no two with the same words (J002); the margin is exact for any `n_best`."""
        ordered, places = sort_modifiers(phrase)
        found = self.perceptron.rank(self.phrase_columns.make_columns(ordered), max(n_best, 2))
        orders = tuple(Order(tuple(places[i] for i in indices), score) for indices, score in found)
        margin = orders[0].score - orders[1].score if len(orders) > 1 else float("inf")
        return Ranking(orders[: max(n_best, 1)], margin)

    def score(self, phrase: Phrase) -> float:
        """Score the given order of the modifiers."""
        ordered, places = sort_modifiers(phrase)
        return self.perceptron.score(self.phrase_columns.make_columns(ordered), invert(places))

    def make_instances(self, phrases: Iterable[Phrase], untagged_share: float) -> list[PhraseInstance]:
        """Make training instances: each phrase with its tags, and an evenly spread share of them again without tags."""
        instances: list[PhraseInstance] = []
        due = 0.0
        for phrase in phrases:
            if not 2 <= len(phrase.modifiers) <= MAX_MODIFIERS:
                continue
            due += untagged_share
            variants = [phrase]
            if due >= 1.0:
                due -= 1.0
                variants.append(phrase.without_tags())
            for ordered, places in map(sort_modifiers, variants):
                instances.append((self.phrase_columns.make_columns(ordered), invert(places)))
        return instances

    def learn(
        self, phrases: Iterable[Phrase], *, epochs: int, dropout: float, untagged_share: float, seed: int
    ) -> Iterator[float]:
        """Learn from phrases, shuffled in each epoch. Yields the progress, from 0 to 1, after each batch."""
        instances, random = self.make_instances(phrases, untagged_share), np.random.default_rng(seed)
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
