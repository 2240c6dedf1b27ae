"""A parser of sentences from trees: its grammar, its boundary model, and what closes the cells of its charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...annotation.constituency_trees import Tree
from ..transform import hedge
from .boundaries import estimate_boundaries
from .closing import (
    Closing,
    Example,
    choose_biases,
    find_frequent_tags,
    learn_closing,
    list_nodes,
    mark_cells,
    mark_ranks,
)
from .constraints import ChartConstraints, mark_boundaries
from .estimation import estimate_grammar, prepare
from .grammar import Grammar
from .sentence_parser import SentenceParser

# One tree of so many is not learnt from, but says how many cells may be closed.
HELD_OUT = 10


def make_parser(
    trees: Sequence[Tree],
    *,
    annotation: dict[str, Any],
    split_cycles: int = 0,
    search: dict[str, Any],
    has_boundaries: bool,
    closures: Sequence[str] = (),
    keep_open: float = 1.0,
    constraints: tuple[str, float] | None = None,
    grammar: Grammar | None = None,
    seed: int = 0,
) -> SentenceParser:
    """Make a parser.

    trees: As for `estimate_grammar`. Closings learn from those that are not too long to be parsed.
    annotation: The settings of `prepare`.
    split_cycles: How often symbols are split.
    search: The settings of `SentenceParser`. If these have a `max_span`, the trees are hedged.
    has_boundaries: Whether to estimate a boundary model.
    closures: The kinds of closings (see closing.py).
    keep_open: The share of the cells of trees that each closing leaves open.
    constraints: The mode of chart constraints and its amount (see constraints.py); None: there are none.
    grammar: The grammar, instead of that of the trees.
    seed: Of splitting, and of the order in which closings and constraints learn.
    RAISES ValueError: As `estimate_grammar`, `estimate_boundaries` and `SentenceParser`; if `keep_open` (J697) or a
        mode (J698) is not allowed.
    """
    if max_span := search.get("max_span"):
        trees = [hedge(tree, max_span) for tree in trees]
    if grammar is None:
        grammar = estimate_grammar(trees, **annotation, split_cycles=split_cycles, seed=seed)
    prepared = [prepare(tree, **annotation) for tree in trees]
    boundaries = estimate_boundaries(prepared, grammar) if has_boundaries else None
    parser = SentenceParser(grammar, boundaries, **search)
    tags = find_frequent_tags(trees)
    closings: list[Closing | ChartConstraints] = []
    for kind in closures:
        examples = mark_examples(parser, prepared, kind)
        learnt = [example for number, example in enumerate(examples) if number % HELD_OUT]
        closing = learn_closing(learnt, kind, tags, branching=annotation["branching"], seed=seed)
        choose_biases(closing, examples[::HELD_OUT], keep_open)
        closings.append(closing)
    if constraints is not None:
        mode, amount = constraints
        closings.append(
            learn_constraints(prepared, tags, branching=annotation["branching"], mode=mode, amount=amount, seed=seed)
        )
    return SentenceParser(grammar, boundaries, closings, **search)


def learn_constraints(
    trees: Sequence[Tree], tags: dict[str, str], *, branching: str = "right", mode: str, amount: float, seed: int = 0
) -> ChartConstraints:
    """Learn chart constraints.

    trees: As `prepare` made them.
    tags, branching, mode, amount: See `ChartConstraints`.
    """
    constraints = ChartConstraints(tags, branching=branching, mode=mode, amount=amount)
    examples = [(tree.leaves(), mark_boundaries(list_nodes(tree), len(tree.leaves()))) for tree in trees]
    constraints.learn(examples, seed=seed)
    return constraints


def mark_examples(parser: SentenceParser, trees: Sequence[Tree], kind: str) -> list[Example]:
    """What closings of a kind learn from, of those trees that are not too long to be parsed.

    parser: Gives the widths: it is to find what it finds now with fewer edges.
    trees: As `prepare` made them.
    """
    examples: list[Example] = []
    for tree in trees:
        words = tree.leaves()
        if len(words) > parser.settings["max_words"]:
            continue
        if kind != "widths":
            examples.append((words, mark_cells(list_nodes(tree), len(words), kind)))
        else:
            ranks = parser.rank_edges(words)
            if ranks is not None:
                examples.append((words, mark_ranks(ranks)))
    return examples
