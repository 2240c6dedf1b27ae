"""Scores of what a `span_guide` thinks of where spans begin and end, each token by itself."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from spacy.scorer import PRFScore
from spacy.training import Example

from ..annotation.custom_columns import SPAN_PLACES, name_span_columns, read_column
from ..pipes.span_places import find_span_places


def make_span_guide_scorer() -> Callable[..., dict[str, Any]]:
    """Make the scorer, registered as `spacy_joint.span_guide_scorer.v1`."""
    return score_span_guides


def score_span_guides(examples: Iterable[Example], *, labels: Sequence[str], **kwargs: Any) -> dict[str, Any]:
    """Score the columns of a span guide: tokens with log-odds above 0. Scores are between 0 and 1, or None if nothing
    could be scored.

    - `span_guide_p`, `span_guide_r`, `span_guide_f`: the tokens at which spans begin, and those with which they end.
    - `span_guide_per_type`: the same for each column.

    Whitespace, and documents whose reference does not have the group of spans, are skipped.

    examples: The predicted and the reference documents.
    labels: The groups of spans.
    """
    columns = {name: PRFScore() for key in labels for name in name_span_columns(key)}
    for example in examples:
        for key in labels:
            for name, right in zip(name_span_columns(key), find_span_places(example, key).T, strict=True):
                odds = read_column(example.predicted, name)
                if odds is not None:
                    known, found = ~np.isnan(right), np.asarray(odds, dtype=np.float32) > 0
                    score, is_right = columns[name], right > 0
                    score.tp += int((found & is_right).sum())
                    score.fp += int((found & ~is_right & known).sum())
                    score.fn += int((~found & is_right).sum())
    edges = PRFScore()
    for name, score in columns.items():
        if not name.endswith(SPAN_PLACES[-1]):
            edges += score
    p, r, f = (edges.precision, edges.recall, edges.fscore) if len(edges) else (None,) * 3
    per_type = {name: score.to_dict() for name, score in columns.items()} if len(edges) else None
    return {"span_guide_p": p, "span_guide_r": r, "span_guide_f": f, "span_guide_per_type": per_type}
