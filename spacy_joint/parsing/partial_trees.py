"""Training data of the joint parser from partly annotated references, completed by a prediction.

As in spaCy, an arc is known if its dependent has a label. Known arcs exclude boundaries between their ends; between two
roots there is one, whose place is open if there are unannotated tokens between them. Boundaries are only read from
references without trees. Unknown arcs and boundaries keep the prediction where it agrees with the known ones, and cause
no update.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from spacy.training import Example

from ..annotation.dependency_trees import find_cycle, prune
from ..pipes.token_columns import find_reference_starts, find_whitespace, has_same_tokens, read_starts
from .reference_trees import NO_LABEL, ReferenceTrees
from .system import name_arc


class PartialTrees(NamedTuple):
    """The known parts of the trees over the tokens that are not whitespace."""

    heads: np.ndarray  # positions among these tokens (int32); a root is its own head; -1: not known
    labels: list[str | None]  # None where the head is not known
    starts: np.ndarray  # int8; 1: starts a sentence, -1: does not, 0: not known
    tokens: np.ndarray  # positions in the predicted document

    def name_arcs(self) -> list[tuple[str, str] | None]:
        """Names the action that makes each arc; None if the arc is not known."""
        return [
            None if label is None else name_arc(token, head, label)
            for token, (head, label) in enumerate(zip(self.heads.tolist(), self.labels, strict=True))
        ]

    def forget(self, tokens: list[int]) -> PartialTrees:
        """Makes a copy without the arcs of these tokens."""
        heads = self.heads.copy()
        heads[tokens] = -1
        labels = [None if head < 0 else label for head, label in zip(heads.tolist(), self.labels, strict=True)]
        return self._replace(heads=heads, labels=labels)


def read_partial_trees(example: Example) -> PartialTrees | None:
    """Reads the known parts of the reference's trees; None if there are none."""
    aligned, names = example.get_aligned_parse(projectivize=False)
    known = np.array([head is not None and bool(name) for head, name in zip(aligned, names, strict=True)], dtype=bool)
    all_heads = np.array([head if known[token] else token for token, head in enumerate(aligned)], dtype=np.int64)
    kept = ~find_whitespace(example.predicted)
    pruned = prune(all_heads, kept)
    tokens = np.flatnonzero(kept)
    # Heads that were whitespace are not known either.
    known = known[tokens] & ~pruned.promoted & ~pruned.adopted
    heads = np.where(known, pruned.heads, -1).astype(np.int32)
    labels = [names[token] if is_known else None for token, is_known in zip(tokens.tolist(), known, strict=True)]
    roots = _find_known_roots(heads)
    starts = _read_starts(example)[tokens]
    starts[1:][(roots[1:] != roots[:-1]) & (roots[1:] >= 0) & (roots[:-1] >= 0)] = 1
    starts[_find_inside(heads)] = -1
    return PartialTrees(heads, labels, starts, tokens) if known.any() or starts[1:].any() else None


def _read_starts(example: Example) -> np.ndarray:
    """Reads the boundaries of a reference without trees."""
    if not example.reference.has_annotation("DEP"):
        if has_same_tokens(example):
            return read_starts(example.reference)
        found = find_reference_starts(example)
        if found is not None:
            return np.where(found, 1, -1).astype(np.int8)
    return np.zeros(len(example.predicted), dtype=np.int8)


def _find_inside(heads: np.ndarray) -> np.ndarray:
    """Finds the tokens that cannot start a sentence (bool), because a known arc connects tokens on both sides."""
    # How many arcs begin and end at each token.
    steps = np.zeros(len(heads) + 1, dtype=np.int64)
    tokens = np.flatnonzero(heads >= 0)
    np.add.at(steps, np.minimum(tokens, heads[tokens]) + 1, 1)
    np.add.at(steps, np.maximum(tokens, heads[tokens]) + 1, -1)
    return np.cumsum(steps[:-1]) > 0


def complete(
    known: PartialTrees, heads: np.ndarray, labels: list[str], starts: np.ndarray, arcs: Collection[Any]
) -> ReferenceTrees | None:
    """Completes known trees by predicted ones; None if they are contradictory, or need arcs that are not in `arcs`."""
    starts = _separate_roots(known, heads, starts)
    completed = np.where(known.heads >= 0, known.heads, heads)
    roots = np.zeros(len(heads), dtype=np.int32)
    for begin, end in pairwise([*np.flatnonzero(starts).tolist(), len(heads)]):
        root = _find_root(known.heads, heads, begin, end)
        if root is None:
            return None
        roots[begin:end] = root
        open_heads = completed[begin:end]
        is_lost = (open_heads < begin) | (open_heads >= end) | (open_heads == np.arange(begin, end))
        open_heads[is_lost & (known.heads[begin:end] < 0)] = root
        completed[root] = root
    while (token := find_cycle(completed.tolist())) is not None:
        first = token
        while known.heads[token] >= 0:
            token = int(completed[token])
            if token == first:
                return None
        completed[token] = roots[token]
    complete_labels = []
    for token, (head, known_label, label) in enumerate(zip(completed.tolist(), known.labels, labels, strict=True)):
        chosen = known_label or _choose_label(token, head, label, arcs)
        if chosen is None:
            return None
        complete_labels.append(chosen)
    return ReferenceTrees(completed.astype(np.int32), complete_labels, starts, known.tokens)


def _separate_roots(known: PartialTrees, heads: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Puts a boundary, if there is none, between a known tree and another root, which would otherwise become a
    dependent."""
    starts = starts.copy()
    predicted = np.flatnonzero((known.heads < 0) & (heads == np.arange(len(heads)))).tolist()
    roots = _find_known_roots(known.heads)
    tokens = [np.flatnonzero(roots == root).tolist() for root in np.unique(roots[roots >= 0])]
    trees = [(tree[0], tree[-1], True) for tree in tokens]
    last, after_known = -1, False
    for first, end, is_known in sorted([*trees, *((root, root, False) for root in predicted)]):
        if 0 <= last < first and (is_known or after_known) and not starts[last + 1 : first + 1].any():
            index = first if is_known else last + 1
            starts[index] = known.starts[index] >= 0
        if end > last:
            last, after_known = end, is_known
    return starts


def _find_known_roots(heads: np.ndarray) -> np.ndarray:
    """Finds the root of each token, -1 if it is not known."""
    ancestors = np.arange(len(heads))
    # Each pass climbs one arc. The bound is the longest possible path: a cycle cannot cause an endless loop.
    for _ in range(len(heads)):
        parents = np.where(heads[ancestors] >= 0, heads[ancestors], ancestors)
        if np.array_equal(parents, ancestors):
            break
        ancestors = parents
    return np.where(heads[ancestors] == ancestors, ancestors, -1)


def _find_root(known: np.ndarray, heads: np.ndarray, begin: int, end: int) -> int | None:
    """Finds the root of a sentence: the known one, or else the predicted one or its topmost known ancestor."""
    tokens = range(begin, end)
    roots = [token for token in tokens if known[token] == token]
    if roots:
        return roots[0] if len(roots) == 1 else None
    root = next((token for token in tokens if heads[token] == token), begin)
    for _ in tokens:
        if known[root] < 0:
            return root
        root = int(known[root])
    return None


def _choose_label(token: int, head: int, label: str, arcs: Collection[Any]) -> str | None:
    """Chooses the predicted label if it is possible for the arc, or else another one; None if the arc is not
    possible."""
    kind, _ = name_arc(token, head, label)
    known = [arc[1] for arc in arcs if arc[0] == kind]
    return label if label in known else NO_LABEL if NO_LABEL in known else next(iter(known), None)
