"""Training data of the hedge components: the constituents of the reference, over the predicted tokens.

Only constituents up to the maximum span count. Whitespace tokens are left out, as everywhere.
"""

from typing import NamedTuple

import numpy as np
from spacy.training import Example

from ..annotation.constituents import get_constituents
from ..pipes.token_columns import find_reference_starts, find_whitespace, has_same_tokens, project_spans, read_aligned
from ..trees.constituency_trees import ROOT, Tree, nest
from ..trees.heads import load_head_rules
from ..trees.transform import binarise, mark_heads

# Trees have the labels of the Penn Treebank, or similar ones.
HEAD_RULES = "english"


class Reference(NamedTuple):
    """The hedges of an example."""

    tokens: np.ndarray  # the predicted tokens that count: all except whitespace
    starts: np.ndarray | None  # which of all predicted tokens start a sentence (bool); None if unknown
    tree: Tree  # the hedges and tags of the counted tokens, under a root

    def binarise(self) -> list[Tree]:
        """Binarise the hedges; the result also has the tags between them, left to right."""
        return [binarise(child) for child in mark_heads(self.tree, load_head_rules(HEAD_RULES)).children]


def read_reference(example: Example, max_span: int) -> Reference | None:
    """Read the hedges of up to `max_span` words, without those with an edge inside a predicted token; None if the
    reference has no constituents, which may not cross (J335), or there are no words."""
    constituents = get_constituents(example.reference)
    is_space = find_whitespace(example.predicted)
    if constituents is None or is_space.all():
        return None
    if not has_same_tokens(example):
        constituents = project_spans(example, constituents)
    indices = np.concatenate([[0], np.cumsum(~is_space)]).tolist()
    counted = [(label, indices[start], indices[end]) for label, start, end in constituents]
    nodes = [(Tree(label), [(start, end)]) for label, start, end in counted if 0 < end - start <= max_span]
    tokens = np.flatnonzero(~is_space)
    # Binarisation depends on tags, through heads, but not on words.
    tags = read_aligned(example, "TAG")
    words = [Tree(tags[token] or "", word="_") for token in tokens.tolist()]
    return Reference(tokens, find_reference_starts(example), nest(Tree(ROOT), nodes, words))
