"""Overlapping windows of long sequences: each row is taken from the window in which it is most central."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from spacy.tokens import Doc
from thinc.api import Model, get_array_module
from thinc.types import Floats2d

from ..errors import check_value

# From the rows of sequences to their vectors.
Layer = Model[list[Floats2d], list[Floats2d]]
Backprop = Callable[[list[Floats2d]], list[Floats2d]]
# From documents to the vectors of their tokens.
Tok2Vec = Model[list[Doc], list[Floats2d]]


class Window(NamedTuple):
    """The rows from `start` to `end`, of which those from `first` to `last` are taken."""

    start: int
    end: int
    first: int
    last: int


def cut_windows(n: int, size: int, stride: int) -> list[Window]:
    """Divides a sequence of n rows into windows, which start every `stride` rows; the last one may be shorter.
    RAISES ValueError: Unless 1 <= stride <= size (J030)."""
    allowed = f"from 1 to the size of windows, {size}; three quarters of it is usual"
    check_value("stride", stride, 1 <= stride <= size, allowed)
    starts = range(0, max(n - size, 0) + stride, stride)
    # Overlaps are cut in the middle.
    cuts = [0, *((start + before + size) // 2 for before, start in pairwise(starts)), n]
    return [
        Window(start, min(start + size, n), first, last)
        for start, first, last in zip(starts, cuts, cuts[1:], strict=False)
    ]


class WindowStream:
    """Cuts a sequence that arrives in parts into the same windows as `cut_windows`, returning each once it is final."""

    def __init__(self, size: int, stride: int) -> None:
        self.size = size
        self.stride = stride
        # The start of the next window, and the first row that is taken from it.
        self.start = self.first = 0
        # The rows from the start on.
        self._rows: Any = None

    def feed(self, rows: Any) -> list[tuple[Window, Any]]:
        """Adds rows; returns the next windows and their rows. The last window waits: more rows may belong to it."""
        if self._rows is not None:
            rows = get_array_module(rows).concatenate([self._rows, rows])
        windows = self._cut(rows)
        last, _ = windows.pop()
        self._rows = rows[last.start - self.start :].copy()
        self.start, self.first = last.start, last.first
        return windows

    def end(self) -> list[tuple[Window, Any]]:
        """Ends the sequence; returns the last window, if there are any rows."""
        return [] if self._rows is None or not len(self._rows) else self._cut(self._rows)

    def _cut(self, rows: Any) -> list[tuple[Window, Any]]:
        windows = cut_windows(len(rows), self.size, self.stride)
        windows[0] = windows[0]._replace(first=self.first - self.start)
        return [(Window(*(self.start + at for at in window)), rows[window.start : window.end]) for window in windows]


def with_windows(layer: Layer, nO: int | None, size: int, stride: int, batch_size: int) -> Layer:
    """Makes a layer over sequences of any length, which reads batches of windows of similar lengths, in bounded memory.
    In training, windows do not overlap, so nothing is read twice: training does not need the additional context.

    RAISES ValueError: If the windows are invalid (J030).
    """
    cut_windows(0, size, stride)
    name, attrs = f"with_windows({layer.name})", {"size": size, "stride": stride, "batch_size": batch_size}
    return Model(name, _forward, init=_init, layers=[layer], attrs=attrs, dims={"nO": nO})


def _init(model: Layer, X: Any = None, Y: Any = None) -> None:
    model.layers[0].initialize(X=X, Y=Y)


def _forward(model: Layer, X: list[Floats2d], is_train: bool) -> tuple[list[Floats2d], Backprop]:
    layer = model.layers[0]
    size = model.attrs["size"]
    stride = size if is_train else model.attrs["stride"]
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
