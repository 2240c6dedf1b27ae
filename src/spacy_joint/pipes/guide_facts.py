"""What the heads of a guide say about the words of a document, as the facts of a guided `JointSystem` (see
parsing/system.pxd)."""

from __future__ import annotations

import numpy as np

from ..annotation.custom_columns import GUIDE_HEAD
from ..errors import Errors, JointValueError

# For words whose head is unknown, or is whitespace.
NO_HEAD = np.iinfo(np.int32).min


def find_guide_facts(offsets: np.ndarray, words: np.ndarray) -> np.ndarray:
    """The facts of the words of a document.

    offsets (np.ndarray): How far after each token its head is (floats), NaN if unknown.
    words (np.ndarray): The tokens that are not whitespace.
    RETURNS (np.ndarray): For each word, how many words after it its head is, NO_HEAD if unknown, and the last word that
        has it as its head, 0 if none comes after it (int32, words x 2).
    RAISES ValueError: If an offset is not an integer (J615).
    """
    n = len(words)
    facts = np.zeros((n, 2), dtype=np.int32)
    facts[:, 0] = NO_HEAD
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
    facts[dependents, 0] = heads - dependents
    np.maximum.at(facts[:, 1], heads, (dependents - heads).astype(np.int32))
    return facts
