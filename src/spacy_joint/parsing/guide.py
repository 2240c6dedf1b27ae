"""What a guide thinks of a document, for the joint parser: facts of its system, and templates.

A guide is an earlier component, such as `parser_guide`, that predicts boundaries, heads and labels token by token, as
custom columns. The search combines these opinions (stacking: Nivre & McDonald 2008, Martins et al. 2008).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
from spacy.tokens import Doc

from ..annotation.custom_columns import GUIDE_COLUMNS, GUIDE_HEAD
from ..errors import Errors, JointValueError
from ..pipes.custom_columns import read_numbers
from .system import GUIDE_SLOTS

TEMPLATES = Path(__file__).parent / "guide_templates.txt"


def read_guide_templates(columns: Collection[str]) -> str:
    """The templates that read only these columns of a guide."""
    missing = [f".{name}" for name in GUIDE_COLUMNS if name not in columns]
    if GUIDE_HEAD not in columns:
        missing += GUIDE_SLOTS
    lines = TEMPLATES.read_text(encoding="utf8").splitlines()
    return "\n".join(line for line in lines if line.startswith("#") or not any(name in line for name in missing))


def find_guide_facts(doc: Doc, tokens: np.ndarray) -> np.ndarray:
    """The facts of a guided `JointSystem`.

    doc (Doc): The document, whose column `guide_head` has offsets of heads.
    tokens (np.ndarray): The tokens that the system sees.
    RETURNS (np.ndarray): The row of the guide's head of each of them, -1 if unknown, and the row of its last dependent,
        -1 if none (int32, rows x 2).
    RAISES ValueError: If there is not one offset per token (J612, J613), or one is not an integer (J615).
    """
    n = len(tokens)
    facts = np.full((n, 2), -1, dtype=np.int32)
    numbers = read_numbers(doc, GUIDE_HEAD)[tokens]
    known = np.isfinite(numbers)
    if (numbers[known] % 1).any():
        raise JointValueError(Errors.J615, name=GUIDE_HEAD)
    rows = np.full(len(doc), -1, dtype=np.int32)
    rows[tokens] = np.arange(n)
    heads = tokens + np.where(known, numbers, -len(doc)).astype(np.int64)
    inside = (heads >= 0) & (heads < len(doc))
    facts[inside, 0] = rows[heads[inside]]
    dependents = np.flatnonzero((facts[:, 0] >= 0) & (facts[:, 0] != np.arange(n)))
    np.maximum.at(facts[:, 1], facts[dependents, 0], dependents.astype(np.int32))
    return facts
