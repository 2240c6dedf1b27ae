"""The registered architecture of a guide: vectors of documents by any `tok2vec`, predictions for windows of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from .encoder import use_numpy_products
from .heads import GuideHeads, Scores
from .segments import Segment, batch_segments, cut_documents, is_listener
from .windows import Window, cut_windows

NAME = "parser_guide"


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


def ParserGuide(
    *,
    tok2vec: Model[list[Doc], list[Floats2d]],
    arc_width: int = 192,
    label_width: int = 96,
    window: int = 254,
    stride: int = 192,
    nO: int | None = None,
) -> Model[list[Doc], list[Guidance]]:
    """Boundaries, arcs and labels of documents, each token by itself, registered as `spacy_joint.ParserGuide.v1`.

    tok2vec (Model): A layer from documents to vectors of their tokens.
    arc_width, label_width (int): See `GuideHeads`.
    window, stride (int): The windows within which heads are found, see `cut_windows`.
    nO (int | None): The number of labels; None if it is not known yet.
    RAISES ValueError: If the windows are invalid (J621).
    """
    cut_windows(0, window, stride)
    heads = GuideHeads(arc_width=arc_width, label_width=label_width, nO=nO)
    model: Model[list[Doc], list[Guidance]] = Model(
        NAME,
        _forward,
        init=_init,
        dims={"nO": nO},
        layers=[tok2vec, heads],
        refs={"tok2vec": tok2vec, "heads": heads},
        attrs={"window": window, "stride": stride},
    )
    return use_numpy_products(model)


def _init(model: Model[list[Doc], list[Guidance]], X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec, heads = model.get_ref("tok2vec"), model.get_ref("heads")
    if X is not None:
        tok2vec.initialize(X=X)
    heads.set_dim("nI", tok2vec.get_dim("nO"))
    heads.set_dim("nO", model.get_dim("nO"))
    heads.initialize()


def _forward(
    model: Model[list[Doc], list[Guidance]], docs: list[Doc], is_train: bool
) -> tuple[list[Guidance], Callable[..., Any]]:
    def backprop(gradients: Any) -> list[Any]:
        # The component trains `tok2vec` and `heads` one after the other.
        return []

    tok2vec = model.get_ref("tok2vec")
    window, stride = model.attrs["window"], model.attrs["stride"]
    if any(map(is_listener, tok2vec.walk())):
        batches = iter([[Segment(number, Window(0, len(doc), 0, len(doc)), doc) for number, doc in enumerate(docs)]])
    else:
        batches = batch_segments(cut_documents(docs, window, stride))
    found: list[list[Guidance]] = [[NOTHING] for _ in docs]
    for batch in batches:
        vectors = tok2vec.predict([segment.doc for segment in batch])
        for segment, guidance in zip(batch, _find_best(model, vectors), strict=True):
            found[segment.number].append(_take(guidance, segment.place))
    return [Guidance(*map(np.concatenate, zip(*parts, strict=True))) for parts in found], backprop


def _take(guidance: Guidance, place: Window) -> Guidance:
    """What is taken from a segment, with heads as numbered in its document."""
    taken = guidance._replace(heads=guidance.heads + place.start)
    return Guidance(*(values[place.first - place.start : place.last - place.start] for values in taken))


def _find_best(model: Model[list[Doc], list[Guidance]], documents: list[Floats2d]) -> list[Guidance]:
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
