"""The trees of an `Example`'s reference, on the tokens that are predicted: what the joint parser learns from.

With the same tokenisation on both sides they are the reference's own. Otherwise they are carried over the alignment as
far as it goes and mended into trees: a token without a head of its own attaches to the root of its sentence. Whitespace
tokens take no part.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.training import Example

from ..annotation.dependency_trees import prune
from ..pipes.token_columns import find_reference_starts, find_whitespace, has_same_tokens

NO_LABEL = "dep"


class ReferenceTrees(NamedTuple):
    """Trees over the tokens that are not whitespace.

    heads: int32, numbered among those tokens; a root heads itself.
    labels: One a token.
    starts: bool, whether a token starts a sentence.
    tokens: The tokens' places in the predicted document.
    """

    heads: np.ndarray
    labels: list[str]
    starts: np.ndarray
    tokens: np.ndarray


def read_reference(example: Example) -> ReferenceTrees | None:
    """The trees to learn from; None if the reference has none."""
    reference = example.reference
    starts = find_reference_starts(example)
    if starts is None or not len(reference) or not reference.has_annotation("DEP"):
        return None
    if has_same_tokens(example):
        columns = reference.to_array([HEAD, DEP])
        heads = np.arange(len(reference)) + columns[:, 0].astype(np.int64)
        labels = [reference.vocab.strings[label] for label in columns[:, 1].tolist()]
    else:
        heads, labels = _carry_over(example, starts)
    kept = ~find_whitespace(example.predicted)
    pruned = prune(heads, kept)
    tokens = np.flatnonzero(kept)
    labels = [labels[token] or NO_LABEL for token in tokens]
    return ReferenceTrees(pruned.heads.astype(np.int32), labels, starts[tokens], tokens)


def _carry_over(example: Example, starts: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Heads and labels that make one tree of each sentence."""
    aligned_heads, aligned_labels = example.get_aligned_parse(projectivize=False)
    n_tokens = len(example.predicted)
    heads = np.arange(n_tokens)
    labels = [label or NO_LABEL for label in aligned_labels]
    root_label = next(token.dep_ for token in example.reference if token.head.i == token.i)
    # Whitespace before the first sentence is a stretch of its own: it takes no part.
    bounds = [*sorted({0, *np.flatnonzero(starts).tolist()}), n_tokens]
    for begin, end in pairwise(bounds):
        sentence = range(begin, end)
        known = {i: aligned_heads[i] for i in sentence if aligned_heads[i] is not None and aligned_heads[i] in sentence}
        roots = [i for i, head in known.items() if head == i]
        root = roots[0] if roots else begin
        for i in sentence:
            heads[i] = known.get(i, root) if i not in roots else root
        # What was a root and is none any more, and the other way round.
        for i in roots[1:]:
            labels[i] = NO_LABEL
        if not roots:
            labels[root] = root_label
        for i in sentence:
            _attach_if_lost(heads, i, root, end - begin)
    return heads, labels


def _attach_if_lost(heads: np.ndarray, token: int, root: int, size: int) -> None:
    """Attaches a token to the root when following its heads never gets there."""
    heads[root] = root
    at = token
    for _ in range(size):
        if at == root:
            return
        at = heads[at]
    if at != root:
        heads[token] = root
