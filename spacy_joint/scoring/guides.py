"""Scores of the independent decisions of guides: about boundaries, heads and labels, and the ends of spans.

They are a baseline for the guided search, comparable with its scores (boundaries_and_trees.py): boundaries over tokens,
and attachment over all tokens. Nothing is repaired, so heads need not be trees.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from spacy.scorer import PRFScore
from spacy.training import Example

from ..annotation import custom_columns
from ..pipes.guide_columns import find_span_places
from ..pipes.token_columns import find_reference_starts
from .counts import count, divide, make_factory, report

GUIDE = (custom_columns.GUIDE_BOUNDARY, custom_columns.GUIDE_HEAD, custom_columns.GUIDE_LABEL)


def score_guides(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score the columns of a guide. Scores are between 0 and 1, or None if nothing could be scored.

    - `guide_boundary_p`, `guide_boundary_r`, `guide_boundary_f`: tokens with log-odds of a sentence start above 0. The
      first token that is not whitespace starts a sentence.
    - `guide_uas`, `guide_las`: heads, and heads with labels, over all tokens except whitespace.

    Tokens without a counterpart in the reference, or without a head or boundary there, are skipped.
    """
    boundaries = PRFScore()
    n = correct = labelled = 0
    for example in examples:
        predicted = example.predicted
        odds, offsets, labels = (custom_columns.read_column(predicted, name) for name in GUIDE)
        if odds is None or offsets is None or labels is None:
            continue
        starts = find_reference_starts(example)
        heads, names = example.get_aligned_parse(projectivize=False)
        words = np.flatnonzero(~np.isnan(np.asarray(offsets, dtype=np.float32))).tolist()
        for token in words:
            if starts is not None:
                is_start, found = bool(starts[token]), bool(odds[token] > 0) or token == words[0]
                count(boundaries, found and is_start, found, is_start)
            if heads[token] is not None and names[token]:
                n += 1
                is_correct = token + int(offsets[token]) == heads[token]
                correct += is_correct
                labelled += is_correct and labels[token].lower() == names[token].lower()
    return {
        **report("guide_boundary", boundaries),
        "guide_uas": divide(correct, n),
        "guide_las": divide(labelled, n),
    }


def score_span_guides(examples: Iterable[Example], *, labels: Sequence[str], **kwargs: Any) -> dict[str, Any]:
    """Score the columns of a span guide: tokens with log-odds above 0. Scores are between 0 and 1, or None if nothing
    could be scored.

    - `span_guide_p`, `span_guide_r`, `span_guide_f`: the tokens at which spans begin, and those with which they end.
    - `span_guide_per_type`: the same for each column.

    Whitespace, and documents whose reference does not have the group of spans (labels), are skipped.
    """
    columns = {name: PRFScore() for key in labels for name in custom_columns.name_span_columns(key)}
    for example in examples:
        for key in labels:
            names = custom_columns.name_span_columns(key)
            for name, correct in zip(names, find_span_places(example, key).T, strict=True):
                if (odds := custom_columns.read_column(example.predicted, name)) is not None:
                    known, found = ~np.isnan(correct), np.asarray(odds, dtype=np.float32) > 0
                    is_correct = correct > 0
                    numbers = (each.sum() for each in (found & is_correct, found & known, is_correct))
                    count(columns[name], *map(int, numbers))
    inside = custom_columns.SPAN_PLACES[-1]
    edges = sum((score for name, score in columns.items() if not name.endswith(inside)), PRFScore())
    per_type = {name: score.to_dict() for name, score in columns.items()} if len(edges) else None
    return {**report("span_guide", edges), "span_guide_per_type": per_type}


# Registered as `spacy_joint.guide_scorer.v1` and `spacy_joint.span_guide_scorer.v1`.
make_guide_scorer, make_span_guide_scorer = make_factory(score_guides), make_factory(score_span_guides)
