"""What is predicted from the vectors of a window: boundaries, arcs and labels, each token by itself.

Arcs are scored by a biaffine layer (Dozat & Manning 2017) over all tokens of the window and an artificial root, so that
no boundaries are needed. A label depends on both ends of its arc. Its bilinear term has a diagonal matrix per label
(Yang et al. 2015): full matrices would cost as much as an encoder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from thinc.api import Linear, Model, Relu, glorot_uniform_init
from thinc.types import Floats2d, Ints1d


class Scores(NamedTuple):
    """The scores of the tokens of a window, or their gradients.

    boundaries (np.ndarray): The log-odds of a sentence start (float32, tokens).
    arcs (np.ndarray): The scores of heads: the root, then each token (float32, tokens x (tokens + 1)).
    heads (np.ndarray): The heads for which labels are scored: the number of the token, from 1, or 0 (or less) for the
        root.
    labels (np.ndarray): The scores of labels (float32, tokens x labels).
    """

    boundaries: np.ndarray
    arcs: np.ndarray
    heads: np.ndarray
    labels: np.ndarray


# The vectors of a window, and the heads for which labels are scored; None: the best ones.
Headed = tuple[Floats2d, Ints1d | None]


def GuideHeads(*, arc_width: int, label_width: int, nO: int | None = None) -> Model[list[Headed], list[Scores]]:
    """The predictions for windows.

    arc_width, label_width (int): The widths of the hidden layers before arcs and labels are scored.
    nO (int | None): The number of labels; None if it is not known yet.
    """
    boundary: Model = Linear(1)
    arcs, labels = BiaffineArcs(arc_width), BiaffineLabels(label_width, nO)
    return Model(
        "guide_heads",
        _forward_heads,
        init=_init_heads,
        dims={"nO": nO, "nI": None},
        layers=[boundary, arcs, labels],
        refs={"boundary": boundary, "arcs": arcs, "labels": labels},
    )


def _init_heads(
    model: Model[list[Headed], list[Scores]], X: list[Headed] | None = None, Y: list[Scores] | None = None
) -> None:
    labels = model.get_ref("labels")
    if not labels.has_dim("nO"):
        labels.set_dim("nO", model.get_dim("nO"))
    for name in ("boundary", "arcs", "labels"):
        layer = model.get_ref(name)
        layer.set_dim("nI", model.get_dim("nI"))
        layer.initialize()


def _forward_heads(
    model: Model[list[Headed], list[Scores]], X: list[Headed], is_train: bool
) -> tuple[list[Scores], Callable[[list[Scores]], list[Floats2d]]]:
    ops = model.ops
    windows = [vectors for vectors, _ in X]
    ends = np.cumsum([len(vectors) for vectors in windows]).tolist()
    rows = ops.xp.concatenate(windows)
    boundaries, backprop_boundaries = model.get_ref("boundary")(rows, is_train)
    arcs, backprop_arcs = model.get_ref("arcs")(windows, is_train)
    heads = [
        ops.to_numpy(of_arcs).argmax(axis=1) if given is None else given
        for (_, given), of_arcs in zip(X, arcs, strict=True)
    ]
    labels, backprop_labels = model.get_ref("labels")(list(zip(windows, heads, strict=True)), is_train)
    scores = [
        Scores(*found)
        for found in zip(ops.xp.split(boundaries[:, 0], ends[:-1]), arcs, heads, labels, strict=True)
    ]

    def backprop(gradients: list[Scores]) -> list[Floats2d]:
        d_boundaries = ops.xp.concatenate([gradient.boundaries for gradient in gradients])
        d_rows = backprop_boundaries(ops.as_contig(d_boundaries[:, None]))
        d_arcs = backprop_arcs([gradient.arcs for gradient in gradients])
        d_labels = backprop_labels([gradient.labels for gradient in gradients])
        return [
            sum(parts) for parts in zip(ops.xp.split(d_rows, ends[:-1]), d_arcs, d_labels, strict=True)
        ]

    return scores, backprop


def BiaffineArcs(width: int, nI: int | None = None) -> Model[list[Floats2d], list[Floats2d]]:
    """The scores of arcs within windows: for each token as a dependent, those of the root and of all tokens as its head
    (tokens x (tokens + 1)).

    The score of head h for dependent d is (U d + b) . h, where both are hidden layers over the vector of a token, and
    the root is a parameter.
    """
    dependents, heads, bilinear = Relu(width), Relu(width), Linear(width, width)
    return Model(
        "biaffine_arcs",
        _forward_arcs,
        init=_init_arcs,
        dims={"nI": nI, "width": width},
        params={"root": None},
        layers=[dependents, heads, bilinear],
        refs={"dependents": dependents, "heads": heads, "bilinear": bilinear},
    )


def _init_arcs(
    model: Model[list[Floats2d], list[Floats2d]], X: list[Floats2d] | None = None, Y: list[Floats2d] | None = None
) -> None:
    for name in ("dependents", "heads"):
        model.get_ref(name).set_dim("nI", model.get_dim("nI"))
    for layer in model.layers:
        layer.initialize()
    model.set_param("root", glorot_uniform_init(model.ops, (1, model.get_dim("width")))[0])


def _forward_arcs(
    model: Model[list[Floats2d], list[Floats2d]], X: list[Floats2d], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Floats2d]]]:
    xp = model.ops.xp
    ends = np.cumsum([len(vectors) for vectors in X]).tolist()
    rows = xp.concatenate(X)
    dependents, backprop_dependents = model.get_ref("dependents")(rows, is_train)
    heads, backprop_heads = model.get_ref("heads")(rows, is_train)
    queries, backprop_bilinear = model.get_ref("bilinear")(dependents, is_train)
    root = model.get_param("root")
    queries_of = xp.split(queries, ends[:-1])
    heads_of = [xp.vstack([root, of_window]) for of_window in xp.split(heads, ends[:-1])]
    scores = [q @ h.T for q, h in zip(queries_of, heads_of, strict=True)]

    def backprop(d_scores: list[Floats2d]) -> list[Floats2d]:
        d_queries = xp.concatenate([d @ h for d, h in zip(d_scores, heads_of, strict=True)])
        d_heads = [d.T @ q for d, q in zip(d_scores, queries_of, strict=True)]
        model.inc_grad("root", sum(d[0] for d in d_heads))
        d_rows = backprop_dependents(backprop_bilinear(d_queries))
        d_rows = d_rows + backprop_heads(xp.concatenate([d[1:] for d in d_heads]))
        return xp.split(d_rows, ends[:-1])

    return scores, backprop


def BiaffineLabels(
    width: int, nO: int | None = None, nI: int | None = None
) -> Model[list[tuple[Floats2d, Ints1d]], list[Floats2d]]:
    """The scores of labels for arcs from given heads (tokens x labels).

    They are linear in the hidden layer of the dependent, that of the head, and their product.
    """
    dependents, heads, output = Relu(width), Relu(width), Linear(nO, 3 * width)
    return Model(
        "biaffine_labels",
        _forward_labels,
        init=_init_labels,
        dims={"nO": nO, "nI": nI, "width": width},
        params={"root": None},
        layers=[dependents, heads, output],
        refs={"dependents": dependents, "heads": heads, "output": output},
    )


def _init_labels(
    model: Model[list[tuple[Floats2d, Ints1d]], list[Floats2d]],
    X: list[tuple[Floats2d, Ints1d]] | None = None,
    Y: list[Floats2d] | None = None,
) -> None:
    for name in ("dependents", "heads"):
        model.get_ref(name).set_dim("nI", model.get_dim("nI"))
    if not model.get_ref("output").has_dim("nO"):
        model.get_ref("output").set_dim("nO", model.get_dim("nO"))
    for layer in model.layers:
        layer.initialize()
    model.set_param("root", glorot_uniform_init(model.ops, (1, model.get_dim("width")))[0])


def _forward_labels(
    model: Model[list[tuple[Floats2d, Ints1d]], list[Floats2d]], X: list[tuple[Floats2d, Ints1d]], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Floats2d]]]:
    ops, width = model.ops, model.get_dim("width")
    lengths = [len(vectors) for vectors, _ in X]
    ends = np.cumsum(lengths).tolist()
    rows = ops.xp.concatenate([vectors for vectors, _ in X])
    dependents, backprop_dependents = model.get_ref("dependents")(rows, is_train)
    heads, backprop_heads = model.get_ref("heads")(rows, is_train)
    # The root is row 0, and the tokens of all windows come after it.
    padded = ops.xp.vstack([model.get_param("root"), heads])
    chosen = np.concatenate(
        [
            np.where(of_window > 0, of_window + start, 0)
            for (_, of_window), start in zip(X, [0, *ends], strict=False)
        ]
    )
    seen = padded[chosen]
    scores, backprop_output = model.get_ref("output")(
        ops.xp.concatenate([dependents, seen, dependents * seen], axis=1), is_train
    )

    def backprop(d_scores: list[Floats2d]) -> list[Floats2d]:
        d_joined = backprop_output(ops.xp.concatenate(d_scores))
        d_dependents, d_seen, d_product = (d_joined[:, i * width : (i + 1) * width] for i in range(3))
        d_padded = ops.alloc2f(*padded.shape)
        ops.scatter_add(d_padded, ops.asarray1i(chosen), d_seen + d_product * dependents)
        model.inc_grad("root", d_padded[0])
        d_rows = backprop_dependents(ops.as_contig(d_dependents + d_product * seen))
        d_rows = d_rows + backprop_heads(ops.as_contig(d_padded[1:]))
        return ops.xp.split(d_rows, ends[:-1])

    return ops.xp.split(scores, ends[:-1]), backprop
