"""Scores of what a guide thinks: its decisions about boundaries, heads and labels, each by itself.

They are the baseline of a search that uses them, and comparable with its scores (boundaries_and_trees.py): boundaries
over tokens, and attachment over all tokens. Nothing is repaired, so heads need not be trees.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from spacy.scorer import PRFScore
from spacy.training import Example

from ..annotation.custom_columns import GUIDE_BOUNDARY, GUIDE_HEAD, GUIDE_LABEL, read_column


def make_guide_scorer() -> Callable[..., dict[str, Any]]:
    """Make the scorer, registered as `spacy_joint.guide_scorer.v1`."""
    return score_guides


def score_guides(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score the columns of a guide. Scores are between 0 and 1, or None if nothing could be scored.

    - `guide_boundary_p`, `guide_boundary_r`, `guide_boundary_f`: tokens with log-odds of a sentence start above 0. The
      first token that is not whitespace starts a sentence.
    - `guide_uas`, `guide_las`: heads, and heads with labels, over all tokens except whitespace.

    Tokens without a counterpart in the reference, or without a head or boundary there, are skipped.

    examples: The predicted and the reference documents.
    """
    boundaries = PRFScore()
    n = right = labelled = 0
    for example in examples:
        predicted = example.predicted
        odds, offsets, labels = (read_column(predicted, name) for name in (GUIDE_BOUNDARY, GUIDE_HEAD, GUIDE_LABEL))
        if odds is None or offsets is None or labels is None:
            continue
        starts = example.get_aligned_sent_starts()
        heads, names = example.get_aligned_parse(projectivize=False)
        words = np.flatnonzero(~np.isnan(np.asarray(offsets, dtype=np.float32))).tolist()
        for token in words:
            is_start, found = starts[token], bool(odds[token] > 0) or token == words[0]
            if is_start is not None:
                boundaries.tp += found and is_start
                boundaries.fp += found and not is_start
                boundaries.fn += is_start and not found
            if heads[token] is not None and names[token]:
                n += 1
                is_right = token + int(offsets[token]) == heads[token]
                right += is_right
                labelled += is_right and labels[token].lower() == names[token].lower()
    f_scores = (boundaries.precision, boundaries.recall, boundaries.fscore) if len(boundaries) else (None,) * 3
    return {
        **dict(zip(("guide_boundary_p", "guide_boundary_r", "guide_boundary_f"), f_scores, strict=True)),
        "guide_uas": right / n if n else None,
        "guide_las": labelled / n if n else None,
    }
