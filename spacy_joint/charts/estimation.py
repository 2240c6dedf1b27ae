"""Grammars from treebanks: relative frequencies of the rules of binarised trees, whose labels are annotated.

Annotation follows Klein & Manning (2003): horizontally, symbols of binarisation name the nearest of the sisters that
they cover; vertically, other symbols name the label above. To allow unseen pairs, a named sister (order 1) is
interpolated with any sister (order 0): `NP -> DT @NP|JJ` has a share of the rules `NP -> DT @NP` and `@NP -> @NP|JJ`,
by Witten & Bell (1991). Further distinctions are learnt by splitting symbols (see splitting.py).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from ..errors import Errors, JointValueError
from ..trees.constituency_trees import ROOT, Tree, assemble, flatten, rewrite
from ..trees.transform import binarise
from .grammar import Grammar, Rule, is_factored, strip_annotation
from .lexicon import estimate_lexicon
from .splitting import Counted, SplitTreebank


def estimate_grammar(
    trees: Iterable[Tree], *, horizontal: int = 1, split_cycles: int = 0, seed: int = 0, **annotation: Any
) -> Grammar:
    """Estimate a grammar from continuous trees (J330) under roots, without empty nodes and functions in labels. No
    label may begin with `@`, have `^` or `|`, or end in a hyphen and a number (J672)."""
    prepared = []
    for number, tree in enumerate(trees, start=1):
        for label in {node.label for node in tree.nodes()}:
            if strip_annotation(label) != label or is_factored(label):
                raise JointValueError(Errors.J672, number=number, label=label)
        prepared.append(prepare(tree, horizontal=horizontal, **annotation))
    if not any(tree.children for tree in prepared):
        raise JointValueError(Errors.J330, source="The treebank", what="trees with constituents")
    treebank = SplitTreebank(prepared, seed)
    for _ in range(split_cycles):
        treebank.run_cycle()
    counts, sentences = treebank.count()
    if horizontal:
        counts = interpolate(counts)
    parent_counts: defaultdict[str, float] = defaultdict(float)
    for (parent, _), count in counts.items():
        parent_counts[parent] += count
    # A label may be of constituents and of words.
    words: defaultdict[str, float] = defaultdict(float)
    for _, tags in chain.from_iterable(sentences):
        for tag, share in tags.items():
            words[tag] += share
    made = [Rule(*rule, count / (parent_counts[rule[0]] + words[rule[0]])) for rule, count in sorted(counts.items())]
    return Grammar(ROOT, made, estimate_lexicon(sentences, {tag: parent_counts[tag] for tag in words}))


def prepare(tree: Tree, *, horizontal: int = 1, parents: bool = True, tag_parents: bool = True) -> Tree:
    """Binarise a tree, with new symbols on the right, which name `horizontal` sisters, and annotate the labels of
    constituents and tags with the label above. X over X alone becomes one X."""

    def mark(node: Tree, children: tuple[Tree, ...]) -> Sequence[Tree]:
        if len(children) == 1 and children[0].label == node.label and not children[0].is_preterminal:
            return children
        return (node.with_children(children, len(children) - 1 if children else None),)

    nodes, above = flatten(binarise(rewrite(tree, mark)[0], horizontal))
    labels = [node.label for node in nodes]
    # The place of the constituent above each node: symbols of binarisation are within it.
    owners = list(above)
    for index in range(1, len(nodes)):
        if is_factored(nodes[owners[index]].label):
            owners[index] = owners[owners[index]]
        is_named = tag_parents if nodes[index].is_preterminal else parents
        if owners[index] and is_named and not is_factored(labels[index]):
            labels[index] += "^" + nodes[owners[index]].label
    marked = [Tree(label, word=node.word, index=node.index) for label, node in zip(labels, nodes, strict=True)]
    return assemble(marked, above) or marked[0]


def interpolate(counts: dict[Counted, float]) -> dict[Counted, float]:
    """Give a share of the rules that lead to symbols with named sisters to symbols without."""
    following: defaultdict[tuple[str, str, int], dict[str, float]] = defaultdict(dict)
    interpolated: defaultdict[Counted, float] = defaultdict(float)
    for (parent, children), count in counts.items():
        index = next((i for i, child in enumerate(children) if is_factored(child)), -1)
        if index < 0:
            interpolated[parent, children] += count
            continue
        named, sister = children[index], children[1 - index]
        following[parent, sister, index][named] = count
        interpolated[strip_annotation(named), (named,)] += count
    for (parent, sister, index), named_counts in following.items():
        total = sum(named_counts.values())
        share = total / (total + len(named_counts))
        for named, count in named_counts.items():
            for symbol, part in ((named, share * count), (strip_annotation(named), (1 - share) * count)):
                interpolated[parent, (sister, symbol) if index else (symbol, sister)] += part
    return dict(interpolated)
