"""The base class of components that build constituents from smaller ones."""

from collections.abc import Sequence
from typing import Any

from ..annotation.constituents import register_extensions
from ..engine.templates import Templates
from ..trees.transform import INTERMEDIATE
from .structured_pipe import Prediction, StructuredPipe

register_extensions()


class PhrasePipe(StructuredPipe[Prediction]):
    """Builds constituents. The dict of labels has "unary" ones, and "binary" ones with the side of the head, L or R."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._columns_read: tuple[str, ...] = ()

    @property
    def tag_column(self) -> int:
        """The column with the tags of words, which the system itself reads; -1 if the templates do not use it."""
        return self._columns_read.index("tag") if "tag" in self._columns_read else -1

    def extend_labels(self, labels: dict[str, Any] | None, added: Sequence[str]) -> dict[str, Any]:
        """Adds labels for unary constituents, and for binary ones with the head on either side."""
        labels = labels or {"unary": [], "binary": []}
        if not added:
            return labels
        binary = {(prefix + label, side) for label in added for prefix in ("", INTERMEDIATE) for side in "LR"}
        return {
            **labels,
            "unary": sorted({*labels["unary"], *added}),
            "binary": sorted(map(list, binary.union(map(tuple, labels["binary"])))),
        }

    def _set_up(self, labels: Any, templates: str) -> None:
        self._columns_read = Templates(templates, self.all_columns, self.make_system(labels)).columns
        super()._set_up(labels, templates)
