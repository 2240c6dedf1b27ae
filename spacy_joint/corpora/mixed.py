"""Several corpora as one, such as gold and silver documents, each with a given share of the words."""

import random
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from spacy.language import Language
from spacy.training import Example

from ..errors import Errors, JointValueError, check_range, check_value
from .examples import Corpus


def create_mixed_corpus(
    # Not `Corpus`: configs are validated before the readers in them are resolved.
    corpora: Mapping[str, Any],
    shares: Mapping[str, float],
    *,
    buffer_size: int = 512,
    seed: int = 0,
) -> Corpus:
    """Make a mixture of corpora (`spacy_joint.MixedCorpus.v1`).

    A pass ends when each corpus has been read to its end; until then, corpora shorter than their share are repeated.
    Documents are streamed: with `max_epochs = -1`, only the buffer and the readers of the corpora keep any in memory.
    Every pass has the same order, so training can be resumed.

    corpora (Mapping): The corpora by name; an empty one raises ValueError (J413) when it is read.
    shares (Mapping[str, float]): The relative number of words to read from each corpus.
    buffer_size (int): The number of documents from which the next one is drawn at random. 1 keeps the order.
    seed (int): The seed of the order.
    RAISES ValueError: If shares are not positive, or not those of the corpora, or buffer_size is not positive (J030).
    """
    is_valid = corpora and set(shares) == set(corpora) and min(shares.values()) > 0
    check_value("shares", dict(shares), is_valid, f"a number above 0 for each corpus: {', '.join(corpora)}")
    check_range("buffer_size", buffer_size, 1)
    return lambda nlp: _shuffle(_mix(nlp, corpora, shares), buffer_size, random.Random(seed))


def _mix(nlp: Language, corpora: Mapping[str, Corpus], shares: Mapping[str, float]) -> Iterator[Example]:
    sources = {name: corpus(nlp) for name, corpus in corpora.items()}
    # The number of words read of each corpus, divided by its share.
    progress = dict.fromkeys(corpora, 0.0)
    unfinished = set(corpora)
    while unfinished:
        name = min(progress, key=progress.__getitem__)
        example = next(sources[name], None)
        if example is None:
            if not progress[name]:
                raise JointValueError(Errors.J413, source=f"The corpus {name}", what="documents")
            unfinished.discard(name)
            sources[name] = corpora[name](nlp)
            continue
        progress[name] += len(example.reference) / shares[name]
        yield example


def _shuffle(examples: Iterator[Example], size: int, order: random.Random) -> Iterator[Example]:
    """Draw each example from a buffer of the next `size` ones."""
    buffer = list(islice(examples, size))
    for example in examples:
        index = order.randrange(size)
        yield buffer[index]
        buffer[index] = example
    order.shuffle(buffer)
    yield from buffer
