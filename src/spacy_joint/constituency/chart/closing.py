"""Which cells of a chart stay closed, and how wide the beam of the others is, told before parsing.

One of three things about cells is learnt (Bodenstab, Dunlop, Hall & Roark 2011). Closed cells are passed over; all
cells of one word, and that of the whole sentence, are open.

- "constituents": whether a constituent is there. If not, the cell is only for symbols of binarisation, and only if a
  larger open cell with the same end (with left branching: the same beginning) can use them.
- "complete": whether any symbol of the binarised tree is there. If not, the cell is closed.
- "widths": how many edges of the cell have to be taken from its agenda until that of the tree is: none, 1, 2, up to 4,
  or as many as the parser takes by default. It is learnt from trees that the parser finds, so that any text will do.

All of them, and chart constraints (see constraints.py), become arrays of widths, as `ChartParser.parse` takes them.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import srsly

from ...annotation.constituency_trees import Tree, take_apart
from ...errors import Errors, JointValueError
from .cells import CellClassifier
from .estimation import BRANCHING
from .grammar import is_factored
from .lexicon import list_classes

# Of cells, besides numbers of edges.
CLOSED, DEFAULT, FACTORED_ONLY = 0, -1, -2
# What each class means as a width.
KINDS = {"constituents": (FACTORED_ONLY, DEFAULT), "complete": (CLOSED, DEFAULT), "widths": (0, 1, 2, 4, DEFAULT)}
# What it costs to close a cell that should be open, where the opposite costs 1.
COST = 30.0
PASSES = 4
# Words that occur at most so often tell the tags of unknown ones, in classes of at least so many of their occurrences.
RARE = 5
LEAST = 10

Node: TypeAlias = tuple[str, int, int]
"""A symbol, and its first and second child, as of `ChartParser.parse`."""
Example: TypeAlias = tuple[Sequence[str], np.ndarray]
"""The words of a sentence, and the class of each cell."""


def find_spans(nodes: Sequence[Node], n_words: int) -> list[tuple[str, int, int]]:
    """The symbol, the first word, and the word after the last one of each node of a tree."""
    spans = [("", word, word + 1) for word in range(n_words)]
    for symbol, left, right in nodes:
        spans.append((symbol, spans[left][1], spans[left if right < 0 else right][2]))
    return spans[n_words:]


def list_nodes(tree: Tree) -> list[Node]:
    """The nodes of a binarised tree, except tags, as `ChartParser.parse` gives them."""
    nodes, parents = take_apart(tree)
    children: list[list[int]] = [[] for _ in nodes]
    numbers = [-1] * len(nodes)
    words = [place for place, node in enumerate(nodes) if node.is_preterminal]
    for number, place in enumerate(words):
        numbers[place] = number
    made: list[Node] = []
    for place in range(len(nodes) - 1, -1, -1):
        if not nodes[place].is_preterminal:
            first, second = [numbers[child] for child in reversed(children[place])] + [-1] * (2 - len(children[place]))
            numbers[place] = len(words) + len(made)
            made.append((nodes[place].label, first, second))
        if place:
            children[parents[place]].append(place)
    return made


def mark_cells(nodes: Sequence[Node], n_words: int, kind: str) -> np.ndarray:
    """The classes of the cells of a tree (int32, n x n + 1), for "constituents" or "complete"."""
    classes = np.zeros((n_words, n_words + 1), dtype=np.int32)
    for symbol, start, end in find_spans(nodes, n_words):
        if kind == "complete" or not is_factored(symbol):
            classes[start, end] = 1
    return classes


def mark_ranks(ranks: np.ndarray) -> np.ndarray:
    """The classes of cells for "widths" (int32, n x n + 1).

    ranks (np.ndarray): How many edges of each cell are taken until that of the tree is; 0: the tree has none there.
    """
    return np.searchsorted(KINDS["widths"][:-1], ranks).astype(np.int32)


def to_widths(classes: np.ndarray, kind: str, branching: str = "right") -> np.ndarray:
    """The widths of the classes of cells (int32, n x n + 1).

    kind: "constituents", "complete" or "widths".
    branching: That of the grammar, "right" or "left".
    """
    widths = np.array(KINDS[kind], dtype=np.int32)[classes]
    if kind == "constituents":
        lengths = np.arange(widths.shape[1]) - np.arange(len(widths))[:, None]
        is_open = (classes > 0) & (lengths > 1)
        # Whether an open cell begins before this one and ends with it, or begins with it and ends after it.
        if branching == "right":
            is_useful = np.cumsum(is_open, axis=0) - is_open > 0
        else:
            is_useful = np.cumsum(is_open[:, ::-1], axis=1)[:, ::-1] - is_open > 0
        widths[(widths == FACTORED_ONLY) & ~is_useful] = CLOSED
    return widths


class Closing:
    """Tells widths of cells by one classifier.

    kind (str): "constituents", "complete" or "widths".
    classifier (CellClassifier): Gives cells the classes of this kind.
    branching (str): That of the grammar, "right" or "left".
    RAISES ValueError: If the kind or the branching is unknown, or the classifier of another kind (J695).
    """

    def __init__(self, kind: str, classifier: CellClassifier, branching: str = "right") -> None:
        if branching not in BRANCHING or len(KINDS.get(kind, ())) != classifier.n_classes:
            raise JointValueError(Errors.J695, kind=kind, branching=branching, n=classifier.n_classes)
        self.kind, self.classifier, self.branching = kind, classifier, branching

    def predict(self, words: Sequence[str]) -> np.ndarray:
        """The widths of the cells of a sentence (int32, n x n + 1).

        RAISES ValueError: If it has too many words (J691).
        """
        return to_widths(self.classifier.predict(words), self.kind, self.branching)

    def to_bytes(self) -> bytes:
        """The closing as bytes."""
        cells = self.classifier.to_bytes()
        return srsly.msgpack_dumps({"kind": self.kind, "branching": self.branching, "cells": cells})

    @classmethod
    def from_bytes(cls, data: bytes) -> Closing:
        """Read a closing.

        RAISES ValueError: If the bytes are none (J696), or as above and as `CellClassifier.from_bytes`.
        """
        try:
            read = srsly.msgpack_loads(data)
            return cls(read["kind"], CellClassifier.from_bytes(read["cells"]), read["branching"])
        except JointValueError:
            raise
        except Exception as error:
            raise JointValueError(Errors.J696) from error


def combine(*widths: np.ndarray) -> np.ndarray:
    """The narrowest width of each cell (int32), of at least one array of widths.

    Numbers of edges are taken for narrower than any number of factored symbols.
    """
    most = np.iinfo(np.int32).max
    order = np.array([most - 1, most], dtype=np.int32)
    narrowest = np.minimum.reduce([np.where(array < 0, order[np.minimum(array, -1) + 2], array) for array in widths])
    narrowest[narrowest == most] = DEFAULT
    narrowest[narrowest == most - 1] = FACTORED_ONLY
    return narrowest


def find_frequent_tags(trees: Iterable[Tree]) -> dict[str, str]:
    """The most frequent tag of each word, and of each class of rare words, whose names follow a space."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for tree in trees:
        for node in tree.preterminals():
            counts["".join((node.word or "").split())][node.label] += 1
    for word, tags in list(counts.items()):
        if tags.total() <= RARE:
            for name in list_classes(word):
                counts[f" {name}"].update(tags)
    return {
        key: min(tags, key=lambda tag, tags=tags: (-tags[tag], tag))  # type: ignore[misc]
        for key, tags in sorted(counts.items())
        if not key.startswith(" ") or tags.total() >= LEAST
    }


