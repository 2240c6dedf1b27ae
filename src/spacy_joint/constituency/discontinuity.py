"""Making trees less discontinuous: root attachment, and the continuous variant of a tree."""

from __future__ import annotations

from ..annotation.constituency_trees import Tree, assemble, find_blocks, take_apart


def attach_root_children(tree: Tree) -> Tree:
    """Attach what hangs from the root only by convention, such as punctuation, where it is least discontinuous.

    German and Dutch treebanks attach punctuation to the root, so that everything around it is discontinuous. Each child
    of the root moves to the lowest constituent that covers the words on both sides of it (Levy 2005, p. 163, and
    "root attach" of Maier's treetools); what is at the edges of the sentence stays. Heads are not marked in the result.
    """
    nodes, parents = take_apart(tree)
    yields = [words for _, words in tree.yields()]
    places = {node.index: place for place, node in enumerate(nodes) if node.is_preterminal}
    children = [place for place, parent in enumerate(parents) if parent == 0]
    first = {place: (yields[place] & -yields[place]).bit_length() - 1 for place in children}
    last = {place: yields[place].bit_length() - 1 for place in children}
    # The end of the adjacent children of the root that begin with a child, by its number; until one of them moves.
    ends: dict[int, int] = {}
    for number, child in enumerate(children):
        before = first[child] - 1
        if before < 0:
            continue
        # What follows the child and also hangs from the root does not separate it from its neighbour.
        row = []
        following: int | None = number
        while following is not None and following not in ends:
            row.append(following)
            following = _find_adjacent(following, children, parents, first, last)
        after = last[children[row[-1]]] + 1 if following is None else ends[following]
        ends.update(dict.fromkeys(row, after))
        if after not in places:
            continue
        above = _list_ancestors(places[before], parents)
        target = next(place for place in _list_ancestors(places[after], parents) if place in above)
        if target == 0:
            continue
        parents[child] = target
        ends.clear()
        # The child of the root that now covers the words, too.
        outermost = list(_list_ancestors(target, parents, including=True))[-2]
        first[outermost] = min(first[outermost], first[child])
        last[outermost] = max(last[outermost], last[child])
    return assemble(nodes, parents) or tree


def _find_adjacent(
    number: int, children: list[int], parents: list[int], first: dict[int, int], last: dict[int, int]
) -> int | None:
    """The number of the next child of the root that begins where a child ends."""
    end = last[children[number]]
    for following in range(number + 1, len(children)):
        sister = children[following]
        if parents[sister] == 0 and first[sister] > end:
            return following if first[sister] == end + 1 else None
    return None


def _list_ancestors(place: int, parents: list[int], including: bool = False) -> dict[int, None]:
    """The ancestors of a node, from the bottom up; with the node itself, if wanted."""
    found = {place: None} if including else {}
    while place:
        place = parents[place]
        found[place] = None
    return found


def make_continuous(tree: Tree) -> Tree:
    """The continuous variant of a tree with marked heads: of each constituent, the block with its head stays.

    What is in other blocks is raised to the parent (Boyd 2007, with raising as in Maier 2015). Nodes without a marked
    head keep the block of their first child. Heads are not marked in the result.
    """
    nodes, parents = take_apart(tree)
    below: list[list[int]] = [[] for _ in nodes]
    for place, parent in enumerate(parents[1:], start=1):
        below[parent].append(place)
    heads = [children[node.head or 0] if children else 0 for node, children in zip(nodes, below, strict=True)]
    words = [1 << node.index if node.is_preterminal else 0 for node in nodes]
    for place in range(len(nodes) - 1, -1, -1):
        if nodes[place].is_preterminal:
            continue
        for child in below[place]:
            words[place] |= words[child]
        blocks = find_blocks(words[place])
        if len(blocks) == 1:
            continue
        masks = (((1 << end) - (1 << start)) for start, end in blocks)
        kept = next(mask for mask in masks if mask & words[heads[place]])
        for child in below[place]:
            if not words[child] & kept:
                parents[child] = parents[place]
                below[parents[place]].append(child)
        words[place] = kept
    return assemble(nodes, parents) or tree
