"""Grammars from treebanks: relative frequencies of the rules of binarised trees, whose labels are annotated.

Annotation follows Klein & Manning (2003): horizontally, symbols of binarisation name the nearest of the sisters that
they cover; vertically, other symbols name the label above. A named sister (order 1) is interpolated with any sister
(order 0): `NP -> DT @NP|JJ` has a share of the rules `NP -> DT @NP` and `@NP -> @NP|JJ`, so that unseen pairs are
possible. The share depends on how many different symbols follow, and how often any does (Witten & Bell 1991). Further
distinctions are learnt by splitting symbols (see splitting.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ...annotation.constituency_trees import ROOT, Tree, rewrite, take_apart
from ...errors import Errors, JointValueError
from ..transform import binarise
from .grammar import Grammar, Rule, is_factored, strip_annotation
from .lexicon import estimate_lexicon
from .splitting import MAX_CYCLES, Counted, SplitTreebank

BRANCHING = ("right", "left")


def estimate_grammar(
    trees: Iterable[Tree],
    *,
    branching: str = "right",
    horizontal: int = 1,
    parents: bool = True,
    tag_parents: bool = True,
    split_cycles: int = 0,
    seed: int = 0,
) -> Grammar:
    """Estimate a grammar.

    trees (Iterable[Tree]): Continuous trees under roots, without empty nodes and functions in labels.
    branching (str): "right" or "left", the side on which binarisation puts its own symbols.
    horizontal (int): How many sisters these symbols name.
    parents (bool), tag_parents (bool): Whether the symbols of constituents, and of tags, name the label above.
    split_cycles (int): How often symbols are split, from 0 to 4 (see splitting.py).
    seed (int): Of splitting.
    RAISES ValueError: If a setting is not allowed (J673), a label begins with `@`, has `^` or `|`, or ends in a hyphen
        and a number (J672), or there are no trees (J676).
    """
    check_settings(branching, horizontal, split_cycles)
    prepared = []
    for number, tree in enumerate(trees, start=1):
        for label in {node.label for node in tree.nodes()}:
            if strip_annotation(label) != label or is_factored(label):
                raise JointValueError(Errors.J672, number=number, label=label)
        prepared.append(
            prepare(tree, branching=branching, horizontal=horizontal, parents=parents, tag_parents=tag_parents)
        )
    if not any(tree.children for tree in prepared):
        raise JointValueError(Errors.J676)
    treebank = SplitTreebank(prepared, seed)
    for _ in range(split_cycles):
        treebank.run_cycle()
    counts, sentences = treebank.count()
    if horizontal:
        counts = interpolate(counts)
    of_parent: defaultdict[str, float] = defaultdict(float)
    for (parent, _), count in counts.items():
        of_parent[parent] += count
    # A label may be of constituents and of words.
    words: defaultdict[str, float] = defaultdict(float)
    for sentence in sentences:
        for _, tags in sentence:
            for tag, share in tags.items():
                words[tag] += share
    made = [Rule(*rule, count / (of_parent[rule[0]] + words[rule[0]])) for rule, count in sorted(counts.items())]
    return Grammar(ROOT, made, estimate_lexicon(sentences, {tag: of_parent[tag] for tag in words}))


def check_settings(branching: str, horizontal: int, split_cycles: int) -> None:
    """RAISES ValueError: If a setting of `estimate_grammar` is not allowed (J673)."""
    if branching not in BRANCHING:
        raise JointValueError(Errors.J673, name="branching", value=branching, allowed=", ".join(BRANCHING))
    if horizontal < 0:
        raise JointValueError(Errors.J673, name="horizontal", value=horizontal, allowed="0 and above")
    if not 0 <= split_cycles <= MAX_CYCLES:
        raise JointValueError(
            Errors.J673, name="split_cycles", value=split_cycles, allowed=f"numbers from 0 to {MAX_CYCLES}"
        )


def prepare(tree: Tree, *, branching: str, horizontal: int, parents: bool, tag_parents: bool) -> Tree:
    """Binarise a tree and annotate its labels: see `estimate_grammar`. X over X alone becomes one X."""

    def mark(node: Tree, children: tuple[Tree, ...], words: int) -> Sequence[Tree]:
        if len(children) == 1 and children[0].label == node.label and not children[0].is_preterminal:
            return children
        return (node.with_children(children, (len(children) - 1) * (branching == "right") if children else None),)

    nodes, above = take_apart(binarise(rewrite(tree, mark)[0], horizontal))
    labels = [node.label for node in nodes]
    # The place of the constituent above each node: symbols of binarisation are within it.
    owners = list(above)
    for place in range(1, len(nodes)):
        if is_factored(labels[owners[place]]):
            owners[place] = owners[owners[place]]
    for place in range(1, len(nodes)):
        if is_factored(labels[place]):
            continue
        if owners[place] and (tag_parents if nodes[place].is_preterminal else parents):
            labels[place] += "^" + nodes[owners[place]].label
    below: list[list[Tree]] = [[] for _ in nodes]
    for place in range(len(nodes) - 1, -1, -1):
        node = nodes[place]
        made = Tree(labels[place], tuple(reversed(below[place])), node.word, index=node.index)
        if place:
            below[above[place]].append(made)
    return made


def interpolate(counts: dict[Counted, float]) -> dict[Counted, float]:
    """Give a share of the rules that lead to symbols with named sisters to symbols without."""
    following: defaultdict[tuple[str, str, int], dict[str, float]] = defaultdict(dict)
    interpolated: defaultdict[Counted, float] = defaultdict(float)
    for (parent, children), count in counts.items():
        place = next((i for i, child in enumerate(children) if is_factored(child)), -1)
        if place < 0:
            interpolated[parent, children] += count
            continue
        named, sister = children[place], children[1 - place]
        following[parent, sister, place][named] = count
        interpolated[strip_annotation(named), (named,)] += count
    for (parent, sister, place), named_counts in following.items():
        total = sum(named_counts.values())
        share = total / (total + len(named_counts))
        for named, count in named_counts.items():
            order = (sister, named) if place else (named, sister)
            other = (sister, strip_annotation(named)) if place else (strip_annotation(named), sister)
            interpolated[parent, order] += share * count
            interpolated[parent, other] += (1 - share) * count
    return dict(interpolated)
