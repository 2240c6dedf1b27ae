"""What is predicted from the vectors of a document: boundaries, arcs and labels, each token by itself.

Arcs are scored by a biaffine layer (Dozat & Manning 2017) over all tokens of a window and an artificial root, so that
no boundaries are needed. A label depends on both ends of its arc. Its bilinear term has a diagonal matrix per label
(Yang et al. 2015): full matrices would cost as much as an encoder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Linear, Model, Relu, glorot_uniform_init
from thinc.types import Floats2d, Ints1d

from .distances import add_by_distance, sum_by_distance
from .windows import Window

# The first distance of each class but the lowest: exact ones up to 10 tokens, then ranges.
AFTER = (*range(1, 12), 13, 16, 21, 31, 51, 101)
DISTANCES = np.array([*(1 - distance for distance in reversed(AFTER)), *AFTER])
N_DISTANCES = len(DISTANCES) + 1


class Scores(NamedTuple):
    """The scores of the tokens of a document, or their gradients.

    Arrays are those of thinc's ops, so of numpy or cupy.

    boundaries (np.ndarray): The log-odds of a sentence start (float32, tokens).
    arcs (list[np.ndarray]): For each window, the scores of heads of the tokens that are taken from it: the root, then
        each token of the window (float32, taken tokens x (tokens + 1)).
    heads (np.ndarray): The heads for which labels are scored: the number of the token, from 1, or 0 (or less) for the
        root.
    labels (np.ndarray): The scores of labels (float32, tokens x labels).
    """

    boundaries: Any
    arcs: list[Any]
    heads: Any
    labels: Any


# The vectors of a document, and its windows.
Windowed = tuple[Floats2d, list[Window]]
# The same, and the heads for which labels are scored; None: the best ones.
Headed = tuple[Floats2d, list[Window], Ints1d | None]


def GuideHeads(*, arc_width: int, label_width: int, nO: int | None = None) -> Model[list[Headed], list[Scores]]:
    """The predictions for documents.

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
    documents = [vectors for vectors, _, _ in X]
    ends = np.cumsum([len(vectors) for vectors in documents]).tolist()
    rows = ops.xp.concatenate(documents)
    boundaries, backprop_boundaries = model.get_ref("boundary")(rows, is_train)
    arcs, backprop_arcs = model.get_ref("arcs")([(vectors, windows) for vectors, windows, _ in X], is_train)
    heads = [
        np.concatenate(
            [_find_heads(ops.to_numpy(scores), window) for scores, window in zip(found, windows, strict=True)]
        )
        if given is None
        else given
        for (_, windows, given), found in zip(X, arcs, strict=True)
    ]
    labels, backprop_labels = model.get_ref("labels")(list(zip(documents, heads, strict=True)), is_train)
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


def _find_heads(scores: np.ndarray, window: Window) -> np.ndarray:
    """The best heads, as counted in `Scores`."""
    heads = scores.argmax(axis=1)
    return np.where(heads > 0, heads + window.start, 0)


def BiaffineArcs(width: int, nI: int | None = None) -> Model[list[Windowed], list[list[Floats2d]]]:
    """The scores of arcs: for each window of a document, those of the root and of all tokens of the window as heads of
    the tokens that are taken from it (taken tokens x (tokens + 1)).

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
    model: Model[list[Windowed], list[list[Floats2d]]],
    X: list[Windowed] | None = None,
    Y: list[list[Floats2d]] | None = None,
) -> None:
    for name in ("dependents", "heads"):
        model.get_ref(name).set_dim("nI", model.get_dim("nI"))
    for layer in model.layers:
        layer.initialize()
    root: Any = glorot_uniform_init(model.ops, (1, model.get_dim("width")))
    model.set_param("root", root[0])


def _forward_arcs(
    model: Model[list[Windowed], list[list[Floats2d]]], X: list[Windowed], is_train: bool
) -> tuple[list[list[Floats2d]], Callable[[list[list[Floats2d]]], list[Floats2d]]]:
    ops: Any = model.ops
    xp = ops.xp
    ends = np.cumsum([len(vectors) for vectors, _ in X]).tolist()
    rows = xp.concatenate([vectors for vectors, _ in X])
    dependents, backprop_dependents = model.get_ref("dependents")(rows, is_train)
    heads, backprop_heads = model.get_ref("heads")(rows, is_train)
    queries, backprop_bilinear = model.get_ref("bilinear")(dependents, is_train)
    distances, backprop_distances = model.get_ref("distances")(dependents, is_train)
    root = model.get_param("root")
    by_class = ops.to_numpy(distances)

    def find_rows(start: int, window: Window) -> tuple[Any, Any, slice]:
        """The queries and heads of a window of the document at `start`, and the rows that are taken from it."""
        taken = slice(start + window.first, start + window.last)
        return queries[taken], xp.vstack([root, heads[start + window.start : start + window.end]]), taken

    scores: list[list[Floats2d]] = []
    for (_, windows), start in zip(X, [0, *ends], strict=False):
        scores.append([])
        for window in windows:
            of_queries, of_heads, taken = find_rows(start, window)
            # The distances are for numpy.
            of_window = ops.to_numpy(of_queries @ of_heads.T)
            add_by_distance(of_window, by_class[taken], DISTANCES, window.first - window.start)
            scores[-1].append(ops.asarray(of_window))

    def backprop(d_scores: list[list[Floats2d]]) -> list[Floats2d]:
        d_queries, d_heads = xp.zeros_like(queries), xp.zeros_like(heads)
        d_by_class = np.zeros_like(by_class)
        d_root = xp.zeros_like(root)
        for (_, windows), start, of_document in zip(X, [0, *ends], d_scores, strict=False):
            for window, d in zip(windows, of_document, strict=True):
                of_queries, of_heads, taken = find_rows(start, window)
                sum_by_distance(ops.to_numpy(d), d_by_class[taken], DISTANCES, window.first - window.start)
                d_queries[taken] = d @ of_heads
                d_of_heads = d.T @ of_queries
                d_root += d_of_heads[0]
                d_heads[start + window.start : start + window.end] += d_of_heads[1:]
        model.inc_grad("root", d_root)
        d_rows = backprop_dependents(backprop_bilinear(d_queries) + backprop_distances(ops.asarray(d_by_class)))
        return xp.split(d_rows + backprop_heads(d_heads), ends[:-1])

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
    # The root is row 0, and the tokens of all documents come after it.
    padded = ops.xp.vstack([model.get_param("root"), heads])
    chosen = np.concatenate(
        [
            np.where(of_document > 0, of_document + start, 0)
            for (_, of_document), start in zip(X, [0, *ends], strict=False)
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
