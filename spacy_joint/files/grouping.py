"""Consecutive items in groups of a minimum size."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def group_by_size(items: Iterable[Item], measure: Callable[[Item], int], least: int) -> Iterator[list[Item]]:
    """Group consecutive items; a group ends as soon as its size is `least`, and only the last one may be smaller."""
    group: list[Item] = []
    size = 0
    for item in items:
        group.append(item)
        size += measure(item)
        if size >= least:
            yield group
            group, size = [], 0
    if group:
        yield group
