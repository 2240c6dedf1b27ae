"""Several corpora as one, such as gold and silver documents, each with the share of words that one sets."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from spacy.language import Language
from spacy.training import Example

from ..errors import Errors, JointValueError
from .examples import Corpus

Item = TypeVar("Item")


def create_mixed_corpus(
    # Not `Corpus`: configs are validated before the readers in them are resolved.
    corpora: Mapping[str, Any],
    shares: Mapping[str, float],
    *,
    buffer_size: int = 512,
    seed: int = 0,
) -> Corpus:
    """Make a mixture of corpora, registered as the reader `spacy_joint.MixedCorpus.v1`.

    A pass ends when each corpus has been read to its end; until then, those that are shorter than their share are
    repeated. Documents are streamed: with `max_epochs = -1`, no more of them are in memory than the buffer holds, and
    what the readers of the corpora hold. Every pass has the same order, so that training can be resumed.

    corpora: The corpora by name.
    shares: How much of each is read, in words, relative to the others.
    buffer_size: The number of documents from which the next one is drawn at random. 1 keeps the order.
    seed: The seed of the order.
    Raises ValueError if shares are not positive, or not those of the corpora (J653), or buffer_size is not positive
    (J654); the corpus raises ValueError if one of the corpora is empty (J655).
    """
    if set(shares) != set(corpora) or not corpora or min(shares.values()) <= 0:
        raise JointValueError(Errors.J653, shares=dict(shares), corpora=", ".join(corpora))
    if buffer_size < 1:
        raise JointValueError(Errors.J654, found=buffer_size)

    def corpus(nlp: Language) -> Iterator[Example]:
        return _shuffle(_mix(nlp, corpora, shares), buffer_size, random.Random(seed))

    return corpus


def _mix(nlp: Language, corpora: Mapping[str, Corpus], shares: Mapping[str, float]) -> Iterator[Example]:
    sources = {name: corpus(nlp) for name, corpus in corpora.items()}
    # The number of words of each corpus so far, in relation to its share.
    progress = dict.fromkeys(corpora, 0.0)
    begun: set[str] = set()
    unfinished = set(corpora)
    while unfinished:
        name = min(progress, key=progress.__getitem__)
        example = next(sources[name], None)
        if example is None:
            if name not in begun:
                raise JointValueError(Errors.J655, name=name)
            unfinished.discard(name)
            sources[name] = corpora[name](nlp)
            continue
        begun.add(name)
        progress[name] += len(example.reference) / shares[name]
        yield example


def _shuffle(items: Iterator[Item], size: int, order: random.Random) -> Iterator[Item]:
    """Draws each item from the next `size` ones that have not been drawn."""
    buffer: list[Item] = []
    for item in items:
        if len(buffer) < size:
            buffer.append(item)
            continue
        place = order.randrange(size)
        yield buffer[place]
        buffer[place] = item
    order.shuffle(buffer)
    yield from buffer
