"""Training data of the joint parser: the trees of an `Example`'s reference, over the predicted tokens that are not
whitespace. If the tokens differ, trees are projected through the alignment as far as possible, and tokens without a
head are attached to the root of their sentence."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.training import Example

from ..annotation.dependency_trees import prune
from ..errors import Errors, JointValueError
from ..pipes.token_columns import find_reference_starts, find_whitespace, has_same_tokens
from .system import name_arc

# The label that spaCy's own parser uses for unlabelled arcs.
NO_LABEL = "dep"


class ReferenceTrees(NamedTuple):
    """Trees over the tokens that are not whitespace."""

    heads: np.ndarray  # positions among these tokens (int32); a root is its own head
    labels: list[str]
    starts: np.ndarray  # bool
    tokens: np.ndarray  # positions in the predicted document

    def name_arcs(self) -> list[tuple[str, str]]:
        """Names the action that makes each arc."""
        return list(map(name_arc, range(len(self.labels)), self.heads.tolist(), self.labels))


def read_reference(example: Example) -> ReferenceTrees | None:
    """Reads the trees of the reference; None if it has none, or only parts of them (see partial_trees.py). RAISES
    ValueError: If it has no root, and tokens differ (J303)."""
    reference = example.reference
    starts = find_reference_starts(example)
    steps, names = reference.to_array([HEAD, DEP]).T
    heads = np.arange(len(reference)) + steps.astype(np.int64)
    # In complete trees, all tokens have a label, and so a head; whitespace needs none if no token is attached to it.
    has_head = names != 0
    is_complete = (has_head | find_whitespace(reference)).all() and has_head[heads[has_head]].all()
    if starts is None or not len(reference) or not is_complete:
        return None
    if has_same_tokens(example):
        labels = [reference.vocab.strings[label] for label in names.tolist()]
    else:
        heads, labels = _project(example, starts)
    kept = ~find_whitespace(example.predicted)
    pruned = prune(heads, kept)
    tokens = np.flatnonzero(kept)
    labels = [labels[token] or NO_LABEL for token in tokens]
    return ReferenceTrees(pruned.heads.astype(np.int32), labels, starts[tokens], tokens)


def _project(example: Example, starts: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Projects heads and labels, such that they form one tree per sentence."""
    aligned_heads, aligned_labels = example.get_aligned_parse(projectivize=False)
    n_tokens = len(example.predicted)
    heads = np.arange(n_tokens)
    labels = [label or NO_LABEL for label in aligned_labels]
    root_labels = [token.dep_ for token in example.reference if token.head.i == token.i]
    if not root_labels:
        raise JointValueError(Errors.J303, begin=0, last=len(example.reference) - 1, problem="it has 0 roots")
    # Whitespace before the first sentence is a separate range, which is left out later.
    bounds = [*sorted({0, *np.flatnonzero(starts).tolist()}), n_tokens]
    for begin, end in pairwise(bounds):
        sentence = range(begin, end)
        known = {i: aligned_heads[i] for i in sentence if aligned_heads[i] is not None and aligned_heads[i] in sentence}
        roots = [i for i, head in known.items() if head == i]
        root = roots[0] if roots else begin
        for i in sentence:
            heads[i] = known.get(i, root) if i not in roots else root
        heads[root] = root
        # Relabel tokens that are no longer roots, and those that have become roots.
        for i in roots[1:]:
            labels[i] = NO_LABEL
        if not roots:
            labels[root] = root_labels[0]
    return heads, labels
