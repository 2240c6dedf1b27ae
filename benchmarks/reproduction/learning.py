"""Training of one component, epoch by epoch, with what each epoch took and how much of the correct paths it used.

Weights move exactly as `nlp.update` moves them. The columns and the oracle's actions, which never change, are made once
before the first epoch, and are not in the times.
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

# Of English, for Naija as well, most of whose words are English.
WORD_CLASSES = Path(__file__).parents[2] / "assets" / "en_word_classes.msgpack"


class Epoch(NamedTuple):
    """What an epoch did.

    number: Counted from 1.
    seconds: Of the processor, from the beginning of the first epoch.
    used: The share of the actions of correct paths that took part in updates or survived (figure 3 of the paper).
    updates: Stretches that were learnt from.
    """

    number: int
    seconds: float
    used: float
    updates: int


def make_pipe(
    factory: str, examples: Sequence[Example], vocab: Vocab, seed: int, *, model: dict[str, Any], **settings: Any
) -> StructuredPipe:
    """A component that is ready to learn. model: What differs from the factory's defaults."""
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
    """Learn from each example in turn, in an order that is new in every epoch. The pipe can be used between epochs."""
    instances = [instance for instance in map(pipe.make_instance, examples) if instance is not None]
    order = random.Random(seed)
    seconds = 0.0
    for number in range(1, epochs + 1):
        order.shuffle(instances)
        used = gold = updates = 0
        start = time.process_time()
        for instance in instances:
            learnt = pipe.perceptron.update([instance], dropout)
            used, gold = used + learnt["used"], gold + learnt["gold"]
            updates += learnt["stretches"]
        seconds += time.process_time() - start
        yield Epoch(number, seconds, used / gold, updates)


def train_fully(pipe: StructuredPipe, examples: Sequence[Example], **settings: Any) -> StructuredPipe:
    """Train to the end, without looking at epochs."""
    for _ in train(pipe, examples, **settings):
        pass
    return pipe
