"""Trees as the transition system builds them: binary nodes over numbered words, children first.

Unary chains above constituents are one node, so that only words and the root have unary nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..annotation.constituency_trees import Block, Tree, take_apart
from ..annotation.constituents import Phrase
from .heads import HeadRules
from .transform import TEMPORARY, binarise, mark_heads

# Between the labels of a chain, from the top down.
CHAIN = "::"


def to_nodes(tree: Tree, rules: HeadRules) -> list[tuple[str, int, int, int]]:
    """The nodes of a tree, children first, the root last: see `name_actions`."""
    nodes, parents = take_apart(binarise(mark_heads(tree, rules)))
    n_words = sum(node.is_preterminal for node in nodes)
    made: list[tuple[str, int, int, int]] = []
    below: list[list[int]] = [[] for _ in nodes]
    for place in range(len(nodes) - 1, -1, -1):
        node, children = nodes[place], below[place][::-1]
        if node.is_preterminal:
            number = node.index
        elif place and len(children) == 1 and children[0] >= n_words:
            number = children[0]
            label, left, right, head = made[number - n_words]
            made[number - n_words] = (node.label + CHAIN + label, left, right, head)
        else:
            number = n_words + len(made)
            made.append((node.label, children[0], children[1] if len(children) > 1 else -1, node.head or 0))
        if place:
            below[parents[place]].append(number)
    return made


@cache
def split_chain(label: str) -> Sequence[str]:
    """The labels of a chain, from the top down; none of a node that binarisation made."""
    return () if label.startswith(TEMPORARY) else label.split(CHAIN)


def to_phrases(nodes: Sequence[tuple[str, int, int]], n_words: int) -> list[Phrase]:
    """The constituents below the root of nodes as `GapSystem.build` returns them, each after those around it."""
    blocks: list[Sequence[Block]] = [[(word, word + 1)] for word in range(n_words)]
    for _, first, second in nodes:
        blocks.append(_join(blocks[first], blocks[second]) if second >= 0 else blocks[first])
    return [
        Phrase(label, blocks[n_words + place])
        for place in range(len(nodes) - 2, -1, -1)
        for label in split_chain(nodes[place][0])
    ]


def _join(left: Sequence[Block], right: Sequence[Block]) -> Sequence[Block]:
    """The blocks of two constituents without common words."""
    joined: list[Block] = []
    for start, end in sorted((*left, *right)):
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
