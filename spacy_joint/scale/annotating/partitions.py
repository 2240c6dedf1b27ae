"""Partitions of a corpus: about a megabyte of consecutive whole records, which make one shard. The contents and places
of its records determine the name of a partition, so a repeated run finds the same partitions."""

from collections.abc import Iterable, Iterator, Sequence, Set
from hashlib import sha256
from itertools import chain, starmap
from operator import attrgetter
from typing import NamedTuple

from ...files.grouping import group_by_size
from .records import Reading, Record, read_records
from .storage import StoredFile

# The minimum length of a group, in partitions.
MIN_GROUP = 16


class Group(NamedTuple):
    """Files that are read together, so that small ones share partitions."""

    number: int  # in the corpus, from 0
    files: Sequence[StoredFile]


class Partition(NamedTuple):
    """A partition of a corpus."""

    place: tuple[int, int]  # the number of its group, and its number in the group
    name: str
    n_read: int  # stored bytes
    records: Sequence[Record] = ()  # none if it has been annotated
    n_words: int | None = None  # annotated by this run; None: by an earlier one


def group_files(files: Iterable[StoredFile], shard_bytes: int) -> Iterator[Group]:
    """Divides the files of a corpus, in order, into groups of `MIN_GROUP` partitions or more, by stored sizes."""
    return starmap(Group, enumerate(group_by_size(files, attrgetter("size"), MIN_GROUP * shard_bytes)))


def read_partitions(group: Group, reading: Reading, shard_bytes: int, done: Set[str]) -> Iterator[Partition]:
    """Reads the partitions of a group of files; those named in `done` come without records."""
    found = chain.from_iterable(read_records(file, reading) for file in group.files)
    for number, records in enumerate(group_by_size(found, attrgetter("size"), shard_bytes)):
        name = sha256("".join(ascii(record[:-1]) for record in records).encode("ascii")).hexdigest()[:40]
        n_read = sum(record.n_read for record in records)
        yield Partition((group.number, number), name, n_read, () if name in done else records)
