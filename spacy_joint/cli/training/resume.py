"""`resume`: write a config that resumes an interrupted training from its last checkpoint."""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ...errors import Errors, JointFileNotFoundError
from ...files.replacing import atomic_write
from ...training.resuming import SKIP_DOCUMENTS, count_seen


def resume(
    ctx: typer.Context,
    checkpoint: Annotated[Path, typer.Argument(help="The model-last of an interrupted `spacy train`.")],
    config: Annotated[Path, typer.Argument(help="Output config for `spacy train`.")],
) -> None:
    """Write a config that resumes a training: with the same corpus, the result is as if it had not been interrupted.

    Then run `spacy train CONFIG --output DIRECTORY`, where DIRECTORY, which is emptied, does not have the checkpoint.
    Settings can be overridden as for `spacy train`, e.g. with --training.max_epochs 20. Epochs count from the original
    start; max_steps, patience and the logged scores count from the checkpoint. All trained components must be from
    this package.
    """
    from spacy import load
    from spacy.cli._util import parse_config_overrides
    from spacy.util import load_config

    if not (checkpoint / "config.cfg").is_file():
        raise JointFileNotFoundError(Errors.J073, path=checkpoint, name="config.cfg")
    settings = load_config(checkpoint / "config.cfg", parse_config_overrides(ctx.args), interpolate=False)
    n_seen = count_seen(load(checkpoint), settings.interpolate()["training"]["frozen_components"], checkpoint)
    settings["components"] = {name: {"source": str(checkpoint)} for name in settings["components"]}
    # Sourced components are not initialized.
    settings["initialize"]["components"] = {}
    batcher = settings["training"]["batcher"]
    # Training may have been resumed before; the count of documents seen is from the original start.
    inner = batcher["batcher"] if batcher["@batchers"] == SKIP_DOCUMENTS else batcher
    settings["training"]["batcher"] = {"@batchers": SKIP_DOCUMENTS, "n": n_seen, "batcher": inner}
    with atomic_write(config) as path:
        settings.to_disk(path)
    msg.good(f"{config}: resumes after {n_seen:,} documents")
