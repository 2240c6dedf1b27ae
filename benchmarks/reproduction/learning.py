"""Trains one component epoch by epoch, and records the time of each epoch and its use of the gold sequences.

Updates are exactly those of `nlp.update`. The columns and the oracle's actions, which never change, are computed once
before the first epoch and not timed.
"""

import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_joint.pipes.structured_pipe import StructuredPipe

# English classes, also for Naija, most of whose words are English.
WORD_CLASSES = Path(__file__).parents[2] / "assets" / "en_word_classes.msgpack"


class Epoch(NamedTuple):
    """The record of an epoch.

    number: Counted from 1.
    seconds: CPU time since the start of the first epoch.
    used: The share of gold actions that took part in updates or survived (figure 3 of the paper).
    updates: Number of segments that caused updates.
    """

    number: int
    seconds: float
    used: float
    updates: int


def make_pipe(
    factory: str, examples: Sequence[Example], vocab: Vocab, seed: int, *, model: dict[str, Any], **settings: Any
) -> StructuredPipe:
    """Create a component that is ready to learn. model: Settings that differ from the factory's defaults."""
    nlp = spacy.blank("en", vocab=vocab)
    classes = {"@readers": "srsly.read_msgpack.v1", "path": str(WORD_CLASSES)}
    nlp.config["initialize"]["components"][factory] = {"word_classes": classes}
    nlp.add_pipe(factory, config={"model": model, **settings})
    fix_random_seed(seed)
    nlp.initialize(lambda: examples)
    return nlp.get_pipe(factory)  # type: ignore[return-value]


def train(
    pipe: StructuredPipe, examples: Sequence[Example], *, epochs: int, seed: int, dropout: float = 0.0
) -> Iterator[Epoch]:
    """Learn from each example in turn, shuffled in every epoch. The pipe can predict between epochs."""
    instances = [instance for example in examples for instance in pipe.make_instances(example)]
    order = random.Random(seed)
    seconds = 0.0
    for number in range(1, epochs + 1):
        order.shuffle(instances)
        used = gold = updates = 0
        start = time.process_time()
        for instance in instances:
            learnt = pipe.perceptron.update([instance], dropout)
            used, gold = used + learnt["used"], gold + learnt["gold"]
            updates += learnt["segments"]
        seconds += time.process_time() - start
        yield Epoch(number, seconds, used / gold, updates)
