"""Groups consecutive items by a minimum size."""

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import TypeVar

Item = TypeVar("Item")


def group_by_size(
    items: Iterable[Item], measure: Callable[[Item], int], min_size: int, max_items: float = inf
) -> Iterator[list[Item]]:
    """Group consecutive items; a group ends as soon as its size is `min_size`, or it has `max_items`. Only the last one
    may be smaller."""
    group: list[Item] = []
    size = 0
    for item in items:
        group.append(item)
        size += measure(item)
        if size >= min_size or len(group) >= max_items:
            yield group
            group, size = [], 0
    if group:
        yield group
