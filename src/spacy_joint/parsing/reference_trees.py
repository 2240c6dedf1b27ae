"""Training data of the joint parser: the trees of an `Example`'s reference, over the predicted tokens.

If both sides have the same tokens, these are the trees of the reference. Otherwise they are projected through the
alignment as far as possible and repaired: a token without a head is attached to the root of its sentence. Whitespace
tokens are left out.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.dependency_trees import prune
from ..pipes.token_columns import find_reference_starts, find_whitespace, has_same_tokens

NO_LABEL = "dep"


class ReferenceTrees(NamedTuple):
    """Trees over the tokens that are not whitespace.

    heads: The heads (int32), as positions among those tokens; a root is its own head.
    labels: The labels, one per token.
    starts: Whether each token starts a sentence (bool).
    tokens: The positions of the tokens in the predicted document.
    """

    heads: np.ndarray
    labels: list[str]
    starts: np.ndarray
    tokens: np.ndarray


def read_reference(example: Example) -> ReferenceTrees | None:
    """The trees of the reference; None if it has none, or only parts of them (see partial_trees.py)."""
    reference = example.reference
    starts = find_reference_starts(example)
    if starts is None or not len(reference) or not _is_complete(reference):
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


def _is_complete(reference: Doc) -> bool:
    """Whether all tokens have a label, and so a head; whitespace needs none."""
    return bool(((reference.to_array([DEP]) != 0) | find_whitespace(reference)).all())


def _carry_over(example: Example, starts: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Heads and labels that form one tree per sentence."""
    aligned_heads, aligned_labels = example.get_aligned_parse(projectivize=False)
    n_tokens = len(example.predicted)
    heads = np.arange(n_tokens)
    labels = [label or NO_LABEL for label in aligned_labels]
    root_label = next(token.dep_ for token in example.reference if token.head.i == token.i)
    # Whitespace before the first sentence is a separate range, which is left out later.
    bounds = [*sorted({0, *np.flatnonzero(starts).tolist()}), n_tokens]
    for begin, end in pairwise(bounds):
        sentence = range(begin, end)
        known = {i: aligned_heads[i] for i in sentence if aligned_heads[i] is not None and aligned_heads[i] in sentence}
        roots = [i for i, head in known.items() if head == i]
        root = roots[0] if roots else begin
        for i in sentence:
            heads[i] = known.get(i, root) if i not in roots else root
        # Relabel tokens that are no longer roots, and those that have become roots.
        for i in roots[1:]:
            labels[i] = NO_LABEL
        if not roots:
            labels[root] = root_label
        for i in sentence:
            _attach_if_lost(heads, i, root, end - begin)
    return heads, labels


def _attach_if_lost(heads: np.ndarray, token: int, root: int, size: int) -> None:
    """Attaches a token to the root if following its heads never reaches the root."""
    heads[root] = root
    at = token
    for _ in range(size):
        if at == root:
            return
        at = heads[at]
    if at != root:
        heads[token] = root
