"""Makes a parser of sentences from trees: its grammar, its boundary model, and the closings of its charts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..trees.constituency_trees import Tree, rewrite
from .boundaries import estimate_boundaries
from .closing import Closing, Example, choose_biases, find_frequent_tags, learn_closing, mark_cells, mark_ranks
from .estimation import estimate_grammar, prepare
from .grammar import Grammar
from .sentence_parser import SentenceParser

# Every tenth tree is held out, to tune how many cells are closed.
HELD_OUT = 10


def hedge(tree: Tree, max_span: int) -> Tree:
    """Replace all constituents with more than `max_span` words, except the root, by their children."""
    sizes = {id(node): words.bit_count() for node, words in tree.yields()}

    def rule(node: Tree, children: tuple[Tree, ...]) -> Sequence[Tree]:
        if node is tree or (not node.is_preterminal and sizes[id(node)] > max_span):
            return children
        return (node if node.is_preterminal else Tree(node.label, children),)

    return Tree(tree.label, tuple(rewrite(tree, rule)))


class ParserSettings(NamedTuple):
    """The parts of a parser."""

    annotation: dict[str, Any]  # the settings of `prepare`
    search: dict[str, Any]  # those of `SentenceParser`; with a `max_span`, the trees are hedged
    has_boundaries: bool
    split_cycles: int = 0
    closures: Sequence[str] = ()
    keep_open: float = 1.0  # the share of the trees' cells that each closing leaves open


def make_parser(
    trees: Sequence[Tree], settings: ParserSettings, *, grammar: Grammar | None = None, seed: int = 0
) -> SentenceParser:
    """Make a parser with a grammar, by default that of the trees. Closings learn from trees that are not too long."""
    if max_span := settings.search.get("max_span"):
        trees = [hedge(tree, max_span) for tree in trees]
    if grammar is None:
        grammar = estimate_grammar(trees, **settings.annotation, split_cycles=settings.split_cycles, seed=seed)
    prepared = [prepare(tree, **settings.annotation) for tree in trees]
    boundaries = estimate_boundaries(prepared, grammar) if settings.has_boundaries else None
    parser = SentenceParser(grammar, boundaries, **settings.search)
    tags = find_frequent_tags(trees)
    closings: list[Closing] = []
    for kind in settings.closures:
        examples = mark_examples(parser, prepared, kind)
        learnt = [example for number, example in enumerate(examples) if number % HELD_OUT]
        closing = learn_closing(learnt, kind, tags, seed=seed)
        choose_biases(closing, examples[::HELD_OUT], settings.keep_open)
        closings.append(closing)
    return SentenceParser(grammar, boundaries, closings, **settings.search)


def mark_examples(parser: SentenceParser, trees: Sequence[Tree], kind: str) -> list[Example]:
    """Make examples for closings of a kind from prepared trees that are not too long, with the parser that they are
    for."""
    examples: list[Example] = []
    for tree in trees:
        words = tree.leaves()
        if len(words) > parser.settings["max_words"]:
            continue
        if kind != "widths":
            examples.append((words, mark_cells(tree.spans(), len(words), kind)))
        elif (ranks := parser.rank_edges(words)) is not None:
            examples.append((words, mark_ranks(ranks)))
    return examples
