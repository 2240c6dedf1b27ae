"""`tune`: find the best settings of a config, with any number of trainings at the same time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from wasabi import msg

from ..errors import Errors, JointValueError

if TYPE_CHECKING:
    from ..scale.tuning import Trial


def tune(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(help="Config, as for `spacy train`.", exists=True, dir_okay=False)],
    space: Annotated[
        Path,
        typer.Argument(help="JSON file: values of the config, and what to try for each.", exists=True, dir_okay=False),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory of the results.")],
    trials: Annotated[int, typer.Option(help="Number of trials.")] = 20,
    workers: Annotated[int, typer.Option(help="Number of trials at the same time.")] = 1,
    address: Annotated[
        str | None, typer.Option(help="Address of the Ray cluster, or auto. Default: this machine.")
    ] = None,
) -> None:
    """Train with different settings, and write the config with the best score on the development corpus.

    The config can be overridden as for `spacy train`, e.g. with --paths.train CORPUS. The first trial has the values of
    the config itself, all others are drawn at random, by [training.seed]. A trial whose score is not among the best
    after some epochs is stopped early. Writes best.cfg, trials.jsonl, and a figure, trials.svg.
    """
    from spacy.cli._util import parse_config_overrides, show_validation_error
    from spacy.util import load_config

    from ..extras import require_packages
    from ..scale.cluster import connect
    from ..scale.tuning import Tuning

    for n, what in ((trials, "trials"), (workers, "workers")):
        if n < 1:
            raise JointValueError(Errors.J736, n=n, what=what)
    with show_validation_error(config):
        settings = load_config(config, overrides=parse_config_overrides(ctx.args), interpolate=False)
        tuning = Tuning(settings, space, output, trials)
    require_packages("ray", "ray", "matplotlib")
    msg.info(f"Trials: {len(tuning.trials)}, values: {', '.join(tuning.space)}")
    with connect(address, log_to_driver=False, num_cpus=workers):
        best = tuning.run(workers, _print_end)
    last = {name: name.rpartition(".")[2] for name in tuning.space}
    n_named = Counter(last.values())
    msg.table(
        [
            (trial.number, *trial.values.values(), len(trial.scores), _format(trial), trial.state)
            for trial in sorted(tuning.trials, key=lambda trial: -trial.best)
        ],
        header=(
            "trial",
            *(short if n_named[short] == 1 else name for name, short in last.items()),
            "epochs",
            "score",
            "",
        ),
        aligns=("r",) * (len(last) + 3) + ("l",),
        divider=True,
    )
    msg.good(f"{output}: trial {best.number} of {len(tuning.trials)} is the best, with a score of {best.best:.4f}")


def _print_end(trial: Trial) -> None:
    msg.text(f"Trial {trial.number}: {trial.state}, epochs: {len(trial.scores)}, best score: {_format(trial)}")
    if trial.reason:
        msg.fail(trial.reason)


def _format(trial: Trial) -> str:
    return f"{trial.best:.4f}" if trial.scores else "none"
