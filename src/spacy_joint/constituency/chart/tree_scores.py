"""How probable a tree is by a grammar: the best of its derivations, which differ in annotation and binarisation only.

Trees that are put together from probable constituents (see decoding.py) have no derivation of their own, and some have
none at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from math import inf, log
from typing import TypeAlias

from ..transform import TEMPORARY
from .grammar import Grammar, is_factored, strip_annotation

Scores: TypeAlias = dict[str, float]
"""Symbols, and the natural logarithm of the probability of the best derivation from each."""


class TreeScorer:
    """Scores trees.

    grammar (Grammar): The grammar.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.root = grammar.root
        self._labels = {symbol: strip_annotation(symbol) for symbol in grammar.symbols}
        # On which sides of others symbols of binarisation are.
        self._sides = [
            any(is_factored(rule.children[side]) for rule in grammar.rules if rule.children[1:]) for side in (0, 1)
        ]
        # By children and label, which is that of binarisation for all its symbols.
        self._rules: defaultdict[tuple[tuple[str, ...], str], list[tuple[str, float]]] = defaultdict(list)
        for rule in grammar.rules:
            label = TEMPORARY if is_factored(rule.parent) else self._labels[rule.parent]
            self._rules[rule.children, label].append((rule.parent, log(rule.probability)))

    def score(
        self,
        possible: Sequence[Sequence[tuple[str, float]]],
        nodes: Sequence[tuple[str, int, int]],
        tags: Sequence[str],
    ) -> float:
        """The natural logarithm of the probability of a tree; minus infinity if the grammar does not derive it.

        possible: The possible tags of words, as for `ChartParser.parse`.
        nodes, tags: The tree, as of `ChartParser.parse`, without annotation. Nodes of binarisation group children as
            they like.
        """
        # The constituents and words below each node, without nodes of binarisation between.
        below: list[list[Scores]] = []
        for of_word, tag in zip(possible, tags, strict=True):
            below.append([{symbol: score for symbol, score in of_word if self._labels[symbol] == tag}])
        for label, first, second in nodes:
            children = below[first] + (below[second] if second >= 0 else [])
            below.append(children if label.startswith(TEMPORARY) else [self._derive(label, children)])
        return below[-1][0].get(self.root, -inf)

    def _derive(self, label: str, children: Sequence[Scores]) -> Scores:
        """The symbols with a label that have these children."""
        n = len(children)
        if n == 1:
            return self._apply([(children[0],)], label)
        cells = {(place, place + 1): self._extend(dict(child)) for place, child in enumerate(children)}
        for size in range(2, n):
            # All of them are first, or last, if they are on one side only.
            for start in range(n - size + 1) if all(self._sides) else (0 if self._sides[0] else n - size,):
                cells[start, start + size] = self._extend(self._apply(_divide(cells, start, start + size), TEMPORARY))
        return self._apply(_divide(cells, 0, n), label)

    def _apply(self, pairs: Sequence[tuple[Scores, ...]], label: str) -> Scores:
        """The symbols with a label that have one of these pairs of children, or one of these children."""
        found: Scores = {}
        for pair in pairs:
            for chosen in product(*(scores.items() for scores in pair)):
                for parent, score in self._rules.get((tuple([symbol for symbol, _ in chosen]), label), ()):
                    score += sum(below for _, below in chosen)
                    if score > found.get(parent, -inf):
                        found[parent] = score
        return found

    def _extend(self, scores: Scores) -> Scores:
        """Adds the symbols of binarisation that unary rules make of others."""
        pending = list(scores)
        while pending:
            symbol = pending.pop()
            for parent, score in self._rules.get(((symbol,), TEMPORARY), ()):
                if score + scores[symbol] > scores.get(parent, -inf):
                    scores[parent] = score + scores[symbol]
                    pending.append(parent)
        return scores


def _divide(cells: dict[tuple[int, int], Scores], start: int, end: int) -> list[tuple[Scores, Scores]]:
    """Both halves of children from one place to another, wherever they are divided."""
    halves = [((start, middle), (middle, end)) for middle in range(start + 1, end)]
    return [(cells[left], cells[right]) for left, right in halves if left in cells and right in cells]
