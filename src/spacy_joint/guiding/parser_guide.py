"""`parser_guide`: what an encoder thinks of boundaries, heads and labels, each token by itself, as a spaCy component.

It writes no annotation but columns (annotation/custom_columns.py), which the templates of later components read: the
search of a `joint_sbd_parser` turns opinions into trees (stacking: Nivre & McDonald 2008, Martins et al. 2008). The
encoder is any `tok2vec`, also that of another component (`spacy.Tok2VecListener.v1`). Sentence boundaries are not
needed, and tags only if the encoder reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.tokens import Doc, Token
from spacy.training import Example

from ..annotation.custom_columns import GUIDE_BOUNDARY, GUIDE_HEAD, GUIDE_LABEL, GUIDE_MARGIN, write_column
from ..errors import Errors, JointValueError
from ..pipes.streaming import GUIDE_FACTS, MAX_DELAY, StreamingPipe, cut_into_pieces
from ..pipes.token_columns import find_reference_starts, find_whitespace, has_same_tokens
from .guidance import Guidance, GuidanceStream
from .guide_pipe import GuidePipe, cross_entropy_of_odds
from .heads import Scores
from .held_pieces import HeldPieces
from .vectors import find_encoder
from .windows import Window, cut_windows

# Boundaries are rare, and there is one decision per token, as there is one about its head and one about its label.
BOUNDARY_WEIGHT = 2.0
# A probability that has a logarithm.
SMALLEST = 1e-30


class Gold(NamedTuple):
    """What is right for the predicted tokens of an example.

    starts (np.ndarray): Whether they start a sentence (float32), and NaN if unknown.
    heads (np.ndarray): Their heads (intp); a root is its own head; -1 if unknown.
    labels (np.ndarray): The numbers of their labels (intp), -1 if unknown.
    """

    starts: np.ndarray
    heads: np.ndarray
    labels: np.ndarray


class ParserGuide(GuidePipe[Guidance], StreamingPipe):
    """Predicts boundaries, heads and labels, token by token."""

    def add_label(self, label: str) -> int:
        """Adds a label to those with which `initialize` sets up the component.

        label (str): The label.
        RETURNS (int): 1, or 0 if it has the label already.
        RAISES ValueError: If it is not a string (J075), or the component is already initialized (J070).
        """
        if not isinstance(label, str):
            raise JointValueError(Errors.J075, label=label)
        if label in self.labels:
            return 0
        if self.is_initialized:
            raise JointValueError(Errors.J070, name=self.name, label=label)
        self.cfg["labels"] = [*self.labels, label]
        self.vocab.strings.add(label)
        return 1

    # Prediction.

    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[Guidance]) -> None:
        """Writes the predictions of `predict` as columns, with missing values for whitespace."""
        for doc, (boundaries, heads, margins, labels) in zip(docs, scores, strict=True):
            is_space = find_whitespace(doc)
            offsets = (heads - np.arange(len(doc))).astype(np.float32)
            for name, values in (
                (GUIDE_BOUNDARY, boundaries),
                (GUIDE_HEAD, offsets),
                (GUIDE_MARGIN, margins),
            ):
                column = np.array(values, dtype=np.float32)
                column[is_space] = np.nan
                write_column(doc, name, column)
            names = [self.cfg["labels"][label] for label in labels.tolist()]
            for token in np.flatnonzero(is_space).tolist():
                names[token] = ""
            write_column(doc, GUIDE_LABEL, names)

    def stream(self, tokens: Iterable[Doc | Token], *, max_delay: int | None = MAX_DELAY) -> Iterator[Doc]:
        """Predicts for a streamed document in bounded memory.

        A token waits for the windows in which it and the tokens around it are most central, so that its columns are
        those of a call on the whole document: see docs/parser_guide.md.

        tokens (Iterable[Doc | Token]): The document in pieces, or token by token.
        max_delay (int | None): Has no effect, since windows are as long as they are.
        YIELDS (Doc): The pieces with columns, and single tokens in pieces.
        RAISES ValueError: If the component has been neither trained nor loaded (J623), its encoder may see more than
            windows (J660), or tokens of a piece are merged or split while it waits (J649).
        """
        self._check_is_initialized()
        window, stride = self.model.attrs["window"], self.model.attrs["stride"]
        encoder = find_encoder(self.model.get_ref("tok2vec"), window, stride)
        if encoder is None:
            raise JointValueError(Errors.J660, name=self.name)
        stream, held = GuidanceStream(self.model, encoder), HeldPieces(window)

        def finish(guidance: Guidance, n_settled: int) -> Iterator[Doc]:
            for piece, of_piece, facts in held.take(guidance, n_settled):
                self.set_annotations([piece], [of_piece])
                GUIDE_FACTS[piece] = facts
                yield piece

        for piece in filter(len, cut_into_pieces(tokens, self.vocab)):
            held.add(piece)
            yield from finish(stream.feed(piece), stream.n_settled)
        yield from finish(stream.end(), held.end)

    # Training.

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """The labels of the references, and those that have been added.

        RAISES ValueError: If there are none (J624).
        """
        found = {token.dep_ for example in examples for token in example.reference if token.dep}
        if not (labels := sorted(found.union(self.labels))):
            raise JointValueError(Errors.J624, name=self.name)
        return labels

    def learn(self, vectors: list[Any], examples: list[Example]) -> tuple[float, list[Any]]:
        """Adds to the gradients of `heads`.

        vectors (list): The vectors of the tokens of each example.
        RETURNS (tuple): The mean cross-entropy per token, and the gradients of the vectors.
        """
        golds = [self._read_gold(example) for example in examples]
        # As in `with_windows`, they do not overlap in training.
        window = self.model.attrs["window"]
        windows = [cut_windows(len(rows), window, window) for rows in vectors]
        heads = [np.where(gold.heads == np.arange(len(gold.heads)), 0, gold.heads + 1) for gold in golds]
        scores, backprop = self.model.get_ref("heads").begin_update(list(zip(vectors, windows, heads, strict=True)))
        n = sum(map(len, vectors))
        found = [self._find_loss(*of, n) for of in zip(scores, golds, windows, strict=True)]
        return sum(loss for loss, _ in found), backprop([gradient for _, gradient in found])

    def _read_gold(self, example: Example) -> Gold:
        n = len(example.predicted)
        numbers = {label: number for number, label in enumerate(self.cfg["labels"])}
        starts = find_reference_starts(example)
        if has_same_tokens(example):
            reference = example.reference
            attributes = reference.to_array([HEAD, DEP]).reshape(n, 2)
            known = attributes[:, 1] != 0
            heads = np.where(known, np.arange(n) + attributes[:, 0].astype(np.int64), -1)
            names = {int(dep): reference.vocab.strings[dep] for dep in np.unique(attributes[known, 1]).tolist()}
            labels = [numbers.get(names.get(dep, ""), -1) for dep in attributes[:, 1].tolist()]
        else:
            aligned, names_ = example.get_aligned_parse(projectivize=False)
            heads = np.array([-1 if head is None else head for head in aligned], dtype=np.int64)
            labels = [-1 if name is None else numbers.get(name, -1) for name in names_]
        is_space = find_whitespace(example.predicted)
        heads[is_space] = -1
        known_starts = np.full(n, np.nan, np.float32) if starts is None else starts.astype(np.float32)
        known_starts[is_space] = np.nan
        return Gold(known_starts, heads, np.where(heads < 0, -1, np.array(labels, dtype=np.intp)))

    def _find_loss(self, scores: Scores, gold: Gold, windows: list[Window], n: int) -> tuple[float, Scores]:
        """The sum of cross-entropies of the tokens of a document, divided by n, and its gradient."""
        ops: Any = self.model.ops
        loss, d_boundaries = cross_entropy_of_odds(ops, scores.boundaries, gold.starts)
        loss, d_boundaries = BOUNDARY_WEIGHT * loss, BOUNDARY_WEIGHT * d_boundaries
        d_arcs = []
        for arcs, window in zip(scores.arcs, windows, strict=True):
            arc_loss, gradient = _cross_entropy(ops, arcs, _place_heads(gold.heads, window))
            loss += arc_loss
            d_arcs.append(gradient / n)
        label_loss, d_labels = _cross_entropy(ops, scores.labels, gold.labels)
        return (loss + label_loss) / n, Scores(d_boundaries / n, d_arcs, scores.heads, d_labels / n)

    def _check(self) -> None:
        """RAISES ValueError: If the windows are invalid (J621)."""
        super()._check()
        cut_windows(0, self.model.attrs["window"], self.model.attrs["stride"])


def _place_heads(heads: np.ndarray, window: Window) -> np.ndarray:
    """The columns of `Scores.arcs` with the heads of the tokens of a window; -1 if they are unknown or outside."""
    heads, tokens = heads[window.first : window.last], np.arange(window.first, window.last)
    inside = (heads >= window.start) & (heads < window.end)
    return np.where(heads == tokens, 0, np.where(inside, heads - window.start + 1, -1))


def _cross_entropy(ops: Any, scores: Any, right: np.ndarray) -> tuple[float, Any]:
    """The cross-entropy of rows of scores, summed over those with a right answer (not -1), and its gradient."""
    gradient = ops.xp.zeros_like(scores)
    rows = np.flatnonzero(right >= 0)
    if not len(rows):
        return 0.0, gradient
    probabilities = ops.softmax(scores[rows])
    places = np.arange(len(rows)), right[rows]
    loss = -float(ops.xp.log(ops.xp.maximum(probabilities[places], SMALLEST)).sum())
    probabilities[places] -= 1.0
    gradient[rows] = probabilities
    return loss, gradient
