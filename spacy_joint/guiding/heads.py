"""The layers of a parser guide: boundaries, arcs, labels and tags from the vectors of a document, token by token.

Arcs are scored by a biaffine layer (Dozat & Manning 2017) over all tokens of a window and an artificial root, so that
no boundaries are needed. A label depends on both ends of its arc. Its bilinear term has a diagonal matrix per label
(Yang et al. 2015): full matrices would cost as much as an encoder.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Linear, Model, Relu, get_array_module, glorot_uniform_init
from thinc.types import Floats2d

from .windows import Window

# The first distance of each class but the lowest: exact ones up to 10 tokens, then ranges.
AFTER = (*range(1, 12), 13, 16, 21, 31, 51, 101)
DISTANCES = np.array([*(1 - distance for distance in reversed(AFTER)), *AFTER])
N_DISTANCES = len(DISTANCES) + 1


class Scores(NamedTuple):
    """The scores of the tokens of a document, or their gradients (float32), as arrays of numpy or cupy."""

    # The log-odds of a sentence start.
    boundaries: Any
    # For each window, the scores of heads of its taken tokens: the root, then its tokens (taken x (tokens + 1)).
    arcs: list[Any]
    # The heads for which labels are scored: the number of the token, from 1; 0 or less is the root.
    heads: Any
    # The scores of labels (tokens x labels), and of tags (tokens x tags), if they are predicted.
    labels: Any
    tags: Any = None


# The vectors of a document, and its windows.
Windowed = tuple[Floats2d, list[Window]]
# The vectors of a document, its windows, and the heads for which labels are scored; None: the best ones.
Headed = tuple[Floats2d, list[Window], np.ndarray | None]


def GuideHeads(
    *, arc_width: int, label_width: int, tags: bool = False, nO: int | None = None
) -> Model[list[Headed], list[Scores]]:
    """Makes a layer that scores documents, with hidden layers of these widths, `nO` labels (None: not yet known), and
    possibly tags."""
    layers = {"boundary": Linear(1), "arcs": BiaffineArcs(arc_width), "labels": BiaffineLabels(label_width, nO)}
    if tags:
        layers["tags"] = Linear()
    return _build("guide_heads", _forward_heads, {"nO": nO, "nI": None}, layers)


def _build(
    name: str, forward: Callable[..., Any], dims: dict[str, int | None], layers: dict[str, Any], **params: Any
) -> Model:
    """Makes a layer with references to its sublayers."""
    return Model(name, forward, init=_init, dims=dims, params=params, layers=[*layers.values()], refs={**layers})


def _init(model: Model, X: Any = None, Y: Any = None) -> None:
    """Initializes the sublayers of a layer, which share its widths, and its root, if it has one."""
    for layer in model.layers:
        for name in ("nI", "nO"):
            # None: not set yet; False: the sublayer lacks it.
            if layer.has_dim(name) is None:
                layer.set_dim(name, model.get_dim(name))
        layer.initialize()
    if "root" in model.param_names:
        root: Any = glorot_uniform_init(model.ops, (1, model.get_dim("width")))
        model.set_param("root", root[0])


def _join(documents: list[Floats2d]) -> tuple[Any, list[int]]:
    """Joins the rows of documents; returns them and the first row of each."""
    starts = np.cumsum([0, *map(len, documents)]).tolist()
    return get_array_module(documents[0]).concatenate(documents), starts[:-1]


def _forward_heads(model: Model, X: list[Headed], is_train: bool) -> tuple[list[Scores], Callable[..., Any]]:
    ops: Any = model.ops
    documents = [vectors for vectors, _, _ in X]
    rows, starts = _join(documents)
    boundaries, backprop_boundaries = model.get_ref("boundary")(rows, is_train)
    arcs, backprop_arcs = model.get_ref("arcs")([(vectors, windows) for vectors, windows, _ in X], is_train)
    heads: list[np.ndarray] = []
    for (_, windows, given), found in zip(X, arcs, strict=True):
        best = [(ops.to_numpy(each).argmax(axis=1), window.start) for each, window in zip(found, windows, strict=True)]
        best_heads = [np.where(indices > 0, indices + start, 0) for indices, start in best]
        heads.append(np.concatenate(best_heads) if given is None else given)
    labels, backprop_labels = model.get_ref("labels")(list(zip(documents, heads, strict=True)), is_train)
    split = [ops.xp.split(boundaries[:, 0], starts[1:]), arcs, heads, labels]
    tagger = model.maybe_get_ref("tags")
    if tagger is not None:
        tags, backprop_tags = tagger(rows, is_train)
        split.append(ops.xp.split(tags, starts[1:]))
    scores = [Scores(*found) for found in zip(*split, strict=True)]

    def backprop(gradients: list[Scores]) -> list[Floats2d]:
        d_boundaries = ops.xp.concatenate([gradient.boundaries for gradient in gradients])
        d_rows = backprop_boundaries(ops.as_contig(d_boundaries[:, None]))
        if tagger is not None:
            d_rows = d_rows + backprop_tags(ops.xp.concatenate([gradient.tags for gradient in gradients]))
        d_arcs = backprop_arcs([gradient.arcs for gradient in gradients])
        d_labels = backprop_labels([gradient.labels for gradient in gradients])
        return [sum(parts) for parts in zip(ops.xp.split(d_rows, starts[1:]), d_arcs, d_labels, strict=True)]

    return scores, backprop


def find_classes(window: Window) -> np.ndarray:
    """Finds the classes of distances (taken tokens x tokens), as places in a flat table of taken tokens x classes."""
    start, end, first, last = window
    return _find_classes(end - start, first - start, last - first)


# Most windows are of two kinds: those that begin a document, and others.
@lru_cache(maxsize=8)
def _find_classes(n: int, first: int, n_rows: int) -> np.ndarray:
    rows = np.arange(n_rows)[:, None]
    # From the last row and the first token to the first row and the last token.
    classes = np.searchsorted(DISTANCES, np.arange(1 - first - n_rows, n - first), side="right")
    return classes[np.arange(n) - rows + n_rows - 1] + N_DISTANCES * rows


def BiaffineArcs(width: int, nI: int | None = None) -> Model[list[Windowed], list[list[Floats2d]]]:
    """Makes a layer that scores arcs, as in `Scores`.

    The score of head h for dependent d is (U d + b) . h + (V d + c)[distance], where d and h are hidden layers over the
    vectors of tokens, and the root is a parameter. The second term scores the distance from d to h, in classes (as Shaw
    et al. 2018 do in attention): in a window of several sentences, many tokens look alike.
    """
    layers: dict[str, Model] = {"dependents": Relu(width), "heads": Relu(width)}
    layers |= {"bilinear": Linear(width, width), "distances": Linear(N_DISTANCES, width)}
    return _build("biaffine_arcs", _forward_arcs, {"nI": nI, "width": width}, layers, root=None)


def _forward_arcs(model: Model, X: list[Windowed], is_train: bool) -> tuple[list[list[Floats2d]], Callable[..., Any]]:
    ops: Any = model.ops
    xp = ops.xp
    rows, starts = _join([vectors for vectors, _ in X])
    dependents, backprop_dependents = model.get_ref("dependents")(rows, is_train)
    heads, backprop_heads = model.get_ref("heads")(rows, is_train)
    queries, backprop_bilinear = model.get_ref("bilinear")(dependents, is_train)
    distances, backprop_distances = model.get_ref("distances")(dependents, is_train)
    root = model.get_param("root")
    by_class = ops.to_numpy(distances)

    def find_rows(start: int, window: Window) -> tuple[Any, Any, slice]:
        """Finds the queries and heads of a window of the document at `start`, and the rows that are taken from it."""
        taken = slice(start + window.first, start + window.last)
        return queries[taken], xp.vstack([root, heads[start + window.start : start + window.end]]), taken

    scores: list[list[Floats2d]] = []
    for (_, windows), start in zip(X, starts, strict=True):
        scores.append([])
        for window in windows:
            window_queries, window_heads, taken = find_rows(start, window)
            # numpy adds the scores of distances.
            window_scores = ops.to_numpy(window_queries @ window_heads.T)
            window_scores[:, 1:] += by_class[taken].take(find_classes(window))
            scores[-1].append(ops.asarray(window_scores))

    def backprop(d_scores: list[list[Floats2d]]) -> list[Floats2d]:
        d_queries, d_heads = xp.zeros_like(queries), xp.zeros_like(heads)
        d_by_class = np.zeros_like(by_class)
        d_root = xp.zeros_like(root)
        for (_, windows), start, d_windows in zip(X, starts, d_scores, strict=True):
            for window, d in zip(windows, d_windows, strict=True):
                window_queries, window_heads, taken = find_rows(start, window)
                classes, by_token = find_classes(window).ravel(), ops.to_numpy(d)[:, 1:].ravel()
                sums = np.bincount(classes, by_token, d_by_class[taken].size)
                d_by_class[taken] = sums.reshape(-1, N_DISTANCES)
                d_queries[taken] = d @ window_heads
                d_window_heads = d.T @ window_queries
                d_root += d_window_heads[0]
                d_heads[start + window.start : start + window.end] += d_window_heads[1:]
        model.inc_grad("root", d_root)
        d_rows = backprop_dependents(backprop_bilinear(d_queries) + backprop_distances(ops.asarray(d_by_class)))
        return xp.split(d_rows + backprop_heads(d_heads), starts[1:])

    return scores, backprop


def BiaffineLabels(width: int, nO: int | None = None, nI: int | None = None) -> Model:
    """Makes a layer that scores labels (tokens x labels), linear in hidden layers of dependent and head, and in their
    product."""
    layers = {"dependents": Relu(width), "heads": Relu(width), "output": Linear(nO, 3 * width)}
    return _build("biaffine_labels", _forward_labels, {"nO": nO, "nI": nI, "width": width}, layers, root=None)


def _forward_labels(
    model: Model, X: list[tuple[Floats2d, np.ndarray]], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Floats2d]]]:
    ops: Any = model.ops
    rows, starts = _join([vectors for vectors, _ in X])
    dependents, backprop_dependents = model.get_ref("dependents")(rows, is_train)
    heads, backprop_heads = model.get_ref("heads")(rows, is_train)
    # The root is row 0, and the tokens of all documents come after it.
    padded = ops.xp.vstack([model.get_param("root"), heads])
    chosen = np.concatenate(
        [np.where(numbers > 0, numbers + start, 0) for (_, numbers), start in zip(X, starts, strict=True)]
    )
    seen = padded[chosen]
    scores, backprop_output = model.get_ref("output")(ops.xp.hstack([dependents, seen, dependents * seen]), is_train)

    def backprop(d_scores: list[Floats2d]) -> list[Floats2d]:
        d_dependents, d_seen, d_product = ops.xp.split(backprop_output(ops.xp.concatenate(d_scores)), 3, axis=1)
        d_padded = ops.alloc2f(*padded.shape)
        ops.scatter_add(d_padded, ops.asarray1i(chosen), d_seen + d_product * dependents)
        model.inc_grad("root", d_padded[0])
        d_rows = backprop_dependents(ops.as_contig(d_dependents + d_product * seen))
        d_rows = d_rows + backprop_heads(ops.as_contig(d_padded[1:]))
        return ops.xp.split(d_rows, starts[1:])

    return ops.xp.split(scores, starts[1:]), backprop
