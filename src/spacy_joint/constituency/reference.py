"""Training data of the hedge components: the constituents of the reference, over the predicted tokens.

Only constituents up to the maximum span count. Whitespace tokens are left out, as everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from spacy.training import Example

from ..annotation.constituency_trees import ROOT, Constituent, Tree, build_tree
from ..annotation.constituents import get_constituents
from ..pipes.token_columns import find_reference_starts, find_whitespace, has_same_tokens
from .heads import HeadRules
from .transform import binarise, mark_heads


class Reference(NamedTuple):
    """The hedges of an example.

    tokens (np.ndarray): The predicted tokens that count: all except whitespace.
    starts (np.ndarray | None): Which of all predicted tokens start a sentence (bool); None if unknown.
    tree (Tree): The hedges and tags of the counted tokens, under a root.
    """

    tokens: np.ndarray
    starts: np.ndarray | None
    tree: Tree

    def binarise(self, rules: HeadRules) -> list[Tree]:
        """Binarise the hedges; the result also has the tags between them, left to right."""
        return [binarise(child) for child in mark_heads(self.tree, rules).children]


def read_reference(example: Example, max_span: int) -> Reference | None:
    """Read the hedges of up to `max_span` words; None if the reference has no constituents.

    If tokens differ, constituents with an edge inside a predicted token cannot be found, so they do not count.

    RAISES ValueError: If constituents of the reference cross (J335).
    """
    predicted = example.predicted
    constituents = get_constituents(example.reference)
    if constituents is None:
        return None
    if not has_same_tokens(example):
        constituents = carry_over(example, constituents)
    is_space = find_whitespace(predicted)
    places = np.concatenate([[0], np.cumsum(~is_space)]).tolist()
    counted = [(label, places[start], places[end]) for label, start, end in constituents]
    hedged = [(label, start, end) for label, start, end in counted if 0 < end - start <= max_span]
    tokens = np.flatnonzero(~is_space)
    # Binarisation depends on tags, through heads, but not on words.
    tags = example.get_aligned("TAG", as_string=True)
    words = [(tags[token] or "", "_") for token in tokens.tolist()]
    return Reference(tokens, find_reference_starts(example), build_tree(ROOT, hedged, words))


def carry_over(example: Example, constituents: list[Constituent]) -> list[Constituent]:
    """The constituents over the predicted tokens, without those that have an edge inside a token."""
    counterparts, back = example.alignment.y2x, example.alignment.x2y
    carried = []
    for label, start, end in constituents:
        firsts, lasts = counterparts[start], counterparts[end - 1]
        if len(firsts) and len(lasts):
            first, last = int(firsts[0]), int(lasts[-1])
            if int(back[first][0]) == start and int(back[last][-1]) == end - 1:
                carried.append((label, first, last + 1))
    return carried
