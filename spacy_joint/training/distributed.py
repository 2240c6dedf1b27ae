"""Training over shards: mixes what workers have learnt, evaluates the mixture, and saves it after each epoch.

In every epoch, each table of the model passes over each shard of the corpus (passes.py), and the results are mixed
(engine/mixing.py). The number of shards affects the result; the place where passes run does not. With one shard, the
result is that of `spacy train`. An interrupted training continues from its last epoch.
"""

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from timeit import default_timer
from typing import IO, Any

import srsly
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training.initialize import init_nlp
from spacy.training.loop import create_before_to_disk_callback, create_evaluation_callback, update_meta
from spacy.util import dot_to_object, load_model_from_config, registry, resolve_dot_names
from thinc.api import Config, fix_random_seed

from ..about import __version__
from ..engine.mixing import TrainingState, mix
from ..errors import check_range, check_value
from ..files.atomic import atomic_write_directory, check_directory
from ..files.steps import digest_json, digest_mentioned
from .passes import PassRunner, find_trained

LAST, BEST = "model-last", "model-best"
# A file of the checkpoint: the progress of training.
PROGRESS = "progress.json"
# Settings of [training] that do not change what an epoch learns.
WITHOUT_EFFECT = ("max_epochs", "max_steps", "patience", "eval_frequency", "logger", "before_to_disk")


@dataclass
class Progress:
    """The progress of training."""

    digest: str  # of everything that the result depends on; training only continues from the same one
    epoch: int = 0  # finished
    step: int = 0  # batches learnt from, in all shards
    words: int = 0  # learnt from, with repetitions
    seconds: float = 0.0
    results: list[list[float]] = field(default_factory=list)  # the score and the step after each epoch

    @property
    def is_best(self) -> bool:
        """Whether the last epoch is the best, or as good as the best."""
        return self.results[-1][0] == max(self.results)[0]

    def is_over(self, training: dict[str, Any]) -> bool:
        """Returns whether training stops here, by the rules of `spacy train`."""
        if not self.results:
            return False
        # The earliest of the best epochs.
        _, best = max((score, -step) for score, step in self.results)
        return (
            self.epoch >= training["max_epochs"]
            or bool(training["patience"] and self.step + best >= training["patience"])
            or bool(training["max_steps"] and self.step >= training["max_steps"])
        )


class Training:
    """The training of one component (J733) over shards, with a config that has a seed and a number of epochs (J030). It
    continues from a `model-last` of the same settings, corpus and version of this package, and replaces any other."""

    def __init__(self, config: Config, output: Path, n_shards: int) -> None:
        check_range("shards", n_shards, 1)
        self.output, self.n_shards = output, n_shards
        # Settings that a config leaves out have spaCy's defaults.
        resolved = Config(Language.default_config).merge(config).interpolate()
        settings = resolved["training"]
        check_range("training.max_epochs", settings["max_epochs"], 1)
        seed = settings["seed"]
        check_value("training.seed", seed, isinstance(seed, int), "a number to train over shards")
        self.progress = Progress(_digest(resolved, n_shards))
        found = output / LAST / PROGRESS
        if found.is_file() and (saved := srsly.read_json(found))["digest"] == self.progress.digest:
            self.progress = Progress(**saved)
            self.nlp = load_model_from_config(config, auto_fill=True)
            # The settings of training may have changed.
            self.nlp.from_disk(output / LAST, exclude=["config"])
        else:
            self.nlp = init_nlp(config)
        self.config = self.nlp.config.interpolate()
        self.training: dict[str, Any] = registry.resolve(self.config["training"], schema=ConfigSchemaTraining)
        self.component = find_trained(self.nlp, self.training["frozen_components"])
        for name in (LAST, BEST):
            check_directory(output / name)

    def run(self, make_runner: Callable[[str, bytes, int], PassRunner], stdout: IO[str], stderr: IO[str]) -> None:
        """Trains to the end, and saves after each epoch. The logger of the config writes to `stdout` and `stderr`."""
        progress, training = self.progress, self.training
        if progress.results and progress.is_best:
            # An interruption may have prevented copying it.
            self._copy_best()
        if progress.is_over(training):
            return
        before_to_disk = create_before_to_disk_callback(training["before_to_disk"])
        (dev_corpus,) = resolve_dot_names(self.config, [training["dev_corpus"]])
        evaluate = create_evaluation_callback(self.nlp, dev_corpus, training["score_weights"])
        with self.nlp.select_pipes(disable=training["frozen_components"]):
            log_step, finish_log = training["logger"](self.nlp, stdout, stderr)
        try:
            runner = make_runner(self.nlp.config.to_str(), self.nlp.to_bytes(), self.n_shards)
            while not progress.is_over(training):
                start = default_timer()
                losses = self._run_epoch(runner)
                # Corpora may draw random numbers, but every evaluation must read the same documents.
                fix_random_seed(training["seed"])
                score, scores = evaluate()
                progress.seconds += default_timer() - start
                progress.results.append([score, progress.step])
                info = {**asdict(progress), "score": score, "other_scores": scores, "losses": losses}
                with self.nlp.select_pipes(disable=training["frozen_components"]):
                    update_meta(training, self.nlp, info)
                with atomic_write_directory(self.output / LAST) as path:
                    before_to_disk(self.nlp).to_disk(path)
                    srsly.write_json(path / PROGRESS, asdict(progress))
                if progress.is_best:
                    self._copy_best()
                log_step({**info, "checkpoints": progress.results})
        finally:
            finish_log()

    def _run_epoch(self, runner: PassRunner) -> dict[str, float]:
        states = self.component.perceptron.copy_states()
        mixed: list[TrainingState] = []
        losses: Counter[str] = Counter()
        for start, passes in zip(states, runner.run(states, self.progress.epoch), strict=True):
            # Losses come from the first table, as in components with several.
            for each in [] if mixed else passes:
                losses.update(each.losses)
                self.progress.step += each.n_batches
                self.progress.words += each.n_words
            mixed.append(mix(start, [each.state for each in passes]))
        self.component.perceptron.restore_states(mixed)
        self.component.forget_predictions()
        self.progress.epoch += 1
        return dict(losses)

    def _copy_best(self) -> None:
        with atomic_write_directory(self.output / BEST) as path:
            shutil.copytree(self.output / LAST, path)


def _digest(config: Config, n_shards: int) -> str:
    """Digests everything that the result of an epoch depends on."""
    training = {name: value for name, value in config["training"].items() if name not in WITHOUT_EFFECT}
    corpus = dot_to_object(config, training["train_corpus"])
    depends_on = [
        {**config, "training": training},
        *(digest_mentioned(section) for section in (corpus, config["components"], config["initialize"])),
        n_shards,
        __version__,
    ]
    return digest_json(depends_on)
