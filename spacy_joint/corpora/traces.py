"""Traces of the Penn Treebank as crossing branches: a moved constituent is attached where its trace is.

The conversion follows Evang & Kallmeyer (2011), whose version of the Treebank is known as DPTB. Words keep their order,
so constituents that something has moved out of become discontinuous. Traces of wh-movement, topicalisation and
quotations (`*T*`), extraposition (`*ICH*`, `*EXP*`) and right node raising (`*RNR*`) count; all other empty elements,
such as null subjects, are only deleted.
"""

import re

from ..trees.constituency_trees import Tree, assemble, flatten

# The tag of empty elements.
TRACE = "-NONE-"
MOVED = re.compile(r"\*(T|ICH|EXP|RNR)\*-(\d+)")
INDEX = re.compile(r".[^-=]*(?:-[A-Za-z]+)*-(\d+)")


def attach_fillers(tree: Tree) -> Tree:
    """Attach the fillers of a tree under a single root where their traces are, and delete all empty elements. A filler
    belongs to its first trace; after right node raising, to its last, the nearest one. A filler that contains its
    trace, such as a quotation around `he said`, changes places with its child that contains the trace."""
    nodes, parents = flatten(tree)
    leaves = [covered for _, covered in tree.yields()]
    words = sum(1 << node.index for node in nodes if node.is_preterminal and node.label != TRACE)
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
        _, trace = found[-1] if found[0][0] == "RNR" else found[0]
        filler = fillers.get(index, 0)
        if not filler or not leaves[filler] & words:
            continue
        while leaves[parents[trace]].bit_count() == 1:
            trace = parents[trace]
        # If the filler is above the trace, `inner` will be its child on the way there.
        inner, target = trace, parents[trace]
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
