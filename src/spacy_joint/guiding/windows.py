"""Overlapping windows of long sequences: each row is taken from the window in which it is most central."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from thinc.api import Model, get_array_module
from thinc.types import Floats2d

from ..errors import Errors, JointValueError


class Window(NamedTuple):
    """The rows from `start` to `end`, of which those from `first` to `last` are taken."""

    start: int
    end: int
    first: int
    last: int


def cut_windows(n: int, size: int, stride: int) -> list[Window]:
    """Divides a sequence.

    n (int): The length of the sequence.
    size (int): The length of all windows but the last one, which may be shorter.
    stride (int): The distance between the starts of neighbouring windows.
    RAISES ValueError: Unless 1 <= stride <= size (J621).
    """
    if not 1 <= stride <= size:
        raise JointValueError(Errors.J621, stride=stride, size=size)
    starts = range(0, max(n - size, 0) + stride, stride)
    # In the middle of what neighbours share.
    cuts = [0, *((start + before + size) // 2 for before, start in pairwise(starts)), n]
    return [
        Window(start, min(start + size, n), first, last)
        for start, first, last in zip(starts, cuts, cuts[1:], strict=False)
    ]


class WindowStream:
    """The windows of a sequence that arrives in parts: those of `cut_windows`, each as soon as it cannot change.

    size, stride (int): See `cut_windows`.
    """

    def __init__(self, size: int, stride: int) -> None:
        self.size = size
        self.stride = stride
        # Where the next window starts, and the first row that is taken from it.
        self.start = 0
        self.first = 0
        # The rows from there on.
        self._rows: Any = None

    def feed(self, rows: Any) -> list[tuple[Window, Any]]:
        """Adds rows; returns the next windows, and their rows.

        The last one waits: rows may follow that belong to it, or those at its end may be taken from the next one.
        """
        if self._rows is not None:
            rows = get_array_module(rows).concatenate([self._rows, rows])
        windows = self._cut(rows)
        last, _ = windows.pop()
        self._rows = rows[last.start - self.start :].copy()
        self.start, self.first = last.start, last.first
        return windows

    def end(self) -> list[tuple[Window, Any]]:
        """The last window, if there are any rows."""
        return [] if self._rows is None or not len(self._rows) else self._cut(self._rows)

    def _cut(self, rows: Any) -> list[tuple[Window, Any]]:
        windows = cut_windows(len(rows), self.size, self.stride)
        windows[0] = windows[0]._replace(first=self.first - self.start)
        return [(Window(*(self.start + at for at in window)), rows[window.start : window.end]) for window in windows]


def with_windows(
    layer: Model[list[Floats2d], list[Floats2d]], nO: int | None, size: int, stride: int, batch_size: int
) -> Model[list[Floats2d], list[Floats2d]]:
    """A layer over sequences of any length, in windows of similar lengths at a time. In training, which can do without
    the context that overlapping windows add, they do not overlap: nothing is read twice.

    layer (Model): The layer.
    nO (int | None): The width of its output; None if it is not known yet.
    size, stride (int): See `cut_windows`.
    batch_size (int): The number of windows that are run together. It bounds the memory for long documents.
    RAISES ValueError: If the windows are invalid (J621).
    """
    cut_windows(0, size, stride)
    return Model(
        f"with_windows({layer.name})",
        _forward,
        init=_init,
        layers=[layer],
        attrs={"size": size, "stride": stride, "batch_size": batch_size},
        dims={"nO": nO},
    )


def _init(
    model: Model[list[Floats2d], list[Floats2d]],
    X: list[Floats2d] | None = None,
    Y: list[Floats2d] | None = None,
) -> None:
    model.layers[0].initialize(X=X, Y=Y)


def _forward(
    model: Model[list[Floats2d], list[Floats2d]], X: list[Floats2d], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Floats2d]]]:
    layer = model.layers[0]
    size, stride = model.attrs["size"], model.attrs["stride"]
    if is_train:
        stride = size
    windows = [(i, window) for i, rows in enumerate(X) for window in cut_windows(len(rows), size, stride) if len(rows)]
    windows.sort(key=lambda pair: pair[1].start - pair[1].end)
    batch_size = model.attrs["batch_size"]
    batches = [windows[first : first + batch_size] for first in range(0, len(windows), batch_size)]
    width = model.get_dim("nO")
    Y = [model.ops.alloc2f(len(rows), width, zeros=False) for rows in X]
    backprops = []
    for batch in batches:
        outputs, backprop = layer([X[i][window.start : window.end] for i, window in batch], is_train)
        backprops.append(backprop)
        for (i, (start, _, first, last)), output in zip(batch, outputs, strict=True):
            Y[i][first:last] = output[first - start : last - start]

    def backprop_windows(dY: list[Floats2d]) -> list[Floats2d]:
        dX = [model.ops.alloc2f(*rows.shape) for rows in X]
        for batch, backprop in zip(batches, backprops, strict=True):
            gradients = []
            for i, (start, end, first, last) in batch:
                gradient = model.ops.alloc2f(end - start, width)
                gradient[first - start : last - start] = dY[i][first:last]
                gradients.append(gradient)
            for (i, window), gradient in zip(batch, backprop(gradients), strict=True):
                dX[i][window.start : window.end] += gradient
        return dX

    return Y, backprop_windows
