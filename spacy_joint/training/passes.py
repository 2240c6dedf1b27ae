"""Passes over shards of a corpus, which divide a training among workers (engine/mixing.py).

A pass is a function of a training state, a shard, a table and an epoch, so any worker can run or repeat it, with the
same result. Passes use spaCy's training loop: over a single shard, the result is exactly that of `spacy train`.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.loop import create_train_batches, train_while_improving
from spacy.util import load_model_from_config, registry, resolve_dot_names
from thinc.api import Config, fix_random_seed

from ..engine.mixing import TrainingState
from ..errors import Errors, JointValueError
from ..pipes.structured_pipe import StructuredPipe


@dataclass(frozen=True)
class Pass:
    """The result of a pass of one table over one shard."""

    state: TrainingState
    losses: dict[str, float]  # of all batches, by component
    n_batches: int
    n_words: int


class PassRunner(Protocol):
    """Runs the passes of an epoch."""

    def run(self, states: list[TrainingState], epoch: int) -> Iterator[list[Pass]]:
        """Yields, for each table, its passes over all shards, which start from its state."""


def find_trained(nlp: Language, frozen: Iterable[str]) -> StructuredPipe[Any]:
    """Finds the trained component of a pipeline. Raises J733 unless it is the only one, and a structured perceptron."""
    trained = {
        name: pipe
        for name, pipe in nlp.pipeline
        if name not in set(frozen) and getattr(pipe, "is_trainable", False) and hasattr(pipe, "update")
    }
    component = next(iter(trained.values()), None)
    if len(trained) != 1 or not isinstance(component, StructuredPipe):
        raise JointValueError(Errors.J733, n=len(trained), names=", ".join(trained) or "none")
    return component


def take_shard(examples: Iterable[Example], shard: int, n_shards: int, seed: int) -> Iterator[Example]:
    """Yields the documents of a shard, in order. Each goes to the shard with the fewest words so far, so passes take
    equally long. Ties are broken at random; otherwise, all augmented copies, which are as long as their originals,
    could share a shard."""
    draw = random.Random(seed).random
    n_words = [0] * n_shards
    for example in examples:
        smallest = min(range(n_shards), key=lambda each: (n_words[each], draw()))
        n_words[smallest] += len(example.reference)
        if smallest == shard:
            yield example


class Worker:
    """Passes over shards with its own copy of an initialized pipeline, whose config has [training] and [corpora]."""

    def __init__(self, config: str, pipeline: bytes, n_shards: int) -> None:
        self.nlp = load_model_from_config(Config().from_str(config), auto_fill=True).from_bytes(pipeline)
        self.config = self.nlp.config.interpolate()
        self.n_shards = n_shards
        self.component = find_trained(self.nlp, self.config["training"]["frozen_components"])
        # One table at a time; workers, not threads, run at the same time.
        self.component.perceptron.n_tables = self.component.perceptron.threads = 1
        self._read = cache(self._read_shard)

    def _read_shard(self, shard: int) -> tuple[list[Example], Any]:
        """Reads the documents of a shard; returns them, and the state of the random numbers afterwards."""
        training = self.config["training"]
        (corpus,) = resolve_dot_names(self.config, [training["train_corpus"]])
        # As spaCy does before it reads the corpus: augmenters make the same copies in every worker.
        fix_random_seed(training["seed"])
        examples = list(take_shard(corpus(self.nlp), shard, self.n_shards, training["seed"]))
        if not examples:
            raise JointValueError(Errors.J735, shard=shard, n_shards=self.n_shards)
        return examples, random.getstate()

    def run(self, states: list[TrainingState], epoch: int) -> Iterator[list[Pass]]:
        """Runs the passes of an epoch in this process, one after the other, to try out a number of shards."""
        for table, state in enumerate(states):
            yield [self.run_pass(state, shard, table, epoch) for shard in range(self.n_shards)]

    def run_pass(self, state: TrainingState, shard: int, table: int, epoch: int) -> Pass:
        """Runs a pass from the state of a table at the beginning of the epoch. Raises J735 if the shard is empty."""
        examples, random_state = self._read(shard)
        perceptron = self.component.perceptron
        perceptron.first_table = table
        # Shards drop different features.
        perceptron.restore_states([replace(state, seed=state.seed + shard)])
        training: dict[str, Any] = registry.resolve(self.config["training"], schema=ConfigSchemaTraining)
        # The documents are shuffled before every epoch, and batchers may change from batch to batch.
        random.setstate(random_state)
        batches = create_train_batches(self.nlp, lambda nlp: examples, training["batcher"], epoch + 1)
        losses: Counter[str] = Counter()
        n_batches = n_words = 0
        for _, info, _ in train_while_improving(
            self.nlp,
            training["optimizer"],
            ((number, batch) for number, batch in batches if number == epoch),
            # Only mixtures are evaluated. Losses restart with every evaluation.
            lambda: (0.0, {}),
            eval_frequency=1,
            dropout=training["dropout"],
            accumulate_gradient=training["accumulate_gradient"],
            patience=0,
            max_steps=0,
            exclude=training["frozen_components"],
            annotating_components=training["annotating_components"],
            before_update=training["before_update"],
        ):
            losses.update(info["losses"])
            n_batches, n_words = n_batches + 1, info["words"]
        (learnt,) = perceptron.copy_states()
        return Pass(replace(learnt, seed=state.seed), dict(losses), n_batches, n_words)
