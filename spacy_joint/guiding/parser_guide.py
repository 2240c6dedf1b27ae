"""`parser_guide`: predicts boundaries, heads and labels from the vectors of an encoder, as a spaCy component. It writes
columns, which the templates of a `joint_sbd_parser` read: its search turns them into trees. It can set tags, too."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from typing import Any, NamedTuple

import numpy as np
from spacy.scorer import Scorer
from spacy.tokens import Doc, Token
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..annotation.custom_columns import GUIDE_BOUNDARY, GUIDE_HEAD, GUIDE_LABEL, GUIDE_MARGIN, write_column
from ..errors import Errors, JointValueError, check_range
from ..pipes.streaming import MAX_DELAY, PIECE, StreamingPipe, cut_into_pieces
from ..pipes.token_columns import SPACE_TAGS, find_reference_starts, find_whitespace, read_aligned
from .guidance import EMPTY, Guidance, GuidanceStream, LowLatencyStream, StreamBuffer
from .guide_pipe import GuidePipe, cross_entropy_of_odds
from .heads import Scores
from .vectors import find_encoder
from .windows import Window, cut_windows

# Boundaries are rare, but each token has a decision about them, as about its head and label.
BOUNDARY_WEIGHT = 2.0
# Probabilities are raised to this, since 0 has no logarithm.
SMALLEST = 1e-30


class Gold(NamedTuple):
    """The gold annotation of the predicted tokens of an example."""

    starts: np.ndarray  # whether they start a sentence (float32); NaN: unknown
    heads: np.ndarray  # a root is its own head; -1: unknown
    labels: np.ndarray  # their numbers; -1: unknown
    tags: np.ndarray  # their numbers; -1: unknown


def read_gold(example: Example, labels: Sequence[str], tags: Sequence[str]) -> Gold:
    """Reads the gold annotation of the predicted tokens of an example, given the labels and tags that are numbered.
    That of whitespace is unknown, except tags."""
    numbers, tag_numbers = ({name: number for number, name in enumerate(kind)} for kind in (labels, tags))
    aligned, names = example.get_aligned_parse(projectivize=False)
    pairs = zip(aligned, names, strict=True)
    heads = np.array([head if head is not None and name else -1 for head, name in pairs], dtype=np.int64)
    label_numbers = np.array([numbers.get(name, -1) for name in names], dtype=np.intp)
    starts = find_reference_starts(example)
    is_space = find_whitespace(example.predicted)
    heads[is_space] = -1
    known_starts = np.full(len(heads), np.nan, np.float32) if starts is None else starts.astype(np.float32)
    known_starts[is_space] = np.nan
    # Tags that the predicted side has, too, come from a tagger.
    if example.predicted.has_annotation("TAG"):
        tag_numbers = {}
    found = [tag_numbers.get(tag or "", -1) for tag in read_aligned(example, "TAG")]
    return Gold(known_starts, heads, np.where(heads < 0, -1, label_numbers), np.array(found, dtype=np.intp))


class ParserGuide(GuidePipe[Guidance], StreamingPipe):
    """Predicts boundaries, heads and labels, token by token."""

    model_name = "parser_guide"

    def __init__(self, vocab: Vocab, model: Model, name: str, *, latency: int | None = None, **settings: Any) -> None:
        super().__init__(vocab, model, name, **settings)
        if latency is not None:
            check_range("latency", latency, 1)
        self.latency = latency
        if self.tagger is not None:
            self.cfg["tags"] = []

    @property
    def tagger(self) -> Model | None:
        """The layer for tags; None if they are not predicted."""
        return self.model.get_ref("heads").maybe_get_ref("tags")

    # Prediction.

    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[Guidance]) -> None:
        """Writes the predictions of `predict` as columns, with missing values for whitespace, and as tags."""
        for doc, (boundaries, heads, margins, labels, tags) in zip(docs, scores, strict=True):
            is_space = find_whitespace(doc)
            offsets = (heads - np.arange(len(doc))).astype(np.float32)
            for name, values in ((GUIDE_BOUNDARY, boundaries), (GUIDE_HEAD, offsets), (GUIDE_MARGIN, margins)):
                column = np.array(values, dtype=np.float32)
                column[is_space] = np.nan
                write_column(doc, name, column)
            names = [self.cfg["labels"][label] for label in labels.tolist()]
            for token in np.flatnonzero(is_space).tolist():
                names[token] = ""
            write_column(doc, GUIDE_LABEL, names)
            if self.tagger is not None:
                ids = np.array([doc.vocab.strings.add(tag) for tag in self.cfg["tags"]], dtype=np.uint64)[tags]
                ids[is_space] = doc.vocab.strings.add(SPACE_TAGS["TAG"])
                doc.from_array(["TAG"], ids)

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Scores the columns, and tags, if they are predicted."""
        examples = list(examples)
        tags = {} if self.tagger is None else Scorer.score_token_attr(examples, "tag", **kwargs)
        return {**super().score(examples, **kwargs), **tags}

    def stream(self, tokens: Iterable[Doc | Token], *, max_delay: int | None = MAX_DELAY) -> Iterator[Doc]:
        """Predicts for a streamed document in bounded memory: see `StreamingPipe`.

        A token waits for the windows in which it and the tokens around it are most central, so its columns are those of
        a call on the whole document. With the setting `latency`, it waits for fewer tokens, and its columns may differ:
        see docs/parser_guide.md.

        RAISES ValueError: If the component has been neither trained nor loaded (J060), its encoder may see more than
            windows (J037), or tokens of a waiting piece are merged or split (J649).
        """
        self._check_is_initialized()
        if max_delay is not None:
            check_range("max_delay", max_delay, 1)
        window, stride = self.model.attrs["window"], self.model.attrs["stride"]
        encoder = find_encoder(self.model.get_ref("tok2vec"), window, stride)
        if encoder is None:
            raise JointValueError(Errors.J037, name=self.name)
        latency = min(self.latency or window + stride, max_delay or window + stride)
        early = LowLatencyStream(self.model, encoder, latency) if latency < window + stride else None
        stream = early or GuidanceStream(self.model, encoder)
        buffer = StreamBuffer(window)

        def finish(guidance: Guidance, n_settled: float) -> Iterator[Doc]:
            for piece, piece_guidance in buffer.release(guidance, n_settled, early.draft if early else EMPTY):
                self.set_annotations([piece], [piece_guidance])
                yield piece

        for piece in filter(len, cut_into_pieces(tokens, self.vocab, min(PIECE, max(latency // 2, 1)))):
            buffer.add(piece)
            yield from finish(stream.feed(piece), stream.n_settled)
        yield from finish(stream.end(), inf)

    # Training.

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, list[str]]:
        """Collects the labels of the references, and those of `add_label`; and tags, if they are predicted.

        RAISES ValueError: If there are none (J330).
        """
        found: dict[str, set[str]] = {"tags": set(), **{kind: set(known) for kind, known in self.cfg.items()}}
        for token in chain.from_iterable(example.reference for example in examples):
            found["labels"].add(token.dep_)
            found["tags"].add(token.tag_ if not token.is_space else "")
        labels = {kind: sorted(found[kind] - {""}) for kind in self.cfg}
        for kind, what in (("labels", "labels of arcs"), ("tags", "tags")):
            if not labels.get(kind, True):
                raise JointValueError(Errors.J330, source="The training corpus", what=what)
        return labels

    def learn(self, vectors: list[Any], examples: list[Example]) -> tuple[float, list[Any]]:
        """Adds to the gradients of `heads`. The loss is the sum for boundaries, heads and labels."""
        golds = [read_gold(example, self.cfg["labels"], self.cfg.get("tags", ())) for example in examples]
        # Windows do not overlap in training: see `with_windows`.
        window = self.model.attrs["window"]
        windows = [cut_windows(len(rows), window, window) for rows in vectors]
        heads = [np.where(gold.heads == np.arange(len(gold.heads)), 0, gold.heads + 1) for gold in golds]
        scores, backprop = self.model.get_ref("heads").begin_update(list(zip(vectors, windows, heads, strict=True)))
        n = sum(map(len, vectors))
        found = [self._find_loss(*document, n) for document in zip(scores, golds, windows, strict=True)]
        return sum(loss for loss, _ in found), backprop([gradient for _, gradient in found])

    def _find_loss(self, scores: Scores, gold: Gold, windows: list[Window], n: int) -> tuple[float, Scores]:
        """Finds the sum of cross-entropies of the tokens of a document, divided by n, and its gradient."""
        ops: Any = self.model.ops
        loss, d_boundaries = cross_entropy_of_odds(ops, scores.boundaries, gold.starts)
        loss, d_boundaries = BOUNDARY_WEIGHT * loss, BOUNDARY_WEIGHT * d_boundaries
        d_arcs = []
        for arcs, window in zip(scores.arcs, windows, strict=True):
            arc_loss, gradient = _cross_entropy(ops, arcs, _place_heads(gold.heads, window))
            loss += arc_loss
            d_arcs.append(gradient / n)
        label_loss, d_labels = _cross_entropy(ops, scores.labels, gold.labels)
        if self.tagger is None:
            return (loss + label_loss) / n, Scores(d_boundaries / n, d_arcs, scores.heads, d_labels / n)
        tag_loss, d_tags = _cross_entropy(ops, scores.tags, gold.tags)
        loss += label_loss + tag_loss
        return loss / n, Scores(d_boundaries / n, d_arcs, scores.heads, d_labels / n, d_tags / n)

    def _set_sizes(self) -> None:
        super()._set_sizes()
        if self.tagger is not None:
            self.tagger.set_dim("nO", len(self.cfg["tags"]), force=True)

    def _check(self) -> None:
        super()._check()
        if self.is_initialized and self.tagger is not None and self.tagger.get_dim("nO") != len(self.cfg["tags"]):
            raise TypeError
        cut_windows(0, self.model.attrs["window"], self.model.attrs["stride"])


def _place_heads(heads: np.ndarray, window: Window) -> np.ndarray:
    """Returns the columns of `Scores.arcs` with the heads of the tokens of a window; -1 if they are unknown or
    outside."""
    heads, tokens = heads[window.first : window.last], np.arange(window.first, window.last)
    inside = (heads >= window.start) & (heads < window.end)
    return np.where(heads == tokens, 0, np.where(inside, heads - window.start + 1, -1))


def _cross_entropy(ops: Any, scores: Any, targets: np.ndarray) -> tuple[float, Any]:
    """Returns the cross-entropy of rows of scores, summed over those with a right answer (not -1), and its gradient."""
    gradient = ops.xp.zeros_like(scores)
    rows = np.flatnonzero(targets >= 0)
    if not len(rows):
        return 0.0, gradient
    probabilities = ops.softmax(scores[rows])
    indices = np.arange(len(rows)), targets[rows]
    loss = -float(ops.xp.log(ops.xp.maximum(probabilities[indices], SMALLEST)).sum())
    probabilities[indices] -= 1.0
    gradient[rows] = probabilities
    return loss, gradient
