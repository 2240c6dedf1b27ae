"""Where the spans of a reference begin and end among the tokens of a predicted document."""

from __future__ import annotations

import numpy as np
from spacy.training import Example

from ..annotation.custom_columns import SPAN_PLACES
from .token_columns import find_whitespace


def find_span_places(example: Example, key: str) -> np.ndarray:
    """Whether a span of the reference begins at a predicted token, ends with it, or contains it.

    key (str): The group of spans.
    RETURNS (np.ndarray): 1 or 0 (float32, tokens x 3); NaN for whitespace, and if the reference has no such group.
    """
    is_space = find_whitespace(example.predicted)
    places = np.full((len(is_space), len(SPAN_PLACES)), np.nan, dtype=np.float32)
    if key not in example.reference.spans:
        return places
    places[~is_space] = 0.0
    aligned = example.alignment.y2x
    for span in example.reference.spans[key]:
        tokens = aligned[span.start : span.end]
        tokens = tokens[~is_space[tokens]]
        if len(tokens):
            first, last = int(tokens.min()), int(tokens.max())
            places[first, 0] = places[last, 1] = 1.0
            inside = places[first : last + 1, 2]
            inside[~np.isnan(inside)] = 1.0
    return places
