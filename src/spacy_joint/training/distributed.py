"""Training over shards: the loop that mixes what workers learn, evaluates the mixture, and saves it after each epoch.

Every epoch consists of passes of each table of the model over each shard of the corpus (shards.py), which an engine
runs, and of mixing their ends (engine/mixing.py). The number of shards changes the result; which engine runs the
passes, and with how many workers, does not. Tables are independent anyway, so with one shard, the result is that of
`spacy train`. What an interrupted training has saved is its checkpoint.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
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
from ..errors import Errors, JointValueError
from ..files.replacing import replace_directory_when_written
from ..files.steps import digest_mentioned
from .shards import Engine, find_trained

LAST, BEST = "model-last", "model-best"
# A file of the checkpoint: the progress of training.
PROGRESS = "progress.json"

# Settings of [training] that do not change what an epoch learns.
WITHOUT_EFFECT = ("max_epochs", "max_steps", "patience", "eval_frequency", "logger", "before_to_disk")

MakeEngine = Callable[[str, bytes, int], Engine]


@dataclass
class Progress:
    """How far training has come.

    digest (str): What it depends on: a training that depends on something else does not go on from it.
    epoch (int): The number of finished epochs.
    step (int): The number of batches learnt from, in all shards.
    words (int): The number of words learnt from, with repetitions.
    seconds (float): How long it took.
    results (list): The score after each epoch, and the step.
    """

    digest: str
    epoch: int = 0
    step: int = 0
    words: int = 0
    seconds: float = 0.0
    results: list[tuple[float, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # JSON has no tuples.
        self.results = [(score, step) for score, step in self.results]

    @property
    def is_best(self) -> bool:
        """Whether no epoch was better than the last."""
        return self.results[-1][0] == max(self.results)[0]

    def is_over(self, training: dict[str, Any]) -> bool:
        """Whether training stops here, as `spacy train` does."""
        if not self.results:
            return False
        # The earliest of the best.
        _, best = max((score, -step) for score, step in self.results)
        return (
            self.epoch >= training["max_epochs"]
            or bool(training["patience"] and self.step + best >= training["patience"])
            or bool(training["max_steps"] and self.step >= training["max_steps"])
        )


class Training:
    """The training of one component of a pipeline over shards.

    config (Config): The config, as for `spacy train`, with variables.
    output (Path): The directory of `model-last` and `model-best`. Training goes on from an earlier `model-last` with
        the same settings, corpus and version of this package, and replaces any other.
    n_shards (int): The number of shards.
    RAISES ValueError: If the config trains something else (J733), or cannot be used for this (J734), or the number of
        shards is less than 1 (J736).
    """

    def __init__(self, config: Config, output: Path, n_shards: int) -> None:
        if n_shards < 1:
            raise JointValueError(Errors.J736, n=n_shards, what="shards")
        self.output, self.n_shards = output, n_shards
        resolved = config.interpolate()
        settings = resolved["training"]
        for setting, is_possible, allowed in (
            ("max_epochs", settings.get("max_epochs", 0) >= 1, "the number of epochs"),
            ("seed", settings.get("seed") is not None, "a seed"),
        ):
            if not is_possible:
                raise JointValueError(Errors.J734, setting=setting, value=settings.get(setting), allowed=allowed)
        self.progress = Progress(_digest(resolved, n_shards))
        found = output / LAST / PROGRESS
        if found.is_file() and (saved := srsly.read_json(found))["digest"] == self.progress.digest:
            self.progress = Progress(**saved)
            self.nlp = load_model_from_config(config, auto_fill=True)
            # The settings of training may be others now.
            self.nlp.from_disk(output / LAST, exclude=["config"])
        else:
            self.nlp = init_nlp(config)
        self.config = self.nlp.config.interpolate()
        self.training: dict[str, Any] = registry.resolve(self.config["training"], schema=ConfigSchemaTraining)
        self.component = find_trained(self.nlp, self.training["frozen_components"])

    def run(self, make_engine: MakeEngine, stdout: IO[str], stderr: IO[str]) -> None:
        """Trains to the end, and saves after each epoch.

        make_engine (Callable): Makes the engine from a config, a pipeline and the number of shards.
        stdout, stderr (IO): Where the logger of the config writes.
        """
        progress, training = self.progress, self.training
        if progress.results and progress.is_best:
            # It may have been interrupted before the best model was copied.
            self._copy_best()
        if progress.is_over(training):
            return
        with self.nlp.select_pipes(disable=training["frozen_components"]):
            log_step, finish_log = training["logger"](self.nlp, stdout, stderr)
        try:
            for info in self.learn(make_engine):
                with self.nlp.select_pipes(disable=training["frozen_components"]):
                    update_meta(training, self.nlp, info)
                self._save(create_before_to_disk_callback(training["before_to_disk"]))
                log_step({**info, "checkpoints": progress.results})
        finally:
            finish_log()

    def learn(self, make_engine: MakeEngine) -> Iterator[dict[str, Any]]:
        """Does the same without saving anything, and yields what there is to log after each epoch."""
        progress, training = self.progress, self.training
        (dev_corpus,) = resolve_dot_names(self.config, [training["dev_corpus"]])
        evaluate = create_evaluation_callback(self.nlp, dev_corpus, training["score_weights"])
        engine = make_engine(self.nlp.config.to_str(), self.nlp.to_bytes(), self.n_shards)
        while not progress.is_over(training):
            start = default_timer()
            losses = self._run_epoch(engine)
            # Corpora may draw random numbers: every evaluation is of the same documents.
            fix_random_seed(training["seed"])
            score, scores = evaluate()
            progress.seconds += default_timer() - start
            progress.results.append((score, progress.step))
            yield {**asdict(progress), "score": score, "other_scores": scores, "losses": losses}

    def _run_epoch(self, engine: Engine) -> dict[str, float]:
        """Learns from all documents once, and returns the losses."""
        states = self.component.copy_states()
        mixed: list[TrainingState] = []
        losses: Counter[str] = Counter()
        for start, passes in zip(states, engine.run(states, self.progress.epoch), strict=True):
            # As for components with several tables, losses are those of the first.
            for each in [] if mixed else passes:
                losses.update(each.losses)
                self.progress.step += each.n_batches
                self.progress.words += each.n_words
            mixed.append(mix(start, [each.state for each in passes]))
        self.component.restore_states(mixed)
        self.progress.epoch += 1
        return dict(losses)

    def _save(self, before_to_disk: Callable[[Language], Language]) -> None:
        with replace_directory_when_written(self.output / LAST) as path:
            before_to_disk(self.nlp).to_disk(path)
            srsly.write_json(path / PROGRESS, asdict(self.progress))
        if self.progress.is_best:
            self._copy_best()

    def _copy_best(self) -> None:
        with replace_directory_when_written(self.output / BEST) as path:
            shutil.copytree(self.output / LAST, path)


def _digest(config: Config, n_shards: int) -> str:
    """A digest of everything that the result of an epoch depends on."""
    training = {name: value for name, value in config["training"].items() if name not in WITHOUT_EFFECT}
    corpus = dot_to_object(config, training["train_corpus"])
    depends_on = [
        {**config, "training": training},
        *(digest_mentioned(section) for section in (corpus, config["components"], config["initialize"])),
        n_shards,
        __version__,
    ]
    return hashlib.sha256(json.dumps(depends_on, sort_keys=True).encode("utf8")).hexdigest()
