"""Scores of constituency trees: labelled brackets, leaf-ancestor paths, tree edit distance.

The definitions are those of disco-dop's `eval`, which extend EVALB to discontinuous trees; see brackets.py. The
leaf-ancestor score is that of Sampson & Babarczy (2003).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from spacy.matcher.levenshtein import levenshtein

from ..errors import Errors, JointValueError
from ..trees.constituency_trees import Tree, assemble, find_blocks, flatten
from .brackets import BracketScores, Parameters, count_brackets, load_parameters
from .counts import divide


def score_trees(
    predicted: Iterable[Tree],
    references: Iterable[Tree],
    parameters: Parameters | None = None,
    *,
    edit_distance: bool = False,
) -> dict[str, Any]:
    """Score trees. Scores are between 0 and 1, and None where there is nothing to score.

    - `constituents_p` and the other scores of `spacy_joint.scoring.constituents.score_constituents`.
    - `constituents_la`: the mean over sentences of the leaf-ancestor score of their words.
    - `constituents_ted`: one minus the ratio of the tree edit distances to the numbers of nodes.

    predicted, references (Iterable[Tree]): The trees of the same sentences in the same order, under roots. Roots do not
        count.
    parameters (Parameters | None): What counts; by default, as in disco-dop ("proper").
    edit_distance (bool): Whether to compute tree edit distances, which takes long for long sentences.
    RAISES ValueError: If the numbers of trees (J143) or their words (J568) differ.
    """
    parameters = load_parameters("proper") if parameters is None else parameters
    predicted, references = list(predicted), list(references)
    if len(predicted) != len(references):
        first, second = f"{len(predicted)} predicted trees", f"{len(references)} in the reference"
        raise JointValueError(Errors.J143, first=first, second=second)
    scores = BracketScores()
    leaf_ancestor: list[float] = []
    distance = nodes = 0
    for number, (found, expected) in enumerate(zip(predicted, references, strict=True), start=1):
        if found.leaves() != expected.leaves():
            raise JointValueError(Errors.J568, number=number)
        kept = [parameters.keeps(node.label, node.word or "") for node in expected.preterminals()]
        pruned, gold = (prune(tree, kept, parameters) for tree in (found, expected))
        if pruned is None or gold is None:
            # There is only punctuation.
            scores.add(Counter(), Counter())
            continue
        counts = range(sum(kept) + 1)
        scores.add(*(count_brackets(_list_constituents(tree), counts, parameters) for tree in (pruned, gold)))
        leaf_ancestor.append(score_leaf_ancestors(pruned, gold))
        if edit_distance:
            distance += find_edit_distance(pruned, gold)
            nodes += sum(len(flatten(tree)[0]) - 1 for tree in (pruned, gold))
    return {
        **scores.to_dict("constituents"),
        "constituents_la": divide(sum(leaf_ancestor), len(leaf_ancestor)),
        "constituents_ted": 1 - distance / nodes if nodes else None,
    }


def prune(tree: Tree, kept: Sequence[bool], parameters: Parameters) -> Tree | None:
    """Remove words (by `kept`) and constituents that do not count, and unify equal labels. None if no word counts."""
    nodes, parents = flatten(tree)
    pruned = [replace(node, label=parameters.equal_labels.get(node.label, node.label)) for node in nodes]
    for index in range(1, len(nodes)):
        parent = parents[index]
        if parent > 0 and pruned[parent].label in parameters.delete_labels:
            parents[index] = parents[parent]
        if nodes[index].is_preterminal and not kept[nodes[index].index]:
            # `assemble` leaves out empty constituents.
            pruned[index] = Tree("")
    return assemble(pruned, parents)


def _list_constituents(tree: Tree) -> list[tuple[str, list[tuple[int, int]]]]:
    nodes = tree.yields()[1:]
    return [(node.label, find_blocks(words)) for node, words in nodes if not node.is_preterminal]


def score_leaf_ancestors(predicted: Tree, reference: Tree) -> float:
    """Compute the mean over words of one minus the ratio of the edit distance between their paths to the total length
    of both."""
    scores = []
    for found, expected in zip(list_paths(predicted), list_paths(reference), strict=True):
        length = len(found) + len(expected)
        scores.append(1 - find_levenshtein_distance(found, expected) / length if length else 1)
    return sum(scores) / len(scores)


def list_paths(tree: Tree) -> list[list[str]]:
    """List the ancestors of each word, from the top down, with marks where constituents begin and end.

    `)` precedes the highest constituent that ends with the word, and `(` follows the highest one that begins with it.
    For the ends of blocks before the last it is `]`, and for the beginnings of blocks after the first `[`.
    """
    paths: list[list[str]] = [[] for _ in tree.leaves()]
    for label, blocks in _list_constituents(tree):
        for number, (start, end) in enumerate(blocks):
            opening, closing = "[" if number else "(", "]" if number + 1 < len(blocks) else ")"
            for index in range(start, end):
                path = paths[index]
                if index == end - 1 and closing not in path:
                    path.append(closing)
                path.append(label)
                if index == start and opening not in path:
                    path.append(opening)
    return paths


def find_levenshtein_distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Find the minimum number of insertions, deletions and substitutions that turn a sequence into another."""
    # spaCy compares strings.
    characters = {value: chr(number) for number, value in enumerate({*one, *other})}
    return levenshtein(*("".join(map(characters.__getitem__, values)) for values in (one, other)))


