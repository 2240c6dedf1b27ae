"""Measures what training over shards costs in accuracy and gains in speed, by the number of shards.

Tags are gold in training and evaluation, so scores are better than on predicted tags.
"""

from measure import PARSER, Output, format_table, report

# isort: split
import io
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from spacy.util import load_config

from spacy_joint.cli.training.configs import CONFIGS
from spacy_joint.engine.mixing import TrainingState, mix
from spacy_joint.scale.cluster import connect
from spacy_joint.scale.training import RayPassRunner
from spacy_joint.training.distributed import Training
from spacy_joint.training.passes import Pass, PassRunner, Worker

MODEL = {"table_bits": 22, "beam_width": 8, "n_tables": 1, "threads": 1}
MEASURES = {"boundary_f": "boundary F1", "dep_uas_punct": "UAS", "dep_las_punct": "LAS"}


class TimedRunner:
    """Keeps how long the passes of another runner take, and how long mixing them takes."""

    def __init__(self, make_runner: Callable[[str, bytes, int], PassRunner]) -> None:
        self.make_runner = make_runner
        self.words = 0
        # CPU seconds of all passes, and of the slowest pass of each epoch with those for mixing; seconds that passed.
        self.worked = self.slowest = self.wall = 0.0

    def make(self, config: str, pipeline: bytes, n_shards: int) -> PassRunner:
        """Makes the other runner: see `Training.run`."""
        self.runner = self.make_runner(config, pipeline, n_shards)
        return self

    def run(self, states: list[TrainingState], epoch: int) -> Iterator[list[Pass]]:
        """Runs the passes of an epoch, of the only table."""
        start = time.perf_counter()
        (passes,) = self.runner.run(states, epoch)
        self.wall += time.perf_counter() - start
        seconds = [each.cpu_seconds for each in passes]
        start = time.process_time()
        mix(states[0], [each.state for each in passes])
        self.slowest += max(seconds) + time.process_time() - start
        self.worked += sum(seconds)
        self.words += sum(each.n_words for each in passes)
        yield passes


def main(
    train: Annotated[Path, typer.Argument(help=".spacy file to train on.")],
    dev: Annotated[Path, typer.Argument(help=".spacy file to evaluate on.")],
    shards: Annotated[list[int] | None, typer.Option(help="Numbers of shards. Default: 1, 2, 4 and 8.")] = None,
    epochs: Annotated[int, typer.Option(help="Number of epochs.")] = 3,
    ray: Annotated[
        bool, typer.Option(help="A Ray actor per shard on this machine, instead of one after another.")
    ] = False,
    output: Output = None,
) -> None:
    """Print accuracy after each epoch, and words per second if each shard has a core, by the number of shards."""
    overrides = {
        "nlp.pipeline": [PARSER],
        "paths.train": str(train),
        "paths.dev": str(dev),
        "training.dev_corpus": "corpora.dev_original",
        "training.frozen_components": [],
        "training.max_epochs": epochs,
        "training.patience": 0,
        "training.score_weights": {name: 1.0 if name == "dep_las_punct" else 0.0 for name in MEASURES},
        "corpora.dev_original.keep": ["TAG"],
        "system.seed": 0,
        **{f"components.{PARSER}.model.{name}": value for name, value in MODEL.items()},
    }
    config = load_config(CONFIGS / f"{PARSER}.cfg", overrides=overrides, interpolate=False)
    del config["components"]["sequence_tagger"]
    results = []
    for n_shards in shards or [1, 2, 4, 8]:
        with TemporaryDirectory() as directory, connect(num_cpus=n_shards) if ray else nullcontext() as connected:
            training = Training(config, Path(directory), n_shards)
            make_runner = partial(RayPassRunner, connected, n_shards) if ray else Worker
            runner = TimedRunner(make_runner)
            training.run(runner.make, sys.stdout, io.StringIO())
            results.append(
                {
                    "shards": n_shards,
                    **{name: 100 * training.nlp.meta["performance"][name] for name in MEASURES},
                    "scores": [100 * score for score, _ in training.progress.results],
                    "words_per_cpu_second": runner.words / runner.worked,
                    "words_per_second_of_slowest": runner.words / runner.slowest,
                    "words_per_second": runner.words / runner.wall,
                }
            )
    header = ["shards", *MEASURES.values(), "LAS by epoch", "words/CPU s", "if each shard has a core", "words/s"]
    rows = [
        [
            str(result["shards"]),
            *(f"{result[name]:.2f}" for name in MEASURES),
            " ".join(f"{score:.2f}" for score in result["scores"]),
            *(f"{result[name]:,.0f}" for name in list(result)[-3:]),
        ]
        for result in results
    ]
    report(format_table(header, rows), {"seed": 0, "epochs": epochs, "results": results}, output)


if __name__ == "__main__":
    typer.run(main)