def learn_closing(
    examples: Sequence[Example],
    kind: str,
    tags: Mapping[str, str],
    *,
    branching: str = "right",
    cost: float = COST,
    passes: int = PASSES,
    table_bits: int = 18,
    seed: int = 0,
) -> Closing:
    """Learn to close cells. Afterwards, `choose_biases` says how many.

    kind: "constituents", "complete" or "widths", of which the classes are.
    tags: See `CellClassifier`.
    branching: That of the grammar.
    cost: What it costs to close a cell that should be open; to leave one open costs 1.
    RAISES ValueError: If the kind is unknown (J695), or as `CellClassifier`.
    """
    classifier = CellClassifier(len(KINDS.get(kind, "  ")), tags, table_bits)
    closing = Closing(kind, classifier, branching)
    shuffled, rng = list(examples), random.Random(seed)
    for _ in range(passes):
        rng.shuffle(shuffled)
        for words, classes in shuffled:
            classifier.learn(words, classes, cost)
    classifier.finish()
    return closing


def choose_biases(closing: Closing, examples: Iterable[Example], keep: float) -> None:
    """Set biases so that each output is above 0 for a share of the cells where it should be.

    examples: Of development data, not of what was learnt from.
    keep: The share, above 0 and at most 1.
    RAISES ValueError: If it is none (J697).
    """
    if not 0 < keep <= 1:
        raise JointValueError(Errors.J697, keep=keep)
    classifier = closing.classifier
    n_outputs = classifier.n_classes - 1
    classifier.set_biases(np.zeros(n_outputs))
    found: list[list[np.ndarray]] = [[] for _ in range(n_outputs)]
    for words, classes in examples:
        scores = classifier.score(words)
        n = len(words)
        for output in range(n_outputs):
            # The cells that are open anyhow do not count.
            is_counted = (classes > output) & np.isfinite(scores[output])
            is_counted[0, n:] = False
            found[output].append(scores[output][is_counted])
    biases = []
    for lists in found:
        scores = np.sort(np.concatenate([*lists, np.zeros(0, np.float32)]))
        lost = min(int((1 - keep) * len(scores)), len(scores) - 1)
        # Just above 0 for the lowest score that is to stay.
        biases.append(1e-3 - scores[lost] if len(scores) else 0.0)
    classifier.set_biases(biases)
