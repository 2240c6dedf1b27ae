"""Columns that components and users bring: numbers in bins, and anything else by its hash.

The values are in a `Doc` (annotation/custom_columns.py); a component names those that its templates may read in its
setting `columns`. Missing values are 0, as are those of missing tokens.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..annotation.custom_columns import read_column
from ..errors import Errors, JointValueError

EDGES = "edges"
# The cache of categories is cleared at this size, so that memory is bounded.
MAX_CATEGORIES = 1 << 17


class CustomColumns:
    """The columns of a component that are not made from its tokens.

    settings (Mapping): The settings of each column by its name: "edges" (list of float, ascending) for numbers, nothing
        for categories, which are strings or integers. A number's bin is the number of edges that are not above it.
    taken (Collection[str]): Names of other columns.
    RAISES ValueError: If a name or a setting is invalid (J610, J611).
    """

    def __init__(self, settings: Mapping[str, Mapping[str, Any]], taken: Collection[str] = ()) -> None:
        self.names = tuple(settings)
        self.edges: dict[str, np.ndarray | None] = {}
        for name, described in settings.items():
            if name in taken or "." in name or not name or len(name.split()) != 1:
                raise JointValueError(Errors.J610, name=name)
            self.edges[name] = _read_edges(name, described)
        self._forget()

    def _forget(self) -> None:
        # The values of categories that have been seen. Several threads may read.
        self._categories: dict[Any, int] = {None: 0, "": 0}

    def __reduce__(self) -> tuple[Any, ...]:
        settings = {name: {} if edges is None else {EDGES: edges.tolist()} for name, edges in self.edges.items()}
        return (CustomColumns, (settings,))

    def list_missing(self, doc: Doc, names: Iterable[str]) -> list[str]:
        """Those of the names that are custom columns which a document does not have."""
        return [name for name in names if name in self.edges and read_column(doc, name) is None]

    def read(self, doc: Doc, name: str) -> np.ndarray:
        """The values of a column, for the engine (uint64, one per token).

        RAISES ValueError: If there is not one value per token (J612), or if one is of the wrong type (J613).
        """
        values = _read_values(doc, name)
        if values is None:
            return np.zeros(len(doc), dtype=np.uint64)
        edges = self.edges[name]
        if edges is None:
            return self._hash(name, values)
        numbers = _to_numbers(name, values)
        bins = np.searchsorted(edges, numbers, side="right").astype(np.uint64) + np.uint64(1)
        bins[np.isnan(numbers)] = 0
        return bins

    def _hash(self, name: str, values: Any) -> np.ndarray:
        known = self._categories
        listed = values.tolist() if isinstance(values, np.ndarray) else values
        try:
            new = set(listed).difference(known)
        except TypeError as error:
            raise JointValueError(Errors.J613, name=name, value=listed[0], allowed="strings or integers") from error
        for value in new:
            if not isinstance(value, (str, Integral)):
                raise JointValueError(Errors.J613, name=name, value=value, allowed="strings or integers")
            # True and 1 are the same key.
            known[value] = get_string_id(value if isinstance(value, str) else str(int(value)))
        if len(known) > MAX_CATEGORIES:
            self._forget()
        return np.fromiter(map(known.__getitem__, listed), dtype=np.uint64, count=len(listed))


def _read_edges(name: str, described: Any) -> np.ndarray | None:
    """The edges of bins; None for categories."""
    try:
        if set(described) - {EDGES}:
            raise TypeError
        edges = described.get(EDGES)
        if edges is None:
            return None
        array = np.array(edges, dtype=np.float64)
        if array.ndim != 1 or not array.size or not np.isfinite(array).all() or (np.diff(array) <= 0).any():
            raise ValueError
    except (AttributeError, TypeError, ValueError) as error:
        raise JointValueError(Errors.J611, name=name, found=described) from error
    return array


def _read_values(doc: Doc, name: str) -> Any | None:
    """The values of a column; None if there are none.

    RAISES ValueError: If there is not one value per token.
    """
    values = read_column(doc, name)
    if values is None:
        return None
    if isinstance(values, (str, Mapping)) or not hasattr(values, "__len__") or len(values) != len(doc):
        found = len(values) if isinstance(values, (list, tuple, np.ndarray)) else type(values).__name__
        raise JointValueError(Errors.J612, name=name, found=found, n_tokens=len(doc))
    return values


def read_numbers(doc: Doc, name: str) -> np.ndarray:
    """The values of a column of numbers (float64, one per token); NaN for missing ones.

    RAISES ValueError: If there is not one value per token (J612), or if one is not a number (J613).
    """
    values = _read_values(doc, name)
    return np.full(len(doc), np.nan) if values is None else _to_numbers(name, values)


def _to_numbers(name: str, values: Any) -> np.ndarray:
    """Numbers as floats; NaN for missing ones.

    RAISES ValueError: If one is not a number.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise JointValueError(Errors.J613, name=name, value=values[0], allowed="numbers, because it has edges")
    if array.dtype.kind not in "biuf":
        for value in values:
            if value is not None and not isinstance(value, Real):
                raise JointValueError(Errors.J613, name=name, value=value, allowed="numbers, because it has edges")
    return array.astype(np.float64)
