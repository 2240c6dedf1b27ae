"""Values that components and users bring for the tokens of a `Doc`, as input of later components: pauses, pitch, what
another model thinks.

They are plain lists or arrays in `doc._.token_columns`, by name, with one value per token. They are saved with the
document, like anything in `doc.user_data`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc, Token

from .extensions import read_values

TOKEN_COLUMNS = "token_columns"
# The columns of a `parser_guide`: the log-odds of a sentence start; the offset of the head, 0 for the root of a
# sentence; by how much its score exceeds that of any other head; the label.
GUIDE_COLUMNS = ("guide_boundary", "guide_head", "guide_margin", "guide_label")
GUIDE_BOUNDARY, GUIDE_HEAD, GUIDE_MARGIN, GUIDE_LABEL = GUIDE_COLUMNS
# The columns of a `span_guide`: see `name_span_columns`.
SPAN_PLACES = ("begin", "end", "inside")
# Its place in `doc.user_data`, see spaCy's `Underscore`; stubs know strings only.
KEY: Any = ("._.", TOKEN_COLUMNS, None, None)


def register_extensions() -> None:
    """Registers `Doc._.token_columns`, unless it exists: a dict, empty at first."""
    if not Doc.has_extension(TOKEN_COLUMNS):
        Doc.set_extension(TOKEN_COLUMNS, default={})


register_extensions()


def name_span_columns(key: str) -> tuple[str, ...]:
    """The columns of a `span_guide` with the log-odds that a span of the group `doc.spans[key]` begins at a token, ends
    with it, or contains it: `quotations_begin`, `quotations_end`, `quotations_inside`."""
    return tuple(f"{key}_{place}" for place in SPAN_PLACES)


def read_column(doc: Doc, name: str) -> Any | None:
    """The values of a column: those in `doc._.token_columns`, or else of the extension attribute with this name of
    `Token` or of `Doc`; None if there are none."""
    columns = doc.user_data.get(KEY, {})
    if name in columns:
        return columns[name]
    if Token.has_extension(name):
        values = read_values(list(doc), name)
        return None if all(value is None for value in values) else values
    return doc._.get(name) if Doc.has_extension(name) else None


def write_column(doc: Doc, name: str, values: Sequence[Any] | np.ndarray) -> None:
    """Sets the values of a column, one per token."""
    doc.user_data[KEY] = {**doc.user_data.get(KEY, {}), name: values}


def copy_columns(source: Doc, target: Doc, kept: np.ndarray | None = None) -> None:
    """Copies all columns to a document with the same tokens.

    kept (np.ndarray | None): Which tokens of the source the target has: a mask, or their positions; None: all.
    """
    columns: Mapping[str, Any] = source.user_data.get(KEY, {})
    if kept is not None:
        columns = {
            name: values[kept]
            if isinstance(values, np.ndarray)
            else [values[i] for i in np.arange(len(values))[kept].tolist()]
            for name, values in columns.items()
        }
    if columns:
        target.user_data[KEY] = dict(columns)
