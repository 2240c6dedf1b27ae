"""What is predicted from the vectors of a window: boundaries, arcs and labels, each token by itself.

Arcs are scored by a biaffine layer (Dozat & Manning 2017) over all tokens of the window and an artificial root, so that
no boundaries are needed. A label depends on both ends of its arc. Its bilinear term has a diagonal matrix per label
(Yang et al. 2015): full matrices would cost as much as an encoder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Linear, Model, Relu, glorot_uniform_init
from thinc.types import Floats2d, Ints1d

# The first distance of each class but the lowest: exact ones up to 10 tokens, then ranges.
AFTER = (*range(1, 12), 13, 16, 21, 31, 51, 101)
DISTANCES = np.array([*(1 - distance for distance in reversed(AFTER)), *AFTER])
N_DISTANCES = len(DISTANCES) + 1


class Scores(NamedTuple):
    """The scores of the tokens of a window, or their gradients.

    Arrays are those of thinc's ops, so of numpy or cupy.

    boundaries (np.ndarray): The log-odds of a sentence start (float32, tokens).
    arcs (np.ndarray): The scores of heads: the root, then each token (float32, tokens x (tokens + 1)).
    heads (np.ndarray): The heads for which labels are scored: the number of the token, from 1, or 0 (or less) for the
        root.
    labels (np.ndarray): The scores of labels (float32, tokens x labels).
    """

    boundaries: Any
    arcs: Any
    heads: Any
    labels: Any


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
        Scores(*found) for found in zip(ops.xp.split(boundaries[:, 0], ends[:-1]), arcs, heads, labels, strict=True)
    ]

    def backprop(gradients: list[Scores]) -> list[Floats2d]:
        d_boundaries = ops.xp.concatenate([gradient.boundaries for gradient in gradients])
        d_rows = backprop_boundaries(ops.as_contig(d_boundaries[:, None]))
        d_arcs = backprop_arcs([gradient.arcs for gradient in gradients])
        d_labels = backprop_labels([gradient.labels for gradient in gradients])
        return [sum(parts) for parts in zip(ops.xp.split(d_rows, ends[:-1]), d_arcs, d_labels, strict=True)]

    return scores, backprop


def BiaffineArcs(width: int, nI: int | None = None) -> Model[list[Floats2d], list[Floats2d]]:
    """The scores of arcs within windows: for each token as a dependent, those of the root and of all tokens as its head
    (tokens x (tokens + 1)).

    The score of head h for dependent d is (U d + b) . h + (V d + c)[distance], where both are hidden layers over the
    vector of a token, and the root is a parameter. The second term scores the distance from d to h, in classes (as Shaw
    et al. 2018 do in attention): in a window of several sentences, many tokens look alike.
    """
    dependents, heads, bilinear = Relu(width), Relu(width), Linear(width, width)
    distances: Model = Linear(N_DISTANCES, width)
    return Model(
        "biaffine_arcs",
        _forward_arcs,
        init=_init_arcs,
        dims={"nI": nI, "width": width},
        params={"root": None},
        layers=[dependents, heads, bilinear, distances],
        refs={"dependents": dependents, "heads": heads, "bilinear": bilinear, "distances": distances},
    )


def _init_arcs(
    model: Model[list[Floats2d], list[Floats2d]], X: list[Floats2d] | None = None, Y: list[Floats2d] | None = None
) -> None:
    for name in ("dependents", "heads"):
        model.get_ref(name).set_dim("nI", model.get_dim("nI"))
    for layer in model.layers:
        layer.initialize()
    root: Any = glorot_uniform_init(model.ops, (1, model.get_dim("width")))
    model.set_param("root", root[0])


def _forward_arcs(
    model: Model[list[Floats2d], list[Floats2d]], X: list[Floats2d], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Floats2d]]]:
    xp = model.ops.xp
    ends = np.cumsum([len(vectors) for vectors in X]).tolist()
    rows = xp.concatenate(X)
    dependents, backprop_dependents = model.get_ref("dependents")(rows, is_train)
    heads, backprop_heads = model.get_ref("heads")(rows, is_train)
    queries, backprop_bilinear = model.get_ref("bilinear")(dependents, is_train)
    distances, backprop_distances = model.get_ref("distances")(dependents, is_train)
    root = model.get_param("root")
    queries_of = xp.split(queries, ends[:-1])
    heads_of = [xp.vstack([root, of_window]) for of_window in xp.split(heads, ends[:-1])]
    classes_of = [xp.asarray(_find_distances(len(vectors))) for vectors in X]
    scores = [q @ h.T for q, h in zip(queries_of, heads_of, strict=True)]
    for of_window, of_distances, classes in zip(scores, xp.split(distances, ends[:-1]), classes_of, strict=True):
        of_window[:, 1:] += xp.take_along_axis(of_distances, classes, axis=1)

    def backprop(d_scores: list[Floats2d]) -> list[Floats2d]:
        d_distances = xp.concatenate(
            [_sum_by_class(xp, d[:, 1:], classes) for d, classes in zip(d_scores, classes_of, strict=True)]
        )
        d_queries = xp.concatenate([d @ h for d, h in zip(d_scores, heads_of, strict=True)])
        d_heads = [d.T @ q for d, q in zip(d_scores, queries_of, strict=True)]
        model.inc_grad("root", sum(d[0] for d in d_heads))
        d_rows = backprop_dependents(backprop_bilinear(d_queries) + backprop_distances(d_distances))
        d_rows = d_rows + backprop_heads(xp.concatenate([d[1:] for d in d_heads]))
        return xp.split(d_rows, ends[:-1])

    return scores, backprop


def _find_distances(n: int) -> np.ndarray:
    """The classes of the distances from n tokens to each other (intp, n x n)."""
    # A matrix of constant diagonals: row i is a part of the classes of all distances.
    classes = np.searchsorted(DISTANCES, np.arange(1 - n, n), side="right")
    return classes[np.arange(n)[None, :] - np.arange(n)[:, None] + n - 1]


def _sum_by_class(xp: Any, gradient: Any, classes: np.ndarray) -> Floats2d:
    """The sums of each row by the classes of its columns (rows x classes)."""
    n = len(gradient)
    places = classes + xp.arange(n)[:, None] * N_DISTANCES
    sums = xp.bincount(places.reshape(-1), weights=gradient.reshape(-1), minlength=n * N_DISTANCES)
    return sums.astype(gradient.dtype).reshape(n, N_DISTANCES)


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
    root: Any = glorot_uniform_init(model.ops, (1, model.get_dim("width")))
    model.set_param("root", root[0])


def _forward_labels(
    model: Model[list[tuple[Floats2d, Ints1d]], list[Floats2d]], X: list[tuple[Floats2d, Ints1d]], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Floats2d]]]:
    ops: Any = model.ops
    width = model.get_dim("width")
    lengths = [len(vectors) for vectors, _ in X]
    ends = np.cumsum(lengths).tolist()
    rows = ops.xp.concatenate([vectors for vectors, _ in X])
    dependents, backprop_dependents = model.get_ref("dependents")(rows, is_train)
    heads, backprop_heads = model.get_ref("heads")(rows, is_train)
    # The root is row 0, and the tokens of all windows come after it.
    padded = ops.xp.vstack([model.get_param("root"), heads])
    chosen = np.concatenate(
        [np.where(of_window > 0, of_window + start, 0) for (_, of_window), start in zip(X, [0, *ends], strict=False)]
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
