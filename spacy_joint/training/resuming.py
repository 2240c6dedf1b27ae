"""Resuming an interrupted training: it makes the same batches again, and skips those that the checkpoint has seen.

spaCy's training loop derives the order of documents from its seed. A resumed training repeats all random numbers from
the start, so the result is byte-identical to that of an uninterrupted one. `spacy joint resume` writes its config.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import Errors, JointValueError
from ..files.replacing import atomic_write_directory

if TYPE_CHECKING:
    from spacy.language import Language

Item = TypeVar("Item")
Batcher = Callable[[Iterable[Item]], Iterable[list[Item]]]

SKIP_DOCUMENTS = "spacy_joint.skip_documents.v1"


def create_skip_documents(*, n: int, batcher: Batcher[Item]) -> Batcher[Item]:
    """Make a batcher that skips the first documents, across epochs, registered as `spacy_joint.skip_documents.v1`.

    n (int): The number of documents to skip: those that a checkpoint has seen.
    batcher (Batcher[Item]): The original batcher.
    RAISES ValueError: While batches are made, if the first n documents do not end at the end of a batch (J444).
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
    """Make a callback for `[training.before_to_disk]`, registered as `spacy_joint.checkpoint.v1`, that writes the same
    pipeline to a directory that is always complete: `spacy train` overwrites model-last in place."""

    def save(nlp: Language) -> Language:
        with atomic_write_directory(Path(path)) as directory:
            nlp.to_disk(directory)
        return nlp

    return save


def count_seen(nlp: Language, frozen: list[str], checkpoint: Path) -> int:
    """The number of documents that the trained components of a checkpoint have all seen (J442, J443)."""
    counts: dict[str, int] = {}
    for name, pipe in nlp.pipeline:
        if name in frozen or not getattr(pipe, "is_trainable", False):
            continue
        perceptron: Any = getattr(pipe, "perceptron", None)
        if perceptron is None:
            what = "is not from this package"
        elif not perceptron.is_set_up or not perceptron.weights.is_learning:
            what = "was saved without its training state"
        else:
            what = "" if perceptron.n_seen else "has no count of the documents that it has seen"
        if what:
            raise JointValueError(Errors.J442, path=checkpoint, name=name, what=what)
        counts[name] = perceptron.n_seen
    if len(set(counts.values())) > 1:
        found = ", ".join(f"{name}: {count}" for name, count in counts.items())
        raise JointValueError(Errors.J443, path=checkpoint, counts=found)
    return next(iter(counts.values()), 0)
