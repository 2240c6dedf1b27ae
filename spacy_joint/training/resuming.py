"""Resuming an interrupted training: makes the same batches again, and skips those that the checkpoint has seen.

spaCy's training loop derives the order of documents from its seed. A resumed training repeats all random numbers from
the start, so its result is byte-identical to that of uninterrupted training. `spacy joint resume` writes its config.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from spacy import load
from spacy.language import Language
from spacy.util import load_config
from thinc.api import Config

from ..errors import Errors, JointValueError
from ..files.atomic import atomic_write_directory, write_bytes

Item = TypeVar("Item")
Batcher = Callable[[Iterable[Item]], Iterable[list[Item]]]

SKIP_DOCUMENTS = "spacy_joint.skip_documents.v1"


def create_skip_documents(*, n: int, batcher: Batcher[Item]) -> Batcher[Item]:
    """Make a batcher that skips the first documents, across epochs, registered as `spacy_joint.skip_documents.v1`.

    n (int): The number of documents to skip: those that a checkpoint has seen.
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
    """Make a callback for `[training.before_to_disk]`, registered as `spacy_joint.checkpoint.v1`. It also writes the
    pipeline to a directory that is always complete, whereas `spacy train` overwrites model-last in place. Guides can
    only be resumed from there: model-last lacks the large state of their optimizer."""

    def save(nlp: Language) -> Language:
        with atomic_write_directory(Path(path)) as directory:
            nlp.to_disk(directory)
            for name, pipe in nlp.pipeline:
                if (learning := getattr(pipe, "learning_to_bytes", lambda: None)()) is not None:
                    write_bytes(directory / name / "learning", learning)
        return nlp

    return save


def read_progress(nlp: Language, frozen: list[str], checkpoint: Path) -> tuple[int, int]:
    """Read the progress that all trained components of a checkpoint share (J442, J443): the number of documents seen
    since training was first started, and that of the steps of a guide's optimizer since it was started or resumed."""
    counts: dict[str, int] = {}
    guides: dict[str, int] = {}
    for name, pipe in nlp.pipeline:
        if name in frozen or not getattr(pipe, "is_trainable", False):
            continue
        component: Any = pipe
        perceptron = getattr(component, "perceptron", None)
        if perceptron is not None:
            counts[name] = perceptron.n_seen
            is_learning = perceptron.is_set_up and perceptron.weights.is_learning
        elif hasattr(component, "learning_to_bytes"):
            counts[name], guides[name] = component.n_seen, component.n_steps_here
            is_learning = component.n_steps > 0
        else:
            raise JointValueError(Errors.J442, path=checkpoint, name=name, what="is not from this package")
        if not is_learning:
            what = "was saved without its training state"
        elif len(guides) > 1:
            what = "is another guide that learns: train them one after the other"
        else:
            what = "" if counts[name] else "has no count of the documents that it has seen"
        if what:
            raise JointValueError(Errors.J442, path=checkpoint, name=name, what=what)
    if len(set(counts.values())) > 1:
        found = ", ".join(f"{name}: {count}" for name, count in counts.items())
        raise JointValueError(Errors.J443, path=checkpoint, counts=found)
    return next(iter(counts.values()), 0), next(iter(guides.values()), 0)


def configure_resumption(checkpoint: Path, overrides: Mapping[str, Any]) -> tuple[Config, int]:
    """Make the config that resumes training from a checkpoint (E053, J442, J443); count the documents that it skips."""
    settings = load_config(checkpoint / "config.cfg", dict(overrides), interpolate=False)
    interpolated = settings.interpolate()["training"]
    n_seen, n_steps = read_progress(load(checkpoint), interpolated["frozen_components"], checkpoint)
    settings["components"] = {name: {"source": str(checkpoint)} for name in settings["components"]}
    # Sourced components are not initialized.
    settings["initialize"]["components"] = {}
    training = settings["training"]
    # Training may have been resumed before; the count of documents seen is from the original start.
    batcher = training["batcher"]
    inner = batcher["batcher"] if batcher["@batchers"] == SKIP_DOCUMENTS else batcher
    training["batcher"] = {"@batchers": SKIP_DOCUMENTS, "n": n_seen, "batcher": inner}
    if n_steps and interpolated["max_steps"]:
        # The schedules of the optimizer continue, and only the remaining steps are made.
        training["optimizer"] = interpolated["optimizer"]
        training["max_steps"] = interpolated["max_steps"] - n_steps
        if training["max_steps"] < 1:
            raise JointValueError(Errors.J442, path=checkpoint, name="training", what="has made all steps")
    return settings, n_seen
