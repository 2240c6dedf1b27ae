"""Resuming an interrupted training: the same batches are made again, and those already used are skipped.

spaCy's training loop derives the order of documents from its seed. A resumed training therefore repeats everything
from the start, including all random numbers, but skips the documents that the checkpoint has seen: the result is
byte-identical to that of an uninterrupted training. `python -m spacy joint resume` writes a config that does this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..errors import Errors, JointValueError
from ..files.replacing import replace_directory_when_written

if TYPE_CHECKING:
    from spacy.language import Language

Item = TypeVar("Item")
Batcher = Callable[[Iterable[Item]], Iterable[list[Item]]]

SKIP_DOCUMENTS = "spacy_joint.skip_documents.v1"


def create_skip_documents(*, n: int, batcher: Batcher[Item]) -> Batcher[Item]:
    """Make a batcher that skips the first documents, across epochs, registered as `spacy_joint.skip_documents.v1`.

    n: The number of documents to skip: those that a checkpoint has seen.
    batcher: The original batcher.
    Raises ValueError (J444), while batches are made, if the first n documents do not end at the end of a batch.
    """
    left = n

    def skip(items: Iterable[Item]) -> Iterator[list[Item]]:
        nonlocal left
        for batch in batcher(items):
            if left == 0:
                yield batch
                continue
            left -= len(batch)
            if left < 0:
                raise JointValueError(Errors.J444, n=n)

    return skip


def create_checkpoint(*, path: str) -> Callable[[Language], Language]:
    """Make a callback for `[training.before_to_disk]`, registered as `spacy_joint.checkpoint.v1`.

    `spacy train` overwrites model-last in place: if it is killed meanwhile, the directory is a mixture of two models.
    This writes the same pipeline to a directory that is always complete.

    path: The directory; earlier content is replaced.
    """

    def save(nlp: Language) -> Language:
        with replace_directory_when_written(Path(path)) as directory:
            nlp.to_disk(directory)
        return nlp

    return save
