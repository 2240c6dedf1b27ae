"""Templates that read the columns of a guide, `parser_guide` or `span_guide`: a component has those for the columns in
its settings, after the templates of its task.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ..annotation.custom_columns import GUIDE_COLUMNS, GUIDE_HEAD


def read_guide_templates(
    path: Path, columns: Collection[str], slots: Collection[str] = (), names: Collection[str] = GUIDE_COLUMNS
) -> str:
    """The templates of a file that read only these columns of a guide.

    path (Path): The file.
    columns (Collection[str]): The columns in the settings of a component.
    slots (Collection[str]): The slots that the system fills from the column `guide_head`.
    names (Collection[str]): The columns of the guide.
    """
    missing = [f".{name}" for name in names if name not in columns]
    if GUIDE_HEAD not in columns:
        missing += slots
    lines = path.read_text(encoding="utf8").splitlines()
    return "\n".join(line for line in lines if line.startswith("#") or not any(name in line for name in missing))
