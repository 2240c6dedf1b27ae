"""Transformations of constituency trees: the hedge transform, heads, binarisation and its inverse, segments.

Heads and binarisation are for all trees; hedges and segments are for continuous ones.

A hedge (Yarmohammadi, Dunlop & Roark 2014) is a maximal constituent up to a maximum number of words, not an expression
of uncertainty; a hedged tree has only hedges and single tags under its root.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from ..annotation.constituency_trees import Constituent, Tree, assemble, find_outermost, rewrite, take_apart
from .heads import HeadRules

# The prefix of labels created by binarisation.
TEMPORARY = "@"
# A run of words outside phrases, and phrases of one word, between hedges.
GROUP = "G"
# Segments are labelled with the chunk types of the CoNLL-2000 shared task; all others are OUT.
CHUNK_TYPES = ("ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP")
OUT = "OUT"


def hedge(tree: Tree, max_span: int) -> Tree:
    """Replace all constituents with more than `max_span` words, except the root, by their children."""

    def rule(node: Tree, children: tuple[Tree, ...], words: int) -> Sequence[Tree]:
        if node is tree or (not node.is_preterminal and words > max_span):
            return children
        return (node if node.is_preterminal else Tree(node.label, children),)

    return Tree(tree.label, tuple(rewrite(tree, rule)))


def mark_heads(tree: Tree, rules: HeadRules) -> Tree:
    """Mark the head among the children of each node, in place of earlier marks."""

    def rule(node: Tree, children: tuple[Tree, ...], words: int) -> Sequence[Tree]:
        if node.is_preterminal:
            return (node,)
        labels, functions = zip(*((child.label, child.function) for child in children), strict=True)
        return (node.with_children(children, rules.find(node.label, labels, functions)),)

    return rewrite(tree, rule)[0]


def binarise(tree: Tree, order: int = 0) -> Tree:
    """Binarise a tree with marked heads, outwards from the head: first its right sisters, then its left ones.

    All new nodes except the topmost have a prefixed label. Single children are kept. The left of two children is the
    one that has the first word, also if the tree is discontinuous. If all heads are last, the result branches to the
    right; if all are first, to the left.

    order: How many of the sisters last attached the labels of new nodes name, the outermost first: `@NP|DT,JJ`.
    """

    def rule(node: Tree, children: tuple[Tree, ...], words: int) -> Sequence[Tree]:
        if len(children) <= 2:
            return (node.with_children(children, node.head),)
        assert node.head is not None
        steps = [(sister, 0) for sister in children[node.head + 1 :]]
        steps += [(sister, 1) for sister in reversed(children[: node.head])]
        built = children[node.head]
        for number, (sister, head) in enumerate(steps, start=1):
            pair = (sister, built) if head else (built, sister)
            if number == len(steps):
                built = node.with_children(pair, head)
            else:
                named = [sister.label for sister, _ in steps[max(0, number - order) : number]][::-1]
                built = Tree(TEMPORARY + node.label + "|" * (order > 0) + ",".join(named), pair, head=head)
        return (built,)

    return rewrite(tree, rule)[0]


def unbinarise(tree: Tree) -> Tree:
    """Undo `binarise`, but drop head marks. Nodes created by binarisation are replaced by their children anywhere."""
    nodes, parents = take_apart(tree)
    for place in range(1, len(nodes)):
        parent = parents[place]
        if parent > 0 and nodes[parent].label.startswith(TEMPORARY):
            # The parent comes first in the list, so its own parent is final.
            parents[place] = parents[parent]
    return assemble(nodes, parents) or tree


def find_segments(constituents: Iterable[Constituent], n_words: int, starts: Collection[int] = ()) -> list[Constituent]:
    """Segment words: the type, first word and end of each hedge of several words and of each group between them.

    Tags and constituents of one word between hedges form a group G. Segments cover all words.

    constituents: The constituents of hedged trees, ordered as by `Tree.spans`.
    n_words: The number of words.
    starts: The words that start a sentence, and so a segment.
    """
    hedges = [hedge for hedge in find_outermost(constituents) if hedge[2] - hedge[1] > 1]
    segments: list[Constituent] = []
    end = 0
    for label, start, next_end in [*hedges, ("", n_words, n_words)]:
        firsts = [end, *(word for word in range(end + 1, start) if word in starts), start]
        segments += [(GROUP, first, last) for first, last in pairwise(firsts) if first < last]
        if label:
            segments.append((label if label in CHUNK_TYPES else OUT, start, next_end))
        end = next_end
    return segments
