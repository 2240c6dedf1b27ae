"""`resume`: write a config that resumes an interrupted training from its last checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from wasabi import msg

from ..errors import Errors, JointFileNotFoundError, JointValueError
from ..files.replacing import replace_when_written
from ..training.resuming import SKIP_DOCUMENTS

if TYPE_CHECKING:
    from spacy.language import Language


def resume(
    ctx: typer.Context,
    checkpoint: Annotated[Path, typer.Argument(help="The model-last of an interrupted `spacy train`.")],
    config: Annotated[Path, typer.Argument(help="Output config for `spacy train`.")],
) -> None:
    """Write a config that resumes a training: with the same corpus, the result is as if it had not been interrupted.

    Then run `spacy train CONFIG --output DIRECTORY`. The directory is emptied, so it must not contain the checkpoint.
    Settings can be overridden as for `spacy train`, e.g. with --training.max_epochs 20. Epochs count from the original
    start; max_steps, patience and the logged scores count from the checkpoint. All trained components must be from
    this package.
    """
    from spacy import load
    from spacy.cli._util import parse_config_overrides
    from spacy.util import load_config

    if not (checkpoint / "config.cfg").is_file():
        raise JointFileNotFoundError(Errors.J414, path=checkpoint)
    settings = load_config(checkpoint / "config.cfg", parse_config_overrides(ctx.args), interpolate=False)
    n_seen = count_seen(load(checkpoint), settings.interpolate()["training"]["frozen_components"], checkpoint)
    settings["components"] = {name: {"source": str(checkpoint)} for name in settings["components"]}
    # Sourced components are not initialized.
    settings["initialize"]["components"] = {}
    batcher = settings["training"]["batcher"]
    # Training may have been resumed before; the count of documents seen is from the original start.
    inner = batcher["batcher"] if batcher["@batchers"] == SKIP_DOCUMENTS else batcher
    settings["training"]["batcher"] = {"@batchers": SKIP_DOCUMENTS, "n": n_seen, "batcher": inner}
    with replace_when_written(config) as path:
        settings.to_disk(path)
    msg.good(f"{config}: resumes after {n_seen:,} documents")


def count_seen(nlp: Language, frozen: list[str], checkpoint: Path) -> int:
    """The number of documents that the trained components of a checkpoint have seen.

    RAISES ValueError: If a component cannot be resumed exactly (J442), or if their numbers differ (J443).
    """
    from ..pipes.structured_pipe import StructuredPipe

    counts: dict[str, int] = {}
    for name, pipe in nlp.pipeline:
        component: Any = pipe
        if name in frozen or not getattr(component, "is_trainable", False):
            continue
        if not isinstance(component, StructuredPipe):
            raise JointValueError(Errors.J442, path=checkpoint, name=name, what="is not from this package")
        perceptron = component.perceptron
        if not perceptron.is_set_up or not perceptron.weights.is_learning:
            what = "was saved without its training state"
            raise JointValueError(Errors.J442, path=checkpoint, name=name, what=what)
        if not perceptron.n_seen:
            raise JointValueError(
                Errors.J442, path=checkpoint, name=name, what="has no count of the documents that it has seen"
            )
        counts[name] = perceptron.n_seen
    if len(set(counts.values())) > 1:
        found = ", ".join(f"{name}: {count}" for name, count in counts.items())
        raise JointValueError(Errors.J443, path=checkpoint, counts=found)
    return next(iter(counts.values()), 0)
