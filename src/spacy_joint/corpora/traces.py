"""Traces of the Penn Treebank as crossing branches: a moved constituent is attached where its trace is.

After Evang & Kallmeyer (2011), whose conversion of the Treebank is known as DPTB. Words stay where they are, so that
constituents from which something has moved become discontinuous. Traces of wh-movement, topicalisation and quotations
(`*T*`), extraposition (`*ICH*`, `*EXP*`) and right node raising (`*RNR*`) count; null subjects, passives and all other
empty elements are only deleted.
"""

from __future__ import annotations

import re

from ..annotation.constituency_trees import Tree, assemble, take_apart

# The tag of empty elements.
TRACE = "-NONE-"
MOVED = re.compile(r"\*(T|ICH|EXP|RNR)\*-(\d+)")
INDEX = re.compile(r".[^-=]*(?:-[A-Za-z]+)*-(\d+)")
RIGHT_NODE_RAISING = "RNR"


def attach_fillers(tree: Tree) -> Tree:
    """Attach fillers where their traces are, and delete traces and other empty elements.

    A filler with several traces belongs to the first, or, if it is raised from the right, to the last, which is the
    nearest. A filler that contains its trace, such as a quotation around `he said`, changes places with its child that
    contains it.

    tree: A tree with labels as in the treebank, under a single root.
    """
    nodes, parents = take_apart(tree)
    has_words = [node.is_preterminal and node.label != TRACE for node in nodes]
    n_leaves = [int(node.is_preterminal) for node in nodes]
    for place in range(len(nodes) - 1, 0, -1):
        has_words[parents[place]] |= has_words[place]
        n_leaves[parents[place]] += n_leaves[place]
    fillers: dict[str, int] = {}
    # The kinds and places of the traces of each filler.
    traces: dict[str, list[tuple[str, int]]] = {}
    for place, node in enumerate(nodes):
        if node.word is None:
            if match := INDEX.match(node.label):
                fillers.setdefault(match[1], place)
        elif node.label == TRACE and (match := MOVED.fullmatch(node.word)):
            traces.setdefault(match[2], []).append((match[1], place))
    for index, found in traces.items():
        _, trace = found[-1] if found[0][0] == RIGHT_NODE_RAISING else found[0]
        filler = fillers.get(index, 0)
        if not filler or not has_words[filler]:
            continue
        while n_leaves[parents[trace]] == 1:
            trace = parents[trace]
        target = parents[trace]
        # The child of the filler on the way to the trace, if there is one.
        inner = trace
        above = target
        while above not in (filler, -1):
            inner, above = above, parents[above]
        if above == filler:
            if inner == trace:
                continue
            parents[inner] = parents[filler]
        parents[filler] = target
    emptied = [Tree("") if node.label == TRACE and node.is_preterminal else node for node in nodes]
    return assemble(emptied, parents) or Tree(tree.label)
