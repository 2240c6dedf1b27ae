"""What a guide thinks of documents, given their vectors: of whole ones, and of one that arrives in parts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from .heads import Scores
from .vectors import WINDOWS, Encoder, VectorStream, cut_document
from .windows import Window, WindowStream, cut_windows


class Guidance(NamedTuple):
    """What a guide thinks of the tokens of a document.

    boundaries (np.ndarray): The log-odds of a sentence start (float32).
    heads (np.ndarray): The best heads (intp); a root is its own head.
    margins (np.ndarray): By how much the score of the best head exceeds that of the next (float32).
    labels (np.ndarray): The numbers of the best labels of these arcs (intp).
    """

    boundaries: np.ndarray
    heads: np.ndarray
    margins: np.ndarray
    labels: np.ndarray


NOTHING = Guidance(*(np.zeros(0, dtype) for dtype in (np.float32, np.intp, np.float32, np.intp)))


def join(parts: list[Guidance]) -> Guidance:
    """The guidance of consecutive tokens."""
    return Guidance(*map(np.concatenate, zip(*parts, strict=True)))


class GuidanceStream:
    """What a guide thinks of a document that arrives in parts: what it thinks of the whole document.

    It thinks of a token as soon as there are the windows that it depends on: the one that the token is taken from, and
    those that the vectors of the tokens in it are taken from.

    model (Model): The model of the guide.
    encoder (Encoder): Its encoder.
    """

    def __init__(self, model: Model, encoder: Encoder) -> None:
        self.model = model
        self.vectors = VectorStream(encoder)
        self.windows = WindowStream(model.attrs["window"], model.attrs["stride"])

    @property
    def n_settled(self) -> int:
        """The number of tokens that cannot be heads of tokens that have no guidance yet (int)."""
        return self.windows.start

    def feed(self, doc: Doc) -> Guidance:
        """Adds tokens; returns the guidance of the next ones for which it cannot change. Heads are numbers of tokens in
        the whole document."""
        found = [NOTHING]
        for part in cut_document(doc, WINDOWS * self.windows.stride):
            found.append(self._find(self.windows.feed(self.vectors.feed(part))))
        return join(found)

    def end(self) -> Guidance:
        """The guidance of the last tokens."""
        return self._find(self.windows.feed(self.vectors.end()) + self.windows.end())

    def _find(self, windows: list[tuple[Window, Any]]) -> Guidance:
        if not windows:
            return NOTHING
        found = find_best(self.model, [vectors for _, vectors in windows])
        return join([_take(guidance, window) for guidance, (window, _) in zip(found, windows, strict=True)])


def _take(guidance: Guidance, window: Window) -> Guidance:
    """What is taken from a window, with heads as numbered in the document."""
    taken = guidance._replace(heads=guidance.heads + window.start)
    return Guidance(*(values[window.first - window.start : window.last - window.start] for values in taken))


def find_best(model: Model, documents: list[Floats2d]) -> list[Guidance]:
    """The best predictions for the tokens of documents, given their vectors."""
    window, stride = model.attrs["window"], model.attrs["stride"]
    given = [(vectors, cut_windows(len(vectors), window, stride), None) for vectors in documents]
    return [
        _choose(model.ops, scores, windows)
        for scores, (_, windows, _) in zip(model.get_ref("heads").predict(given), given, strict=True)
    ]


def _choose(ops: Any, scores: Scores, windows: list[Window]) -> Guidance:
    heads = scores.heads
    margins = []
    for arcs, window in zip(scores.arcs, windows, strict=True):
        columns = np.maximum(heads[window.first : window.last] - window.start, 0)
        margins.append(_find_margins(ops.to_numpy(arcs), columns))
    return Guidance(
        ops.to_numpy(scores.boundaries),
        np.where(heads > 0, heads - 1, np.arange(len(heads))),
        np.concatenate(margins),
        ops.to_numpy(scores.labels).argmax(axis=1),
    )


def _find_margins(scores: np.ndarray, best: np.ndarray) -> np.ndarray:
    """By how much the best score of each row exceeds the next; the best ones are overwritten."""
    rows = np.arange(len(scores))
    highest = scores[rows, best]
    scores[rows, best] = -np.inf
    return highest - scores.max(axis=1)
