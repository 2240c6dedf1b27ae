"""What hedge components learn from an example: the constituents of the reference, over the predicted tokens.

Only constituents of at most so many words count. Whitespace tokens are left out, as everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from ..token_columns import find_reference_starts, find_whitespace, has_same_tokens, move_off_whitespace
from .annotation import get_constituents
from .heads import HeadRules
from .transform import ROOT, binarise, mark_heads
from .trees import Constituent, Tree, build_tree


class Reference(NamedTuple):
    """The hedges of an example.

    tokens (np.ndarray): The predicted tokens that count: all but whitespace.
    starts (np.ndarray | None): Which of all predicted tokens start a sentence (bool); None: that is not known.
    tree (Tree): Hedges and tags of the counted tokens, under one root.
    """

    tokens: np.ndarray
    starts: np.ndarray | None
    tree: Tree

    def binarise(self, rules: HeadRules) -> list[Tree]:
        """Binarise the hedges; they come with the tags between them, left to right."""
        return [binarise(child) for child in mark_heads(self.tree, rules).children]


def read_reference(example: Example, max_span: int) -> Reference | None:
    """Read the hedges of up to `max_span` words; None without constituents, or where tokens do not correspond.

    RAISES ValueError: If constituents of the reference cross (J335).
    """
    predicted = example.predicted
    constituents = get_constituents(example.reference)
    if constituents is None:
        return None
    if not has_same_tokens(example):
        constituents = _carry_over(example, constituents)
        if constituents is None:
            return None
    is_space = find_whitespace(predicted)
    places = np.concatenate([[0], np.cumsum(~is_space)]).tolist()
    counted = [(label, places[start], places[end]) for label, start, end in constituents]
    hedged = [(label, start, end) for label, start, end in counted if 0 < end - start <= max_span]
    tokens = np.flatnonzero(~is_space)
    # Words do not matter to binarisation, and of tags only what head rules read: those of the predicted side, which are
    # the ones that will be there.
    words = [(predicted[token].tag_, "_") for token in tokens.tolist()]
    return Reference(tokens, find_reference_starts(example), build_tree(ROOT, hedged, words))


def _carry_over(example: Example, constituents: list[Constituent]) -> list[Constituent] | None:
    """The constituents over the predicted tokens; None if an edge falls into a token."""
    carried = []
    counterparts = example.alignment.y2x
    back = example.alignment.x2y
    for label, start, end in constituents:
        first, last = counterparts[start], counterparts[end - 1]
        if not len(first) or not len(last):
            return None
        begin, final = int(first[0]), int(last[-1])
        if int(back[begin][0]) != start or int(back[final][-1]) != end - 1:
            return None
        carried.append((label, begin, final + 1))
    return carried


def keep_right_starts(constraints: np.ndarray, starts: np.ndarray | None) -> np.ndarray:
    """Constraints without preset sentence starts that contradict the reference: there is nothing right to learn."""
    kept = constraints.copy()
    if starts is not None:
        kept[(kept != 0) & ((kept > 0) != starts)] = 0
    return kept


def read_starts(doc: Doc) -> np.ndarray:
    """What a document says of sentence starts (int8 a token): 1 starts one, -1 starts none, 0 it does not say."""
    constraints = doc.to_array([SENT_START]).astype(np.int64).astype(np.int8).reshape(len(doc))
    constraints[move_off_whitespace(constraints == 1, doc)] = 1
    return constraints
