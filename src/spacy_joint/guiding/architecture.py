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
from .windows import BATCH, Window, cut_windows

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

    return [find_best(model, vectors) for vectors in model.get_ref("tok2vec").predict(docs)], backprop


def find_best(model: Model[list[Doc], list[Guidance]], vectors: Floats2d) -> Guidance:
    """The best predictions for the tokens of a document, given their vectors."""
    if not len(vectors):
        return NOTHING
    ops, heads = model.ops, model.get_ref("heads")
    found: list[Guidance] = []
    windows = list_windows(model, len(vectors))
    for at in range(0, len(windows), BATCH):
        batch = windows[at : at + BATCH]
        scored = heads.predict([(vectors[window.start : window.end], None) for window in batch])
        found += [
            _choose(Scores(*map(ops.to_numpy, scores)), window) for scores, window in zip(scored, batch, strict=True)
        ]
    return Guidance(*map(np.concatenate, zip(*found, strict=True)))


def list_windows(model: Model, n: int) -> list[Window]:
    """The windows of a document of `n` tokens."""
    return cut_windows(n, model.attrs["window"], model.attrs["stride"])


def _choose(scores: Scores, window: Window) -> Guidance:
    """The best predictions for the tokens that are taken from a window."""
    kept = slice(window.first - window.start, window.last - window.start)
    heads, arcs = scores.heads[kept], scores.arcs[kept]
    two_best = np.partition(arcs, -2, axis=1)[:, -2:]
    tokens = np.arange(window.first, window.last)
    return Guidance(
        scores.boundaries[kept],
        np.where(heads == 0, tokens, heads - 1 + window.start),
        two_best[:, 1] - two_best[:, 0],
        scores.labels[kept].argmax(axis=1),
    )
