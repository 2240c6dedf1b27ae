"""Values that components and users provide for the tokens of a `Doc`, as input of later components: pauses, pitch, the
predictions of another model.

They are plain lists or arrays in `doc._.token_columns`, by name, with one value per token, and are saved with the
document.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc, Token

from .extensions import read_values, register

TOKEN_COLUMNS = "token_columns"
# The seconds of silence before a word, which every component reads in bins: see pipes/custom_columns.py.
PAUSE = "pause"
# The columns of a `parser_guide`: the log-odds of a sentence start; the offset of the head, 0 for a root; the margin of
# its score over the next one; the label.
GUIDE_COLUMNS = ("guide_boundary", "guide_head", "guide_margin", "guide_label")
GUIDE_BOUNDARY, GUIDE_HEAD, GUIDE_MARGIN, GUIDE_LABEL = GUIDE_COLUMNS
# The column of token info of a streamed piece (see `find_guide_info`), set by the guide as it depends on other pieces.
GUIDE_INFO = "guide_facts"
# The column of a `sequence_tagger` with the setting `features`: the tag with these features, None for whitespace.
FINE_TAG = "fine_tag"
# The columns of a `span_guide`: see `name_span_columns`.
SPAN_PLACES = ("begin", "end", "inside")
# The key of `token_columns` in `doc.user_data`: see spaCy's `Underscore`. Its stub only allows strings.
KEY: Any = ("._.", TOKEN_COLUMNS, None, None)

register(Doc, TOKEN_COLUMNS, default={})


def name_span_columns(key: str) -> tuple[str, ...]:
    """Names the columns of a `span_guide` with the log-odds that a span of a group begins at a token, ends with it, or
    contains it: `quotations_begin`, `quotations_end`, `quotations_inside`."""
    return tuple(f"{key}_{place}" for place in SPAN_PLACES)


def read_column(doc: Doc, name: str) -> Any | None:
    """Reads the values of a column in `doc._.token_columns`, or else of an extension attribute of `Token` or `Doc`."""
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
    """Copies all columns to a document with the same tokens, or only those `kept`: a mask, or their positions."""
    columns: dict[str, Any] = dict(source.user_data.get(KEY, {}))
    for name, values in columns.items() if kept is not None else ():
        is_array = isinstance(values, np.ndarray)
        columns[name] = values[kept] if is_array else [values[i] for i in np.arange(len(values))[kept].tolist()]
    if columns:
        target.user_data[KEY] = columns
