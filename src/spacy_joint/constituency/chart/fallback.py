"""What to do when a search that leaves much out finds no derivation: leave out less, and in the end glue fragments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

# In the order of attempts.
STAGES = FIRST, WIDER, OPEN, GLUED = "first", "wider", "open", "glued"


class Outcome(NamedTuple):
    """The tree of a sentence.

    score: The natural logarithm of its probability; minus infinity if it was glued.
    nodes, tags: As those of `ChartParser.parse`; none if there are no words.
    stage: Which attempt gave it: "first"; "wider", with twice the widths; "open", without widths of cells, except for
        bounds; "glued".
    """

    score: float
    nodes: list[tuple[str, int, int]]
    tags: list[str]
    stage: str


def parse_surely(
    search: Callable[..., tuple[float, list[tuple[str, int, int]], list[str]]],
    words: Sequence[Sequence[tuple[str, float]]],
    *,
    width: int,
    widths: np.ndarray | None = None,
    bounds: np.ndarray | None = None,
) -> Outcome:
    """Find a tree, whatever the widths.

    search: `ChartParser.parse`, or what takes and returns the same, which raises what is wrong.
    words, width, widths: As those of `ChartParser.parse`.
    bounds: The same for the last attempt, because all cells would take too long; None: all are open.
    """
    attempts = [(FIRST, width, widths)]
    if width or widths is not None:
        attempts.append((WIDER, 2 * width, None if widths is None else np.where(widths > 0, 2 * widths, widths)))
    if widths is not None:
        attempts.append((OPEN, 2 * width, bounds))
    for stage, wide, of_cells in attempts:
        is_last = stage == attempts[-1][0]
        found = search(words, width=wide, widths=of_cells, glue=is_last)
        if np.isfinite(found[0]):
            return Outcome(*found, stage)
    return Outcome(*found, GLUED)
