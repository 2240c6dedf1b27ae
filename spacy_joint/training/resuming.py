"""Training that goes on where it was interrupted: the same batches again, without those that were learnt from already.

spaCy's training loop draws the order of documents anew from its seed. So an interrupted training is repeated from its
beginning, with all that is drawn at random, and only what a checkpoint has seen is passed over: what follows is, byte
by byte, what would have followed. `python -m spacy joint resume` writes a config that does so.
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
    """Make a batcher that passes over the first documents, over epochs, registered as `spacy_joint.skip_documents.v1`.

    n: The number of documents to pass over: what a checkpoint has seen.
    batcher: Makes the batches, as it did before.
    Raises ValueError (J444), while batches are made, if n documents do not end with a batch.
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

    `spacy train` writes model-last over itself: whoever is killed then has half of one and half of the other. This
    writes the same pipeline to a directory that is always complete.

    path: The directory; its earlier content is replaced.
    """

    def save(nlp: Language) -> Language:
        with replace_directory_when_written(Path(path)) as directory:
            nlp.to_disk(directory)
        return nlp

    return save
