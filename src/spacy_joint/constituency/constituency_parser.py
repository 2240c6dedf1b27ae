"""`constituency_parser`: whole phrase structure of sentences, continuous or discontinuous, as a spaCy component.

The transition system has gaps, after Coavoux & Crabbe (2017). Each sentence is a search of its own. The document should
have sentence boundaries, and part-of-speech tags, which the features read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.constituency_trees import ROOT, Tree, assemble, take_apart
from ..annotation.constituents import CONSTITUENTS, get_tree, register_extensions, set_trees
from ..engine.learner import Instance
from ..engine.templates import Templates
from ..errors import Errors, JointValueError
from ..pipes.structured_pipe import StructuredPipe
from ..pipes.token_columns import has_same_tokens, read_starts
from .binary_trees import to_nodes, to_tree
from .gap_system import GapSystem, name_actions
from .heads import load_head_rules
from .transform import TEMPORARY

SENTENCE_START = 1


class Parsed(NamedTuple):
    """The binarised trees of a document: see `GapSystem.build`."""

    tokens: np.ndarray
    trees: list[list[tuple[str, int, int]]]
    sizes: list[int]


class ConstituencyParser(StructuredPipe[Parsed]):
    """Parses sentences into constituents."""

    default_templates = Path(__file__).parent / "gap_templates.txt"

    def __init__(self, *args: Any, head_rules: str, **settings: Any) -> None:
        self.head_rules = load_head_rules(head_rules)
        register_extensions()
        super().__init__(*args, head_rules=head_rules, **settings)
        self._columns_read: tuple[str, ...] = ()

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, Any]:
        """The labels of unary constituents, and those of binary ones with the sides of their heads."""
        names: set[tuple[str, ...]] = set()
        for example in examples:
            for tree in self._read_trees(example):
                names.update(name_actions(len(tree.preterminals()), to_nodes(tree, self.head_rules)) or ())
        return {
            "unary": sorted(name[1] for name in names if name[0] == "UNARY" and name[1] != ROOT),
            "binary": sorted([name[1], name[2]] for name in names if name[0] == "BINARY"),
        }

    def flatten_labels(self, labels: dict[str, Any]) -> tuple[str, ...]:
        """The labels of constituents, sorted."""
        chains = [*labels["unary"], *(label.lstrip(TEMPORARY) for label, _ in labels["binary"])]
        return tuple(sorted({label for chain in chains for label in chain.split("::")}))

    def make_system(self, labels: dict[str, Any]) -> GapSystem:
        """The transition system with these labels."""
        tag = self._columns_read.index("tag") if "tag" in self._columns_read else -1
        return GapSystem(labels["unary"], labels["binary"], ROOT, tag)

    def _set_up(self, labels: Any, templates: str) -> None:
        # The system itself reads tags, if they are among the columns that the templates use.
        self._columns_read = Templates(templates, self.columns, self.make_system(labels)).columns
        super()._set_up(labels, templates)

    def _read_trees(self, example: Example) -> Iterator[Tree]:
        """The trees of the reference, one per sentence, over tokens that are not whitespace."""
        if CONSTITUENTS not in example.reference.spans or not has_same_tokens(example):
            return
        for sentence in example.reference.sents:
            nodes, parents = take_apart(get_tree(sentence))
            kept = [place for place, node in enumerate(nodes) if not (node.word or "_").isspace()]
            places = {place: number for number, place in enumerate(kept)}
            tree = assemble([nodes[place] for place in kept], [places.get(parents[place], -1) for place in kept])
            if tree is not None:
                yield tree

    def make_instances(self, example: Example) -> list[Instance]:
        """The actions that build each sentence of the reference."""
        trees = list(self._read_trees(example))
        if not trees:
            return []
        starts = read_starts(example.reference)
        columns, _ = self.get_columns(example.predicted, (starts == 1).astype(np.int8))
        instances = []
        for part, tree in zip(columns.split(SENTENCE_START), trees, strict=True):
            actions = self.perceptron.system.actions(len(part), to_nodes(tree, self.head_rules))
            if actions is not None:
                instances.append(Instance(part, actions))
        return instances

    def make_instance(self, example: Example) -> Instance | None:
        raise NotImplementedError

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """The starts of sentences (int8, one per token)."""
        return (read_starts(doc) == 1).astype(np.int8)

    def predict_doc(self, doc: Doc) -> Parsed:
        """The trees of a document."""
        columns, tokens = self.get_columns(doc, self.get_constraints(doc))
        parts = columns.split(SENTENCE_START) if len(tokens) else []
        system = self.perceptron.system
        return Parsed(tokens, [system.build(self.search(part), len(part)) for part in parts], list(map(len, parts)))

    def read(self, tokens: np.ndarray, actions: np.ndarray) -> Parsed:
        raise NotImplementedError

    def annotate(self, doc: Doc, prediction: Parsed) -> None:
        """Writes constituents."""
        tokens = prediction.tokens.tolist()
        first, trees = 0, []
        for nodes, size in zip(prediction.trees, prediction.sizes, strict=True):
            words = [Tree("", word="_") for token in tokens[first : first + size]]
            trees.append(to_tree(nodes, words))
            first += size
        set_trees(doc, trees, tokens)
