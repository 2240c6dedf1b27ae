"""What to do when a search that leaves much out finds no derivation: leave out less, and in the end glue fragments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .cyk import ChartParser

# In the order of attempts.
STAGES = FIRST, WIDER, OPEN, GLUED = "first", "wider", "open", "glued"


class Outcome(NamedTuple):
    """The tree of a sentence.

    score: The natural logarithm of its probability; minus infinity if it was glued.
    nodes: As those of `ChartParser.parse`; none if there are no words.
    stage: Which attempt gave it: "first"; "wider", with twice the widths; "open", without widths of cells; "glued".
    """

    score: float
    nodes: list[tuple[str, int, int]]
    stage: str


def parse_surely(
    parser: ChartParser, words: Sequence[Sequence[tuple[str, float]]], *, width: int, widths: np.ndarray | None = None
) -> Outcome:
    """Find a tree, whatever the widths.

    words, width, widths: As those of `ChartParser.parse`, which raises what is wrong. `parser.stats` is of the last
        attempt.
    """
    attempts = [(FIRST, width, widths)]
    if width or widths is not None:
        attempts.append((WIDER, 2 * width, None if widths is None else np.where(widths > 0, 2 * widths, widths)))
    if widths is not None:
        attempts.append((OPEN, 2 * width, None))
    for stage, wide, of_cells in attempts:
        is_last = stage == attempts[-1][0]
        score, nodes = parser.parse(words, width=wide, widths=of_cells, glue=is_last)
        if np.isfinite(score):
            return Outcome(score, nodes, stage)
    return Outcome(score, nodes, GLUED)
