"""Dependency trees as arrays of heads: finds edges and cycles, removes and adds tokens. Also cuts subtypes of
relations.

Heads are absolute positions, and a root is its own head, as in spaCy.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Pruned(NamedTuple):
    """The trees over the kept tokens, which are renumbered."""

    heads: NDArray[np.int64]
    # Which tokens became the root of a sentence that lost its root, and which ones were attached to such a new root.
    promoted: NDArray[np.bool_]
    adopted: NDArray[np.bool_]


def prune(heads: NDArray[np.int64], kept: NDArray[np.bool_]) -> Pruned:
    """Remove the tokens that are not `kept` from trees: a kept token is attached to its nearest kept ancestor. Of those
    without one, the first becomes the root and the others are attached to it: a tree remains a single tree."""
    ancestors = heads.copy()
    # Each pass climbs one arc. The bound, the longest possible path, stops at cycles.
    for _ in range(len(heads)):
        parents = heads[ancestors]
        climbing = ~kept[ancestors] & (parents != ancestors)
        if not climbing.any():
            break
        ancestors[climbing] = parents[climbing]
    promoted, adopted = np.zeros((2, len(heads)), dtype=bool)
    orphans = np.flatnonzero(kept & ~kept[ancestors])
    _, first_of_tree, tree = np.unique(ancestors[orphans], return_index=True, return_inverse=True)
    new_roots = orphans[first_of_tree]
    ancestors[orphans] = new_roots[tree]
    adopted[orphans] = True
    adopted[new_roots] = False
    promoted[new_roots] = True
    numbers = np.cumsum(kept) - 1
    return Pruned(numbers[ancestors[kept]], promoted[kept], adopted[kept])


def find_gap_head(heads: NDArray[np.int64], index: int) -> int:
    """Find the head of a word that is added before the token at `index`: the head of the shortest arc over the place,
    or, before a sentence, its root, like 84 % of 300 fillers in the training part of UD English GUM."""
    tokens = np.arange(len(heads))
    first, last = np.minimum(heads, tokens), np.maximum(heads, tokens)
    over = np.flatnonzero((first < index) & (index <= last))
    if len(over):
        return int(heads[over[np.argmin((last - first)[over])]])
    return index + int(np.argmax(heads[index:] == tokens[index:]))


def find_edges(choose: np.ufunc, heads: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the first (np.minimum) or last (np.maximum) of the `edges` of the tokens below each token and its own."""
    # Each pass doubles the number of arcs covered, so long chains need few passes.
    for _ in range(len(heads).bit_length()):
        wider = edges.copy()
        choose.at(wider, heads, edges)
        edges, nearer, heads = wider, heads, heads[heads]
        if np.array_equal(heads, nearer):
            break
    return edges


def find_cycle(heads: Sequence[int]) -> int | None:
    """Find a token from which the heads, as positions in the sequence, lead to no root; None if there is none."""
    seen_from = [-1] * len(heads)
    for start in range(len(heads)):
        token = start
        while seen_from[token] == -1:
            seen_from[token] = start
            token = heads[token]
        if seen_from[token] == start and heads[token] != token:
            return token
    return None


def cut_subtype(relation: str) -> str:
    """Cut the subtype of a relation of Universal Dependencies: `nsubj:pass` becomes `nsubj`."""
    return relation.partition(":")[0]
