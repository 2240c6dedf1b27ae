"""What a guide thinks of a document, for the joint parser: templates. The facts of its system: pipes/guide_facts.py.

A guide is an earlier component, such as `parser_guide`, that predicts boundaries, heads and labels token by token, as
custom columns. The search combines these opinions (stacking: Nivre & McDonald 2008, Martins et al. 2008).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ..annotation.custom_columns import GUIDE_COLUMNS, GUIDE_HEAD
from .system import GUIDE_SLOTS

TEMPLATES = Path(__file__).parent / "guide_templates.txt"


def read_guide_templates(columns: Collection[str]) -> str:
    """The templates that read only these columns of a guide."""
    missing = [f".{name}" for name in GUIDE_COLUMNS if name not in columns]
    if GUIDE_HEAD not in columns:
        missing += GUIDE_SLOTS
    lines = TEMPLATES.read_text(encoding="utf8").splitlines()
    return "\n".join(line for line in lines if line.startswith("#") or not any(name in line for name in missing))
