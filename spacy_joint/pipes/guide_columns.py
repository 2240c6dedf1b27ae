"""The columns of a guide for components that read them: info of a guided parser, templates, and places of spans."""

from collections.abc import Collection
from pathlib import Path

import numpy as np
from spacy.training import Example

from ..annotation.custom_columns import GUIDE_COLUMNS, GUIDE_HEAD, SPAN_PLACES
from ..errors import Errors, JointValueError
from .token_columns import find_whitespace

# For words whose head is unknown, or is whitespace.
NO_HEAD = np.iinfo(np.int32).min


def find_guide_info(offsets: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Finds the distance from each word to its head, in words (or NO_HEAD), and to its last dependent (or 0 if none
    follows it); int32, words x 2. `offsets` has the offset of each token's head, NaN if unknown.

    RAISES ValueError: If an offset is not an integer (J615).
    """
    n = len(words)
    info = np.zeros((n, 2), dtype=np.int32)
    info[:, 0] = NO_HEAD
    numbers = offsets[words]
    known = np.isfinite(numbers)
    if (numbers[known] % 1).any():
        raise JointValueError(Errors.J615, name=GUIDE_HEAD)
    rows = np.full(len(offsets), -1)
    rows[words] = np.arange(n)
    places = words + np.where(known, numbers, -len(offsets)).astype(np.int64)
    inside = np.flatnonzero((places >= 0) & (places < len(offsets)))
    heads = rows[places[inside]]
    dependents, heads = inside[heads >= 0], heads[heads >= 0]
    info[dependents, 0] = heads - dependents
    np.maximum.at(info[:, 1], heads, (dependents - heads).astype(np.int32))
    return info


def read_guide_templates(
    path: Path, columns: Collection[str], slots: Collection[str] = (), names: Collection[str] = GUIDE_COLUMNS
) -> str:
    """Reads the templates of a file, without those of the guide's columns (`names`) that the component lacks
    (`columns`). Templates of `slots`, which the system fills from the column `guide_head`, need that column."""
    missing = [f".{name}" for name in names if name not in columns]
    if GUIDE_HEAD not in columns:
        missing += slots
    lines = path.read_text(encoding="utf8").splitlines()
    return "\n".join(line for line in lines if line.startswith("#") or not any(name in line for name in missing))


def find_span_places(example: Example, key: str) -> np.ndarray:
    """Finds whether a span of a group of the reference begins at a predicted token, ends with it, or contains it: 1 or
    0 (float32, tokens x 3); NaN for whitespace, and if the reference has no such group."""
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
