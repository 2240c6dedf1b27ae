"""Properties of dependency trees that predict the boundaries of quotations: edges of subtrees, and arguments of cues.

Everything is computed for all tokens of a document at once. Subtrees exclude the punctuation at their ends, because its
attachment is arbitrary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..annotation.dependency_trees import find_edges


@dataclass
class Trees:
    """The trees of a document; each array has one number per token, -1 if there is none."""

    heads: np.ndarray  # a root is its own head
    depth: np.ndarray  # the number of arcs to the root
    left: np.ndarray  # the first and the last word of the subtree, without punctuation
    right: np.ndarray
    opens: np.ndarray  # the root of the largest subtree that begins, or ends, at this token
    closes: np.ndarray

    @classmethod
    def from_heads(cls, heads: np.ndarray, is_mark: np.ndarray) -> Trees:
        """Makes the trees with these heads and marks of punctuation (bool)."""
        n = len(heads)
        depth = find_depth(heads)
        left = find_edges(np.minimum, heads, np.where(is_mark, n, np.arange(n)))
        right = find_edges(np.maximum, heads, np.where(is_mark, -1, np.arange(n)))
        by_depth = np.argsort(-depth, kind="stable")
        opens, closes = np.full(n, -1), np.full(n, -1)
        real = by_depth[right[by_depth] >= 0]
        # Roots come last, so the largest subtree is kept.
        opens[left[real]] = real
        closes[right[real]] = real
        left[right < 0] = -1
        return cls(heads, depth, left, right, opens, closes)

    def find_arguments(self, is_cue: np.ndarray) -> np.ndarray:
        """Returns, for each token, the dependent of a cue whose subtree contains it; -1 if there is none."""
        arguments = np.where(is_cue[self.heads] & (self.depth > 0), np.arange(len(self.heads)), -1)
        ancestors = self.heads
        for _ in range(int(self.depth.max(initial=0)).bit_length()):
            arguments = np.where(arguments < 0, arguments[ancestors], arguments)
            ancestors = ancestors[ancestors]
        return arguments


def find_depth(heads: np.ndarray) -> np.ndarray:
    """Counts the arcs between each token and its root."""
    depth = np.where(heads == np.arange(len(heads)), 0, 1)
    ancestors = heads
    # Each round doubles the distance covered.
    while True:
        further = depth + depth[ancestors]
        if np.array_equal(further, depth):
            return depth
        depth, ancestors = further, ancestors[ancestors]
