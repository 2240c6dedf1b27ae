"""A parser of sentences from trees: its grammar, its boundary model, and what closes the cells of its charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...annotation.constituency_trees import Tree
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
from .estimation import estimate_grammar, prepare
from .grammar import Grammar
from .sentence_parser import SentenceParser

# One tree of so many is not learnt from, but says how many cells may be closed.
HELD_OUT = 10


def make_parser(
    trees: Sequence[Tree],
    *,
    estimation: dict[str, Any],
    search: dict[str, Any],
    has_boundaries: bool,
    closure: str | None,
    keep_open: float,
    grammar: Grammar | None = None,
    seed: int = 0,
) -> SentenceParser:
    """Make a parser.

    trees: As for `estimate_grammar`. Closings learn from those that are not too long to be parsed.
    estimation: The settings of `estimate_grammar`.
    search: The settings of `SentenceParser`.
    has_boundaries: Whether to estimate a boundary model.
    closure: The kind of the closing (see closing.py); None: none.
    keep_open: The share of the cells of trees that stay open.
    grammar: The grammar, instead of that of the trees.
    seed: Of the order in which closings learn.
    RAISES ValueError: As `estimate_grammar`, `estimate_boundaries` and `SentenceParser`; if `keep_open` is not allowed
        (J697).
    """
    if grammar is None:
        grammar = estimate_grammar(trees, **estimation)
    prepared = [prepare(tree, **estimation) for tree in trees]
    boundaries = estimate_boundaries(prepared, grammar) if has_boundaries else None
    parser = SentenceParser(grammar, boundaries, **search)
    if closure is None:
        return parser
    examples = (
        _mark_ranks(parser, trees) if closure == "widths" else _mark_cells(prepared, closure, search["max_words"])
    )
    tags = find_frequent_tags(trees)
    closing = learn(list(examples), closure, tags, branching=estimation["branching"], keep_open=keep_open, seed=seed)
    return SentenceParser(grammar, boundaries, closing, **search)


def learn(
    examples: Sequence[Example], kind: str, tags: dict[str, str], *, branching: str, keep_open: float, seed: int
) -> Closing:
    """Learn to close cells, of which a share stays open: see `learn_closing` and `choose_biases`."""
    learnt = [example for number, example in enumerate(examples) if number % HELD_OUT]
    closing = learn_closing(learnt, kind, tags, branching=branching, seed=seed)
    choose_biases(closing, examples[::HELD_OUT], keep_open)
    return closing


def _mark_cells(trees: Iterable[Tree], kind: str, max_words: int) -> Iterable[Example]:
    for tree in trees:
        words = tree.leaves()
        if len(words) <= max_words:
            yield words, mark_cells(list_nodes(tree), len(words), kind)


def _mark_ranks(parser: SentenceParser, trees: Iterable[Tree]) -> Iterable[Example]:
    """What the parser finds, not the trees: it is to find the same with fewer edges."""
    for tree in trees:
        words = tree.leaves()
        ranks = parser.rank_edges(words)
        if ranks is not None:
            yield words, mark_ranks(ranks)
