"""Trainings with different settings, as trials of Ray Tune: which values of a config have the best score?

Values are drawn at random, which finds good ones in fewer trials than a grid if only some of them matter (Bergstra &
Bengio 2012). Asynchronous successive halving (ASHA; Li et al. 2020) stops trials early: after 1, 4, 16, ... epochs, a
trial only goes on if its score is in the top quarter of those that have arrived there.

Each trial trains in one process, over a single shard. Its scores are therefore those of `spacy train`, wherever it
runs; but which trials are stopped depends on the order in which scores arrive, unless trials run one after the other.
"""

from __future__ import annotations

import json
import logging
import math
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spacy.util import CONFIG_SECTION_ORDER, dot_to_object
from thinc.api import Config

from ..errors import Errors, JointError, JointValueError
from ..files.replacing import replace_when_written
from ..training.distributed import Training
from ..training.shards import LocalEngine
from .cluster import RETRIES

# Of ASHA: one of so many goes on.
REDUCTION = 4
# Tune leaves signals, the current directory, the terminal and files to us.
SETTINGS = {
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
    # Trials that fail have no score.
    "TUNE_DISABLE_STRICT_METRIC_CHECKING": "1",
}
# What a trial reports.
REPORTED = ("state", "scores", "words", "reason")


@dataclass
class Range:
    """Numbers to draw from, both ends included: whole numbers if both ends are.

    low, high (int | float): The ends.
    log (bool): Whether the logarithm is uniform, and not the number.
    RAISES ValueError: If it has no numbers, or no logarithms.
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        ends = (self.low, self.high)
        if any(type(end) not in (int, float) or not math.isfinite(end) for end in ends) or type(self.log) is not bool:
            raise ValueError("low and high are numbers, and log is true or false")
        if self.low >= self.high:
            raise ValueError(f"low = {self.low} is not less than high = {self.high}")
        if self.log and self.low <= 0:
            raise ValueError(f"low = {self.low} has no logarithm")

    def draw(self, generator: random.Random) -> float:
        """A number, to four significant digits if it is not whole."""
        is_whole = type(self.low) is type(self.high) is int
        low, high = self.low, self.high + is_whole
        from_uniform, to_uniform = (math.exp, math.log) if self.log else (float, float)
        drawn = from_uniform(generator.uniform(to_uniform(low), to_uniform(high)))
        rounded = math.floor(drawn) if is_whole else float(f"{drawn:.4g}")
        return min(max(rounded, self.low), self.high)


@dataclass
class Choice:
    """Values to draw from."""

    values: list[Any]

    def draw(self, generator: random.Random) -> Any:
        """One of them."""
        return generator.choice(self.values)


@dataclass
class Trial:
    """A training.

    number (int): Its number, from 1.
    values (dict): Dotted names and values, for the config.
    state (str): "finished", "stopped" (by ASHA), or "failed"; empty if it is none of them yet.
    scores (list): The score on the development corpus after each epoch.
    words (int): The number of words learnt from, with repetitions.
    reason (str): Why it failed.
    """

    number: int
    values: dict[str, Any]
    state: str = ""
    scores: list[float] = field(default_factory=list)
    words: int = 0
    reason: str = ""

    @property
    def best(self) -> float:
        """The best score."""
        return max(self.scores, default=-math.inf)


def read_space(path: Path, config: Config) -> dict[str, Range | Choice]:
    """Reads what to try for values of a config.

    path (Path): A JSON file: a list of choices, or a range, for each dotted name.
    RAISES ValueError: If it is something else, or the config has no such value (J737).
    """

    def check(is_right: bool, what: str) -> None:
        if not is_right:
            raise JointValueError(Errors.J737, path=path, what=what)

    try:
        found = json.loads(path.read_text(encoding="utf8"))
    except ValueError as error:
        raise JointValueError(Errors.J737, path=path, what=f"it is not JSON ({error})") from error
    check(isinstance(found, dict) and bool(found), "it is not an object with names")
    space: dict[str, Range | Choice] = {}
    for name, values in found.items():
        try:
            value = dot_to_object(config, name)
        except KeyError:
            check(False, f"the config has no value {name}")
        check(not isinstance(value, dict), f"{name} is a section of the config, not a value")
        if isinstance(values, list):
            check(bool(values), f"there is no choice for {name}")
            space[name] = Choice(values)
        else:
            check(isinstance(values, dict), f"{name} has neither a list of choices nor a range")
            check(
                {"low", "high"} <= set(values) <= {"low", "high", "log"},
                f"the range of {name} has the keys {', '.join(values) or 'none'}, and not low, high, and perhaps log",
            )
            try:
                space[name] = Range(**values)
            except ValueError as error:
                check(False, f"in the range of {name}, {error}")
    return space


class Tuning:
    """The search for the best values of a config.

    config (Config): The config, as for `spacy train`, with variables.
    space (Path): The file of what to try: see `read_space`.
    output (Path): The directory of the results.
    n_trials (int): The number of trials; there are fewer if there are not as many combinations of choices. The first
        has the values of the config itself.
    RAISES ValueError: If the file cannot be used (J737).
    """

    def __init__(self, config: Config, space: Path, output: Path, n_trials: int) -> None:
        self.config, self.output = config, output
        resolved = config.interpolate()
        self.space = read_space(space, resolved)
        generator = random.Random(resolved.get("training", {}).get("seed"))
        own = {name: dot_to_object(resolved, name) for name in self.space}
        drawn = {json.dumps(own): own}
        for _ in range(100 * n_trials):
            if len(drawn) < n_trials:
                values = {name: found.draw(generator) for name, found in self.space.items()}
                drawn.setdefault(json.dumps(values), values)
        self.trials = [Trial(number, values) for number, values in enumerate(drawn.values(), start=1)]

    def run(self, n_workers: int, report: Callable[[Trial], None]) -> Trial:
        """Runs all trials on the cluster that Ray is connected to, and writes the results: `trials.jsonl` after each
        trial, and `best.cfg` and `trials.svg` at the end.

        n_workers (int): The number of trials at the same time.
        report (Callable): Called with each trial when it ends.
        RETURNS (Trial): The trial with the best score, the first of them if there are several.
        RAISES ValueError: If all trials fail (J738).
        """
        os.environ.update(SETTINGS)
        from ray import tune
        from ray.tune.schedulers import ASHAScheduler

        # What fails is reported.
        logging.getLogger("ray.tune").setLevel(logging.CRITICAL)
        configs = [self.configure(trial).to_str() for trial in self.trials]

        def finish(number: int, result: dict[str, Any]) -> None:
            trial = replace(self.trials[number], **{name: result[name] for name in REPORTED})
            self.trials[number] = trial
            with replace_when_written(self.output / "trials.jsonl") as path:
                lines = [f"{json.dumps(asdict(each))}\n" for each in self.trials if each.state]
                path.write_text("".join(lines), encoding="utf8")
            report(trial)

        class Finishing(tune.Callback):
            """Takes the results of trials as they end."""

            def on_trial_complete(self, iteration: int, trials: Sequence[Any], trial: Any, **info: Any) -> None:
                finish(trial.config["number"], trial.last_result)

            def on_trial_error(self, iteration: int, trials: Sequence[Any], trial: Any, **info: Any) -> None:
                reason = str(trial.get_error()).strip().splitlines()[-1]
                finish(trial.config["number"], {"state": "failed", "scores": [], "words": 0, "reason": reason})

        with TemporaryDirectory() as directory:
            tune.Tuner(
                tune.with_resources(tune.with_parameters(_train, configs=configs), {"cpu": 1}),
                param_space={"number": tune.grid_search(list(range(len(configs))))},
                tune_config=tune.TuneConfig(
                    metric="score",
                    mode="max",
                    # Trials end by themselves.
                    scheduler=ASHAScheduler(max_t=2**30, reduction_factor=REDUCTION),
                    max_concurrent_trials=n_workers,
                    reuse_actors=True,
                ),
                run_config=tune.RunConfig(
                    storage_path=directory,
                    callbacks=[Finishing()],
                    failure_config=tune.FailureConfig(max_failures=RETRIES),
                    verbose=0,
                ),
            ).fit()
        best = max(self.trials, key=lambda trial: trial.best)
        if not best.scores:
            raise JointValueError(Errors.J738, reason=self.trials[0].reason)
        with replace_when_written(self.output / "best.cfg") as path:
            self.configure(best).to_disk(path)
        with replace_when_written(self.output / "trials.svg") as path:
            _plot(self.trials, best, path)
        return best

    def configure(self, trial: Trial) -> Config:
        """The config of a trial."""
        config = Config(section_order=CONFIG_SECTION_ORDER)
        return config.from_str(self.config.to_str(), overrides=trial.values, interpolate=False)


def _train(trial: dict[str, Any], configs: list[str]) -> None:
    """Trains, and reports after each epoch."""
    from ray import tune

    scores: list[float] = []
    words = 0
    try:
        # Nothing is saved.
        with TemporaryDirectory() as directory:
            training = Training(Config().from_str(configs[trial["number"]], interpolate=False), Path(directory), 1)
        for info in training.learn(LocalEngine):
            scores, words = [*scores, info["score"]], info["words"]
            # Unless there is another report.
            state = "finished" if training.progress.is_over(training.training) else "stopped"
            tune.report({"score": scores[-1], "scores": scores, "words": words, "state": state, "reason": ""})
    except Exception as error:
        # Of any class: what a config names can raise whatever it likes. Deaths of the process do not come here.
        reason = str(error) if isinstance(error, JointError) else f"{type(error).__name__}: {error}"
        reason = " ".join(reason.split())
        # Without a score, which others would be compared with.
        tune.report({"scores": scores, "words": words, "state": "failed", "reason": reason})


def _plot(trials: Sequence[Trial], best: Trial, path: Path) -> None:
    """Draws the scores of all trials by epoch."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    # Reproducible bytes.
    with matplotlib.rc_context({"svg.hashsalt": "trials"}):
        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        for trial in trials:
            if trial is not best:
                axes.plot(range(1, len(trial.scores) + 1), trial.scores, marker=".", color="0.7")
        axes.plot(range(1, len(best.scores) + 1), best.scores, marker=".", label=f"trial {best.number}")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set(xlabel="epoch", ylabel="score")
        axes.legend()
        figure.savefig(path, format="svg", metadata={"Date": None})
