"""Pieces of a corpus: consecutive whole records of about a megabyte, which are annotated at once and make one shard.

Which records make a piece depends on the files only, and its name on its records: their contents and places. So a run
that is started again finds the same pieces, and two pieces with the same texts are still two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from hashlib import sha256
from typing import NamedTuple

from .records import Reading, Record, read_records
from .storage import StoredFile

# The least length of a group, in pieces.
GROUPED = 16


class Group(NamedTuple):
    """Files that are read together: small ones share pieces, and a large one is alone.

    number (int): Its place in the corpus, from 0.
    files (Sequence[StoredFile]): The files.
    """

    number: int
    files: Sequence[StoredFile]


class Piece(NamedTuple):
    """A piece of a corpus.

    place (tuple[int, int]): The number of its group, and its own in the group.
    name (str): Its name, by content.
    n_read (int): How many stored bytes have been read for it.
    records (Sequence[Record]): Its records; none if it has been annotated before.
    """

    place: tuple[int, int]
    name: str
    n_read: int
    records: Sequence[Record]


def group_files(files: Iterable[StoredFile], shard_bytes: int) -> Iterator[Group]:
    """Divides the files of a corpus, in their order, into groups of `GROUPED` pieces or more, as far as can be
    told from their stored sizes."""
    least = GROUPED * shard_bytes
    number = size = 0
    small: list[StoredFile] = []
    for file in files:
        is_large = file.size >= least
        if small and (is_large or size >= least):
            yield Group(number, small)
            number, size, small = number + 1, 0, []
        if is_large:
            yield Group(number, [file])
            number += 1
        else:
            small.append(file)
            size += file.size
    if small:
        yield Group(number, small)


def read_pieces(group: Group, reading: Reading, shard_bytes: int, done: Set[str]) -> Iterator[Piece]:
    """Reads the pieces of a group of files.

    shard_bytes (int): The length from which on a piece is not continued.
    done (Set[str]): The names of pieces that have been annotated, whose records are not needed.
    """
    for number, (records, n_read) in enumerate(_fill(group.files, reading, shard_bytes)):
        name = _name(records)
        yield Piece((group.number, number), name, n_read, [] if name in done else records)


def _fill(files: Iterable[StoredFile], reading: Reading, shard_bytes: int) -> Iterator[tuple[list[Record], int]]:
    records: list[Record] = []
    size = n_read = 0
    for file in files:
        for record, n_new in read_records(file, reading):
            records.append(record)
            size += len(record.data)
            n_read += n_new
            if size >= shard_bytes:
                yield records, n_read
                records, size, n_read = [], 0, 0
    if records:
        yield records, n_read


def _name(records: Iterable[Record]) -> str:
    digest = sha256()
    for record in records:
        # Lengths keep apart what is next to each other.
        head = f"{len(record.source)} {record.source} {record.number} {record.format} {len(record.data)} "
        digest.update(head.encode("utf8", "surrogateescape"))
        digest.update(record.data)
    return digest.hexdigest()[:40]
