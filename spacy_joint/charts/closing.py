"""Predicts, before parsing, which cells of a chart stay closed, and how wide the beam of the others is.

A classifier learns one of three things (Bodenstab, Dunlop, Hall & Roark 2011). Cells of one word or the whole sentence
are always open.

- "constituents": whether a constituent is there. If not, the cell is only for symbols of binarisation, and only if a
  larger open cell with the same end can use them, since binarisation branches to the right.
- "complete": whether any symbol of the binarised tree is there. If not, the cell is closed.
- "widths": how many edges must be taken from the agenda of the cell to reach that of the tree: none, 1, 2, up to 4, or
  as many as the parser takes by default. It is learnt from trees that the parser finds, so any text can be used.

All of them become arrays of widths, as `ChartParser.parse` takes them.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import srsly
from typing_extensions import Self

from ..errors import Errors, JointValueError, report_damage
from ..trees.constituency_trees import Constituent, Tree
from .cells import CellClassifier
from .grammar import is_factored
from .lexicon import LEAST, RARE, list_classes

# Widths of cells, besides numbers of edges.
CLOSED, DEFAULT, FACTORED_ONLY = 0, -1, -2
# The width of each class.
KINDS = {"constituents": (FACTORED_ONLY, DEFAULT), "complete": (CLOSED, DEFAULT), "widths": (0, 1, 2, 4, DEFAULT)}
# The cost of closing a cell that should be open; the opposite costs 1.
COST = 30.0
PASSES = 4

Example: TypeAlias = tuple[Sequence[str], np.ndarray]
"""The words of a sentence, and the class of each cell."""


def mark_cells(spans: Iterable[Constituent], n_words: int, kind: str) -> np.ndarray:
    """Find the classes of the cells of a tree with these spans, for "constituents" or "complete" (int32, n x n + 1)."""
    classes = np.zeros((n_words, n_words + 1), dtype=np.int32)
    for symbol, start, end in spans:
        if kind == "complete" or not is_factored(symbol):
            classes[start, end] = 1
    return classes


def mark_ranks(ranks: np.ndarray) -> np.ndarray:
    """Find the classes of cells for "widths" (int32, n x n + 1), given the rank of the tree's edge in each; 0: none."""
    return np.searchsorted(KINDS["widths"][:-1], ranks).astype(np.int32)


def to_widths(classes: np.ndarray, kind: str) -> np.ndarray:
    """Convert the classes of cells to widths (int32, n x n + 1)."""
    widths = np.array(KINDS[kind], dtype=np.int32)[classes]
    if kind == "constituents":
        lengths = np.arange(widths.shape[1]) - np.arange(len(widths))[:, None]
        is_open = (classes > 0) & (lengths > 1)
        # Whether an open cell begins before this one and ends with it.
        is_useful = np.cumsum(is_open, axis=0) - is_open > 0
        widths[(widths == FACTORED_ONLY) & ~is_useful] = CLOSED
    return widths


class Closing:
    """Predicts widths of cells by a classifier. RAISES ValueError: If it does not fit the kind (J695)."""

    def __init__(self, kind: str, classifier: CellClassifier) -> None:
        if len(KINDS.get(kind, ())) != classifier.n_classes:
            raise JointValueError(Errors.J695, kind=kind, n=classifier.n_classes)
        self.kind, self.classifier = kind, classifier

    def predict(self, words: Sequence[str]) -> np.ndarray:
        """Predict the widths of cells (int32, n x n + 1). RAISES ValueError: If there are too many words (J002)."""
        return to_widths(self.classifier.predict(words), self.kind)

    def to_bytes(self) -> bytes:
        """Write the closing to bytes."""
        return srsly.msgpack_dumps({"kind": self.kind, "cells": self.classifier.to_bytes()})

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read a closing. RAISES ValueError: If the bytes are not a closing (J052, J695), or the classifier is damaged
        (J050 to J052)."""
        with report_damage("The closing of cells", "the content"):
            read = srsly.msgpack_loads(data)
            return cls(read["kind"], CellClassifier.from_bytes(read["cells"]))


def combine(*widths: np.ndarray) -> np.ndarray:
    """Choose the narrowest width of each cell (int32): numbers of edges come before FACTORED_ONLY, and this before
    DEFAULT."""
    # As unsigned numbers, -2 and -1 are the greatest.
    return np.minimum.reduce([array.astype(np.uint32) for array in widths]).astype(np.int32)


def find_frequent_tags(trees: Iterable[Tree]) -> dict[str, str]:
    """Find the most frequent tag of each word, and of each class of rare words, whose names follow a space."""
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
    cost: float = COST,
    passes: int = PASSES,
    table_bits: int = 18,
    seed: int = 0,
) -> Closing:
    """Learn to close cells; `choose_biases` then sets how many. `cost`: that of closing a cell that should be open."""
    classifier = CellClassifier(len(KINDS.get(kind, "  ")), tags, table_bits)
    closing = Closing(kind, classifier)
    shuffled, rng = list(examples), random.Random(seed)
    for _ in range(passes):
        rng.shuffle(shuffled)
        for words, classes in shuffled:
            classifier.learn(words, classes, cost)
    classifier.finish()
    return closing


def choose_biases(closing: Closing, examples: Iterable[Example], keep: float) -> None:
    """Set biases so that each output is above 0 for a share `keep` of the held-out cells where it should be."""
    classifier, biases = closing.classifier, []
    n_outputs = classifier.n_classes - 1
    classifier.set_biases(np.zeros(n_outputs))
    scored = [(classifier.score(words), classes) for words, classes in examples]
    for output in range(n_outputs):
        found = [np.zeros(0, np.float32)]
        for scores, classes in scored:
            # Cells that are always open do not count.
            is_counted = (classes > output) & np.isfinite(scores[output])
            is_counted[:1, -1] = False
            found.append(scores[output][is_counted])
        scores = np.sort(np.concatenate(found))
        lost = min(int((1 - keep) * len(scores)), len(scores) - 1)
        # Just above 0 for the lowest score to keep.
        biases.append(1e-3 - scores[lost] if len(scores) else 0.0)
    classifier.set_biases(biases)
