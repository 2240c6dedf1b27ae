"""`jackknife`: annotate the training corpus of a config with predicted tags, columns of guides, or cues."""

from pathlib import Path
from typing import Annotated

import typer

from ...errors import check_choice
from ..options import ConfigArgument, RayOption, WorkersOption


def jackknife(
    ctx: typer.Context,
    config: ConfigArgument,
    output: Annotated[Path, typer.Argument(help="Output .spacy file.", dir_okay=False)],
    folds: Annotated[int, typer.Option(help="Number of folds; each needs one training.")] = 10,
    ray: RayOption = None,
    workers: WorkersOption = 1,
) -> None:
    """Annotate a training corpus by jackknifing.

    Annotates each fold of a config's corpus with a tagger, guide or cue model trained on the other folds. The config
    can be overridden as for `spacy train`, e.g. with --paths.train CORPUS or --training.seed 1. Folds consist of
    documents; augmented copies follow their originals, and stay in the same folds if the output is annotated again,
    e.g. by a guide after a tagger. After an interruption, the same command continues after the last fold. --ray and
    --workers do not affect the result.
    """
    from ...corpora.docbin import SUFFIX
    from ...scale.training import open_calls
    from ...training.jackknifing import jackknife_corpus

    check_choice("file type", output.suffix, (SUFFIX,))
    with open_calls(ray, workers) as call:
        jackknife_corpus(config, output, folds, ctx.obj, call)
