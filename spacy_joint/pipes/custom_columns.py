"""Columns that components and users provide: numbers in bins, and other values by hash. The values are in a `Doc`
(annotation/custom_columns.py); the setting `columns` of a component names those that its templates may read. Missing
values are 0, as are those of missing tokens. Every component has the columns BUILT_IN, which documents may lack."""

from collections.abc import Collection, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..annotation.custom_columns import PAUSE, read_column
from ..errors import Errors, JointValueError, check_value

EDGES = "edges"
# Chosen on the aligned words of Earnings-22: binned like this, pauses predict boundaries nearly as well as unbinned.
BUILT_IN: Mapping[str, Mapping[str, Any]] = {PAUSE: {EDGES: [0.005, 0.1, 0.2, 0.3, 0.45, 0.65, 0.9, 1.3]}}


class CustomColumns:
    """The custom columns of a component: those of the settings and of BUILT_IN, whose bins a setting may change. Names
    must not be `taken`.

    By column, `settings` has "edges" (ascending) for numbers, whose bin is the number of edges not above them, or
    nothing for categories, which are strings or integers.
    RAISES ValueError: If a name or a setting is invalid (J030).
    """

    def __init__(self, settings: Mapping[str, Mapping[str, Any]], taken: Collection[str] = ()) -> None:
        # The columns that documents should have.
        self.wanted = tuple(settings)
        self.edges: dict[str, np.ndarray | None] = {}
        settings = {**settings, **{name: bins for name, bins in BUILT_IN.items() if name not in settings}}
        self.names = tuple(settings)
        for name, described in settings.items():
            is_free = name not in taken and "." not in name and name and len(name.split()) == 1
            allowed = "a name without whitespace and dots that the component does not use itself"
            check_value("The name of a column", name, is_free, allowed)
            self.edges[name] = _read_edges(name, described)

    def __reduce__(self) -> tuple[Any, ...]:
        return (CustomColumns, (self.describe(self.wanted),))

    def describe(self, names: Iterable[str]) -> dict[str, dict[str, list[float]]]:
        """Returns the settings of the custom columns among `names`, sorted."""
        edges = {name: self.edges[name] for name in sorted(set(self.edges).intersection(names))}
        return {name: {} if numbers is None else {EDGES: numbers.tolist()} for name, numbers in edges.items()}

    def list_missing(self, doc: Doc, names: Iterable[str]) -> list[str]:
        """Lists the columns among `names` that are in the settings but missing in a document."""
        return [name for name in names if name in self.wanted and read_column(doc, name) is None]

    def read(self, doc: Doc, name: str) -> np.ndarray:
        """Reads the values of a column, for the engine (uint64, one per token).
        RAISES ValueError: If there is not one value per token (J612), or one is of the wrong type (J613)."""
        values = _read_values(doc, name)
        if values is None:
            return np.zeros(len(doc), dtype=np.uint64)
        edges = self.edges[name]
        if edges is None:
            return _hash(name, values)
        numbers = _to_numbers(name, values)
        bins = np.searchsorted(edges, numbers, side="right").astype(np.uint64) + np.uint64(1)
        bins[np.isnan(numbers)] = 0
        return bins


def _hash(name: str, values: Any) -> np.ndarray:
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    for value in listed:
        if not (value is None or isinstance(value, (str, Integral))):
            raise JointValueError(Errors.J613, name=name, value=value, allowed="strings or integers")
    distinct: set[Any] = set(listed) - {None}
    # True and 1 are the same key.
    ids = {value: get_string_id(value if isinstance(value, str) else str(int(value))) for value in distinct}
    return np.array([ids.get(value, 0) for value in listed], dtype=np.uint64)


def _read_edges(name: str, described: Any) -> np.ndarray | None:
    """Reads the edges of bins; None for categories."""
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
        name, allowed = f"The setting of the column '{name}'", "'edges', a list of ascending numbers, or nothing"
        raise JointValueError(Errors.J030, name=name, value=described, allowed=allowed) from error
    return array


def _read_values(doc: Doc, name: str) -> Any | None:
    values = read_column(doc, name)
    if values is None:
        return None
    if isinstance(values, (str, Mapping)) or not hasattr(values, "__len__") or len(values) != len(doc):
        is_list = isinstance(values, (list, tuple, np.ndarray))
        found = f"a list of {len(values)} values" if is_list else f"of type {type(values).__name__}"
        raise JointValueError(Errors.J612, name=name, found=found, n_tokens=len(doc))
    return values


def read_numbers(doc: Doc, name: str) -> np.ndarray:
    """Reads the values of a column of numbers (float64, one per token); NaN for missing ones.
    RAISES ValueError: If there is not one value per token (J612), or one is not a number (J613)."""
    values = _read_values(doc, name)
    return np.full(len(doc), np.nan) if values is None else _to_numbers(name, values)


def _to_numbers(name: str, values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        for value in values:
            if array.ndim != 1 or not (value is None or isinstance(value, Real)):
                raise JointValueError(Errors.J613, name=name, value=value, allowed="numbers, because it has edges")
    return array.astype(np.float64)