def find_edit_distance(one: Tree, other: Tree) -> int:
    """Find the minimum number of insertions, deletions and relabellings of nodes that turn a tree into another, where
    the children of a node keep their order, and a word goes with its tag (Zhang & Shasha 1989)."""
    labels, leftmost, roots = _number_in_postorder(one)
    other_labels, other_leftmost, other_roots = _number_in_postorder(other)
    distances = np.zeros((len(labels), len(other_labels)), dtype=np.int64)
    for root in roots:
        for other_root in other_roots:
            first, other_first = leftmost[root], other_leftmost[other_root]
            n, m = root - first + 2, other_root - other_first + 2
            # The distances of forests: the first i nodes of one, and the first j nodes of the other.
            forests = [[i + j if i == 0 or j == 0 else 0 for j in range(m)] for i in range(n)]
            for i in range(1, n):
                node = first + i - 1
                row, above = forests[i], forests[i - 1]
                for j in range(1, m):
                    goal = other_first + j - 1
                    row[j] = min(above[j], row[j - 1]) + 1
                    if leftmost[node] == first and other_leftmost[goal] == other_first:
                        row[j] = min(row[j], above[j - 1] + (labels[node] != other_labels[goal]))
                        distances[node, goal] = row[j]
                    else:
                        rest = forests[leftmost[node] - first][other_leftmost[goal] - other_first]
                        row[j] = min(row[j], rest + int(distances[node, goal]))
    return int(distances[-1, -1])


def _number_in_postorder(tree: Tree) -> tuple[list[Hashable], list[int], list[int]]:
    """Return the labels of nodes in postorder, the leftmost leaf below each, and the highest node of each leftmost
    leaf."""
    nodes, parents = flatten(tree)
    # In preorder, the place after all nodes below each node.
    ends = list(range(1, len(nodes) + 1))
    for index in range(len(nodes) - 1, 0, -1):
        ends[parents[index]] = max(ends[parents[index]], ends[index])
    order = sorted(range(len(nodes)), key=lambda index: (ends[index], -index))
    numbers = {index: number for number, index in enumerate(order)}
    leaves = [index for index, end in enumerate(ends) if end == index + 1]
    leftmost = [numbers[leaves[bisect_left(leaves, index)]] for index in order]
    in_order = [nodes[index] for index in order]
    labels: list[Hashable] = [(node.label, node.index if node.is_preterminal else None) for node in in_order]
    return labels, leftmost, sorted({leaf: number for number, leaf in enumerate(leftmost)}.values())
