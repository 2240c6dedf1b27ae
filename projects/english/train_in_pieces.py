"""Trains a pipeline in pieces: each call goes on from the last checkpoint, until training has ended.

    timeout 590 python train_in_pieces.py parser_guide_trf.cfg training/guide --paths.train corpus/both.spacy

The pipeline is then training/guide/model-last, as if it had been trained at once. Calls after that do nothing. A
checkpoint is written at each evaluation (`--training.eval_frequency`): weights, and twice as much for the optimizer.
"""

import shutil
from pathlib import Path
from typing import Annotated

import typer
from spacy.cli._util import parse_config_overrides, setup_gpu
from spacy.cli.train import train
from spacy.util import load_config
from wasabi import msg

from spacy_joint.training.resuming import configure_resumption


def main(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(help="A config for `spacy train`. Its settings can be overridden.")],
    output: Annotated[Path, typer.Argument(help="The directory of model-last, and of the checkpoint until then.")],
    gpu_id: Annotated[int, typer.Option(help="The GPU; -1 for the CPU.")] = -1,
) -> None:
    """Begin a training, or go on with it."""
    if (output / "model-last").is_dir():
        msg.good(f"{output / 'model-last'} is there already")
        return
    setup_gpu(gpu_id)
    checkpoint, piece = output / "checkpoint", output / "piece"
    if checkpoint.is_dir():
        settings, n_seen = configure_resumption(checkpoint, {})
        msg.info(f"Goes on after {n_seen:,} documents")
    else:
        settings = load_config(config, parse_config_overrides(ctx.args), interpolate=False)
        callback = {"@callbacks": "spacy_joint.checkpoint.v1", "path": str(checkpoint)}
        settings["training"]["before_to_disk"] = callback
    output.mkdir(parents=True, exist_ok=True)
    settings.to_disk(output / "piece.cfg")
    train(output / "piece.cfg", piece, use_gpu=gpu_id)
    (piece / "model-last").rename(output / "model-last")
    for directory in (piece, checkpoint):
        shutil.rmtree(directory)


if __name__ == "__main__":
    app = typer.Typer(add_completion=False)
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(main)
    app()
