"""Transformations of constituency trees: heads, binarisation, and segments of continuous trees.

A hedge (Yarmohammadi, Dunlop & Roark 2014) is a maximal constituent up to a maximum number of words, not an expression
of uncertainty; a hedged tree has only hedges and single tags under its root.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from .constituency_trees import Constituent, Tree, find_outermost, rewrite
from .heads import HeadRules

# The prefix of labels created by binarisation.
INTERMEDIATE = "@"
# GROUP is a run of single words and one-word phrases between hedges. Other segments have the chunk types of the
# CoNLL-2000 shared task, or else OUT.
GROUP, OUT = "G", "OUT"
CHUNK_TYPES = ("ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP")


def mark_heads(tree: Tree, rules: HeadRules) -> Tree:
    """Mark the head among the children of each node, in place of earlier marks."""

    def rule(node: Tree, children: tuple[Tree, ...]) -> Sequence[Tree]:
        if node.is_preterminal:
            return (node,)
        labels, functions = zip(*((child.label, child.function) for child in children), strict=True)
        return (node.with_children(children, rules.find(node.label, labels, functions)),)

    return rewrite(tree, rule)[0]


def binarise(tree: Tree, order: int = 0) -> Tree:
    """Binarise a tree with marked heads, outwards from the head: first its right sisters, then its left ones.

    All new nodes except the topmost have a prefixed label, which names the last `order` sisters that were attached, the
    outermost first: `@NP|DT,JJ`. Single children are kept. The left child has the first word, even in discontinuous
    trees. If all heads are last, the result branches to the right; if all are first, to the left.
    """

    def rule(node: Tree, children: tuple[Tree, ...]) -> Sequence[Tree]:
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
                built = Tree(INTERMEDIATE + node.label + "|" * (order > 0) + ",".join(named), pair, head=head)
        return (built,)

    return rewrite(tree, rule)[0]


def find_segments(constituents: Iterable[Constituent], n_words: int, starts: Collection[int] = ()) -> list[Constituent]:
    """Find the type, first word and end of each hedge of several words, and of each group of words between them.
    `constituents` are those of hedged trees, ordered as by `Tree.spans`; groups end at `starts` of sentences."""
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
