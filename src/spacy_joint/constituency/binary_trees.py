"""Trees as the transition system builds them: binary nodes over numbered words, children first.

Unary chains above constituents are one node, so that only words and the root have unary nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..annotation.constituency_trees import Tree, assemble, take_apart
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


def split_chain(label: str) -> Sequence[str]:
    """The labels of a chain, from the top down; none of a node that binarisation made."""
    return () if label.startswith(TEMPORARY) else label.split(CHAIN)


def to_tree(nodes: Sequence[tuple[str, int, int]], n_words: int) -> Tree:
    """The tree of nodes as `GapSystem.build` returns them. Words and tags are "_"."""
    trees, parents = [Tree(nodes[-1][0])], [-1]
    # The places of the nodes in `trees`; of those that binarisation made, the places of their parents.
    places = [0] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):
        for child in nodes[number][1:]:
            place = places[number]
            if 0 <= child < n_words:
                trees.append(Tree("_", word="_", index=child))
                parents.append(place)
            elif child >= 0:
                for part in split_chain(nodes[child - n_words][0]):
                    trees.append(Tree(part))
                    parents.append(place)
                    place = len(trees) - 1
                places[child - n_words] = place
    tree = assemble(trees, parents)
    assert tree is not None
    return tree
