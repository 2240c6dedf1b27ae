"""Predictions of a parser guide from the vectors of whole documents, or of a document that arrives in parts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model, get_array_module
from thinc.types import Floats2d

from ..annotation.custom_columns import GUIDE_INFO, write_column
from ..errors import Errors, JointValueError
from ..pipes.guide_columns import find_guide_info
from ..pipes.token_columns import find_whitespace
from .vectors import WINDOWS, Encoder, VectorStream, cut_document
from .windows import Window, WindowStream, cut_windows


class Guidance(NamedTuple):
    """The predictions for tokens: the log-odds of a sentence start, the best head (a root is its own head), the margin
    of its score over the second best, the number of the best label of this arc, and that of the best tag (-1: none)."""

    boundaries: np.ndarray
    heads: np.ndarray
    margins: np.ndarray
    labels: np.ndarray
    tags: np.ndarray

    def cut(self, start: int, end: int, shift: int = 0) -> Guidance:
        """Returns the guidance of tokens `start` to `end` - 1, with `shift` added to the heads."""
        boundaries, heads, *others = (values[start:end] for values in self)
        return Guidance(boundaries, heads + shift, *others)


EMPTY = Guidance(*(np.zeros(0, dtype) for dtype in (np.float32, np.intp, np.float32, np.intp, np.intp)))


def join(parts: list[Guidance]) -> Guidance:
    """Joins the guidance of consecutive tokens."""
    return Guidance(*map(np.concatenate, zip(*parts, strict=True)))


class GuidanceStream:
    """Predicts for a document that arrives in parts, with the same result as for the whole document. A token waits
    until its window is complete, and the windows from which the vectors in its window are taken."""

    def __init__(self, model: Model, encoder: Encoder) -> None:
        self.model = model
        self.vectors = VectorStream(encoder)
        self.windows = WindowStream(model.attrs["window"], model.attrs["stride"])

    @property
    def n_settled(self) -> int:
        """The number of first tokens that cannot be heads of tokens without guidance (int)."""
        return self.windows.start

    def feed(self, doc: Doc) -> Guidance:
        """Adds tokens; returns the guidance that becomes final, with heads in the whole document."""
        parts = cut_document(doc, WINDOWS * self.windows.stride)
        return join([EMPTY, *(self._find(self.windows.feed(self.vectors.feed(part))) for part in parts)])

    def end(self) -> Guidance:
        """Ends the document; returns the guidance of the last tokens."""
        return self._find(self.windows.feed(self.vectors.end()) + self.windows.end())

    def _find(self, windows: list[tuple[Window, Any]]) -> Guidance:
        found = find_best(self.model, [vectors for _, vectors in windows]) if windows else []
        taken = [
            guidance.cut(first - start, last - start, start)
            for guidance, ((start, _, first, last), _) in zip(found, windows, strict=True)
        ]
        return join([EMPTY, *taken])


class LowLatencyStream:
    """Predicts for a document that arrives in parts, with limited latency: a token gets its guidance when about
    `latency` tokens have followed it, at least half as many. Windows end at the last token that has arrived."""

    def __init__(self, model: Model, encoder: Encoder, latency: int) -> None:
        self.model = model
        self.encoder = encoder
        self.size = model.attrs["window"]
        self.latency = latency
        # The preliminary guidance of the tokens whose guidance is not final.
        self.draft = EMPTY
        # The numbers of tokens that have arrived, and of those with final guidance.
        self.n = self.n_settled = 0
        # The kept rows, the first row of each kept token (-1 if it has none), and the first kept token.
        self.rows: Any = None
        self.firsts = np.zeros(0, dtype=np.intp)
        self.start = 0

    def feed(self, doc: Doc) -> Guidance:
        """Adds tokens; returns the guidance that becomes final, with heads in the whole document."""
        found = [EMPTY]
        # Long parts are read in steps of half a window.
        for part in cut_document(doc, max(self.size // 2, 1)):
            self._add(part)
            if self.n - self.n_settled >= self.latency:
                found.append(self._find(self.n - self.latency // 2))
        return join(found)

    def end(self) -> Guidance:
        """Ends the document; returns the guidance of the last tokens."""
        return self._find(self.n) if self.n > self.n_settled else EMPTY

    def _add(self, doc: Doc) -> None:
        rows, firsts = self.encoder.read(doc)
        if self.rows is not None:
            firsts = np.where(firsts < 0, -1, firsts + len(self.rows))
            rows = get_array_module(rows).concatenate([self.rows, rows])
        self.firsts = np.concatenate([self.firsts, firsts])
        self.n += len(doc)
        # Tokens and rows before the window are dropped.
        first_row = len(rows) - self.encoder.windows.attrs["size"]
        before = int(np.searchsorted(np.maximum.accumulate(self.firsts), first_row))
        n_dropped = min(max(before, len(self.firsts) - self.size), self.n_settled - self.start)
        self.firsts = self.firsts[n_dropped:]
        self.start += n_dropped
        n_rows = int(self.firsts[self.firsts >= 0].min(initial=len(rows)))
        self.rows = rows[n_rows:]
        self.firsts = np.where(self.firsts < 0, -1, self.firsts - n_rows)

    def _find(self, end: int) -> Guidance:
        layer = self.encoder.windows
        vectors: Any = layer.ops.alloc2f(len(self.firsts), layer.get_dim("nO"))
        tokens = np.flatnonzero(self.firsts >= 0)
        if len(tokens):
            vectors[tokens] = layer.predict([self.rows])[0][self.firsts[tokens]]
        (found,) = find_best(self.model, [vectors])
        begin, self.n_settled = self.n_settled, end
        self.draft = found.cut(end - self.start, len(self.firsts), self.start)
        return found.cut(begin - self.start, end - self.start, self.start)


class StreamBuffer:
    """Holds the pieces of a stream that lack guidance, or may contain heads (within a window) of tokens without it."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.pieces: deque[tuple[Doc, int]] = deque()  # with the number of their tokens
        # The first held token, and the first token in the arrays, which include earlier heads of held tokens.
        self.first = self.begin = 0
        self.are_space = np.zeros(0, dtype=bool)
        self.guidance = EMPTY

    def add(self, piece: Doc) -> None:
        """Holds a piece."""
        self.pieces.append((piece, len(piece)))
        self.are_space = np.append(self.are_space, find_whitespace(piece))

    def release(self, guidance: Guidance, n_settled: float, draft: Guidance = EMPTY) -> Iterator[tuple[Doc, Guidance]]:
        """Adds the guidance of the next tokens; yields the pieces that need not be held any longer, with the info of
        their words as a column, and their guidance. The first `n_settled` tokens are not heads of tokens without
        guidance, except by `draft`, the preliminary guidance of the tokens after them.

        RAISES ValueError: If a piece has another number of tokens than when it was added (J649).
        """
        self.guidance = join([self.guidance, guidance])
        if not self.pieces or self.first + self.pieces[0][1] > n_settled:
            return
        n_known = len(self.guidance.heads)
        offsets = np.full(len(self.are_space), np.nan)
        heads = np.concatenate([self.guidance.heads, draft.heads])
        offsets[: len(heads)] = heads - np.arange(self.begin, self.begin + len(heads))
        words = np.flatnonzero(~self.are_space)
        info = np.zeros((len(offsets), 2), dtype=np.int32)
        info[words] = find_guide_info(offsets, words)
        while self.pieces and self.first + self.pieces[0][1] <= n_settled:
            piece, n_tokens = self.pieces.popleft()
            if len(piece) != n_tokens:
                raise JointValueError(Errors.J649, n_tokens=n_tokens, found=len(piece))
            start = self.first - self.begin
            write_column(piece, GUIDE_INFO, info[start : start + n_tokens])
            piece_guidance = self.guidance.cut(start, start + n_tokens, -self.first)
            self.first += n_tokens
            yield piece, piece_guidance
        n = max(self.first - self.window - self.begin, 0)
        self.begin += n
        self.are_space = self.are_space[n:]
        self.guidance = self.guidance.cut(n, n_known)


def find_best(model: Model, documents: list[Floats2d]) -> list[Guidance]:
    """Finds the best predictions for the tokens of documents, given their vectors."""
    window, stride = model.attrs["window"], model.attrs["stride"]
    given = [(vectors, cut_windows(len(vectors), window, stride), None) for vectors in documents]
    to_numpy, found = model.ops.to_numpy, []
    for scores, (_, windows, _) in zip(model.get_ref("heads").predict(given), given, strict=True):
        heads, margins = scores.heads, []
        for arcs_, (start, _, first, last) in zip(scores.arcs, windows, strict=True):
            # The margin of the best score of each row over the second best.
            arcs = to_numpy(arcs_)
            best = np.arange(len(arcs)), np.maximum(heads[first:last] - start, 0)
            highest = arcs[best]
            arcs[best] = -np.inf
            margins.append(highest - arcs.max(axis=1))
        own = np.where(heads > 0, heads - 1, np.arange(len(heads)))
        labels = to_numpy(scores.labels).argmax(axis=1)
        tags = np.full_like(labels, -1) if scores.tags is None else to_numpy(scores.tags).argmax(axis=1)
        found.append(Guidance(to_numpy(scores.boundaries), own, np.concatenate(margins), labels, tags))
    return found
