"""Converts trees to the nodes that transition systems build, and back: binary, over numbered words, children first.

Unary chains above constituents are one node, so that only words and the root have unary nodes.
"""

from collections.abc import Sequence
from functools import cache

from ..annotation.constituents import Phrase
from ..trees.constituency_trees import Block, Tree, flatten, list_children
from ..trees.heads import HeadRules
from ..trees.transform import INTERMEDIATE, binarise, mark_heads

# Between the labels of a chain, from the top down.
CHAIN = "::"


def to_nodes(tree: Tree, rules: HeadRules) -> list[tuple[str, int, int, int]]:
    """Converts a tree to nodes: see `find_parents`."""
    nodes, parents = flatten(binarise(mark_heads(tree, rules)))
    n_words = sum(node.is_preterminal for node in nodes)
    below = list_children(parents)
    made: list[tuple[str, int, int, int]] = []
    # The numbers of nodes by their places.
    numbers = [0] * len(nodes)
    for index in range(len(nodes) - 1, -1, -1):
        node, children = nodes[index], [numbers[child] for child in below[index]]
        if node.is_preterminal:
            numbers[index] = node.index
        elif index and len(children) == 1 and children[0] >= n_words:
            numbers[index] = children[0]
            label, left, right, head = made[children[0] - n_words]
            made[children[0] - n_words] = (node.label + CHAIN + label, left, right, head)
        else:
            numbers[index] = n_words + len(made)
            made.append((node.label, children[0], children[1] if len(children) > 1 else -1, node.head or 0))
    return made


@cache
def split_chain(label: str) -> Sequence[str]:
    """Splits the labels of a chain, from the top down; none for a node that binarisation made."""
    return () if label.startswith(INTERMEDIATE) else label.split(CHAIN)


def list_phrases(nodes: Sequence[tuple[str, int, int]], n_words: int) -> list[Phrase]:
    """Lists the constituents below the root, each after those around it, given nodes without heads: see
    `find_parents`."""
    # Those of each word and node. Sets of bits would need memory quadratic in the number of words.
    blocks = [[(word, word + 1)] for word in range(n_words)]
    for _, first, second in nodes:
        blocks.append(_join_blocks(blocks[first], blocks[second]) if second >= 0 else blocks[first])
    below = zip(nodes[-2::-1], blocks[-2 : n_words - 1 : -1], strict=True)
    return [Phrase(label, words) for (chain, *_), words in below for label in split_chain(chain)]


def _join_blocks(first: Sequence[Block], second: Sequence[Block]) -> list[Block]:
    joined: list[Block] = []
    for start, end in sorted([*first, *second]):
        if joined and joined[-1][1] == start:
            start, _ = joined.pop()
        joined.append((start, end))
    return joined
