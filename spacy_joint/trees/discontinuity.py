"""Makes trees less discontinuous by root attachment, or continuous by raising."""

from .constituency_trees import Tree, assemble, count_blocks, find_blocks, flatten, list_children


def attach_root_children(tree: Tree) -> Tree:
    """Attach children of the root, such as punctuation in German and Dutch treebanks, further down: each moves to the
    lowest constituent that covers the words on both sides of it (Levy 2005, p. 163, and "root attach" of Maier's
    treetools). This removes discontinuities, and head marks."""
    nodes, parents = flatten(tree)
    yields = [words for _, words in tree.yields()]
    indices = {node.index: index for index, node in enumerate(nodes) if node.is_preterminal}
    children = [index for index, parent in enumerate(parents) if parent == 0]
    first = {index: (yields[index] & -yields[index]).bit_length() - 1 for index in children}
    last = {index: yields[index].bit_length() - 1 for index in children}
    begins = {first[child]: child for child in children}
    # The end of each row of adjacent children of the root, by the first word of each child. Cleared when a child moves.
    ends: dict[int, int] = {}
    for child in children:
        # Adjacent children of the root do not separate the child from its neighbour.
        row, after = [], first[child]
        while after in begins and after not in ends:
            row.append(after)
            after = last[begins[after]] + 1
        after = ends.get(after, after)
        ends.update(dict.fromkeys(row, after))
        if first[child] == 0 or after not in indices:
            continue
        above = set(_list_ancestors(indices[first[child] - 1], parents))
        target = next(index for index in _list_ancestors(indices[after], parents) if index in above)
        if target == 0:
            continue
        parents[child] = target
        del begins[first[child]]
        ends.clear()
        # The child of the root that also covers these words.
        *_, outermost, _ = target, *_list_ancestors(target, parents)
        last[outermost] = max(last[outermost], last[child])
    return assemble(nodes, parents) or tree


def _list_ancestors(index: int, parents: list[int]) -> list[int]:
    """List the ancestors of a node, from the bottom up."""
    found = []
    while index:
        index = parents[index]
        found.append(index)
    return found


def make_continuous(tree: Tree) -> Tree:
    """Make a tree continuous: each constituent keeps the block of its marked head, or else of its first child, and
    raises children outside it to its parent (Boyd 2007, with raising as in Maier 2015). The result has no marked
    heads."""
    nodes, parents = flatten(tree)
    below = list_children(parents)
    # The words of each node that are not raised.
    words = [bits for _, bits in tree.yields()]
    for index in range(len(nodes) - 1, -1, -1):
        if count_blocks(words[index]) <= 1:
            continue
        head = words[below[index][nodes[index].head or 0]]
        masks = ((1 << end) - (1 << start) for start, end in find_blocks(words[index]))
        kept = next(mask for mask in masks if mask & head)
        for child in below[index]:
            if not words[child] & kept:
                parents[child] = parents[index]
                below[parents[index]].append(child)
        words[index] = kept
    return assemble(nodes, parents) or tree
