"""`resume`: write a config that resumes an interrupted training from its last checkpoint."""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ...files.atomic import atomic_write
from ...training.resuming import configure_resumption


def resume(
    ctx: typer.Context,
    checkpoint: Annotated[Path, typer.Argument(help="The model-last or checkpoint of an interrupted `spacy train`.")],
    output: Annotated[Path, typer.Argument(metavar="config", help="Output config for `spacy train`.", dir_okay=False)],
) -> None:
    """Write a config that resumes an interrupted training.

    Then run `spacy train CONFIG --output DIRECTORY`. DIRECTORY is emptied, so it must not contain the checkpoint. With
    the same corpus, the result is that of uninterrupted training. Settings can be overridden as for `spacy train`, e.g.
    with --training.max_epochs 20. Epochs count from the original start, and so do max_steps of a guide; other
    max_steps, patience and the logged scores count from the checkpoint. All trained components must be from this
    package; a guide needs a checkpoint that spacy_joint.checkpoint.v1 has written.
    """
    settings, n_seen = configure_resumption(checkpoint, ctx.obj)
    with atomic_write(output) as path:
        settings.to_disk(path)
    msg.good(f"{output}: resumes after {n_seen:,} documents")
