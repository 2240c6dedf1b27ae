"""`train`: train a component over shards of a corpus, with any number of workers, on any number of machines."""

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from spacy.util import load_config
from wasabi import msg

from ..options import ConfigArgument, RayOption


def train(
    ctx: typer.Context,
    config: ConfigArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory of model-last and model-best.")],
    shards: Annotated[int | None, typer.Option(min=1, help="Number of shards. Default: one per worker.")] = None,
    ray: RayOption = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of workers; without --ray, they take turns.")] = 1,
) -> None:
    """Train one component on many workers.

    The method is iterative parameter mixing; with one shard, the result is that of `spacy train`. The config can be
    overridden as for `spacy train`, e.g. with --paths.train CORPUS. In every epoch, each table of the model learns from
    each shard of the documents separately; the weights of all shards are then averaged, evaluated, and saved. The
    number of shards affects the result; --ray and --workers do not. After an interruption, the same command continues
    from the last epoch.
    """
    from ...scale.cluster import connect
    from ...scale.training import RayPassRunner
    from ...training.distributed import LAST, Training
    from ...training.passes import Worker

    settings = load_config(config, overrides=ctx.obj, interpolate=False)
    # A local Ray gives each worker a CPU, regardless of the number of cores.
    with nullcontext() if ray is None else connect(ray, num_cpus=workers) as cluster:
        training = Training(settings, output, shards or workers)
        seed = training.config["training"]["seed"]
        msg.info(f"Shards: {training.n_shards}, finished epochs: {training.progress.epoch}, seed: {seed}")
        make_runner = Worker if ray is None else partial(RayPassRunner, cluster, workers)
        training.run(make_runner, sys.stdout, sys.stderr)
    msg.good(f"{output / LAST}: {training.progress.epoch} epochs")
