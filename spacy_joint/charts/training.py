"""Makes a parser of sentences from trees: its grammar, its boundary model, and the closings of its charts."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..trees.constituency_trees import Tree, rewrite
from .boundaries import estimate_boundaries
from .closing import Closing, Example, choose_biases, find_frequent_tags, learn_closing, mark_cells, mark_ranks
from .estimation import estimate_grammar, prepare
from .grammar import Grammar
from .sentence_parser import SentenceParser

# The settings of `prepare`, and those of `SentenceParser`.
ANNOTATION = ("horizontal", "parents", "tag_parents")
SEARCH = ("width", "max_span", "decoding", "max_words", "cut_long")
# The figure of merit that needs a boundary model.
BOUNDARY = "boundary"
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


def make_parser(
    trees: Sequence[Tree], settings: Mapping[str, Any], *, grammar: Grammar | None = None, seed: int = 0
) -> SentenceParser:
    """Make a parser with a grammar, by default that of the trees, by the settings of `make_chart_parser`; `closure` is
    a list. Closings learn from trees that are not too long."""
    if max_span := settings["max_span"]:
        trees = [hedge(tree, max_span) for tree in trees]
    annotation, search = ({key: settings[key] for key in keys} for keys in (ANNOTATION, SEARCH))
    if grammar is None:
        grammar = estimate_grammar(trees, **annotation, split_cycles=settings["split_cycles"], seed=seed)
    prepared = [prepare(tree, **annotation) for tree in trees]
    boundaries = estimate_boundaries(prepared, grammar) if settings["figure_of_merit"] == BOUNDARY else None
    parser = SentenceParser(grammar, boundaries, **search)
    tags = find_frequent_tags(trees)
    closings: list[Closing] = []
    for kind in settings["closure"]:
        examples = mark_examples(parser, prepared, kind)
        learnt = [example for number, example in enumerate(examples) if number % HELD_OUT]
        closing = learn_closing(learnt, kind, tags, seed=seed)
        choose_biases(closing, examples[::HELD_OUT], settings["keep_open"])
        closings.append(closing)
    return SentenceParser(grammar, boundaries, closings, **search)


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
