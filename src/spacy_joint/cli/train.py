"""`train`: train a component over shards of a corpus, with any number of workers, on any number of machines."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ..errors import Errors, JointValueError
from .options import AddressOption, EngineName


def train(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(help="Config, as for `spacy train`.", exists=True, dir_okay=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory of model-last and model-best.")],
    engine: Annotated[
        EngineName, typer.Option(help="local: one pass after the other, in this process. ray: with Ray.")
    ] = EngineName.local,
    workers: Annotated[int, typer.Option(help="Number of workers.")] = 1,
    shards: Annotated[int | None, typer.Option(help="Number of shards of the corpus. Default: one per worker.")] = None,
    address: AddressOption = None,
) -> None:
    """Train one component by iterative parameter mixing, as `spacy train` does over a single shard.

    The config can be overridden as for `spacy train`, e.g. with --paths.train CORPUS. In every epoch, each table of
    the model passes over each shard of the documents by itself; the weights of all shards are then averaged,
    evaluated, and saved. The number of shards affects the result, the engine and the number of workers do not. If the
    command is interrupted, the same command goes on after the last epoch.
    """
    from spacy.cli._util import parse_config_overrides, show_validation_error
    from spacy.util import load_config

    from ..scale.cluster import connect
    from ..scale.training import RayEngine
    from ..training.distributed import LAST, Training
    from ..training.shards import LocalEngine

    if workers < 1:
        raise JointValueError(Errors.J736, n=workers, what="workers")
    with show_validation_error(config):
        settings = load_config(config, overrides=parse_config_overrides(ctx.args), interpolate=False)
    # On this machine, there is room for all workers, whatever the number of its cores.
    with connect(address, num_cpus=workers) if engine is EngineName.ray else nullcontext() as ray:
        with show_validation_error(config, hint_fill=False):
            training = Training(settings, output, workers if shards is None else shards)
        seed = training.config["training"]["seed"]
        msg.info(f"Shards: {training.n_shards}, finished epochs: {training.progress.epoch}, seed: {seed}")
        training.run(partial(RayEngine, ray, workers) if ray else LocalEngine, sys.stdout, sys.stderr)
    msg.good(f"{output / LAST}: {training.progress.epoch} epochs")
