"""Calibrating a pipeline's parser on annotated documents: compares its decisions about boundaries with gold ones.

`parsing/calibration.py` has the model of probabilities, and `scoring/calibration.py` measures its quality.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.examples import make_example
from ..parsing.calibration import Decisions
from ..pipes.token_columns import read_starts
from .unpunctuated import unpunctuate


class Sample(NamedTuple):
    """The parser's decisions about a variant of a document, and whether each token starts a sentence (gold)."""

    document: int
    kind: str  # "original" or "unpunctuated"
    decisions: Decisions
    gold: np.ndarray


def read_samples(nlp: Language, parser: Any, references: Iterable[Doc], kind: str) -> Iterator[Sample]:
    """Runs a pipeline up to its joint_sbd_parser on documents of a kind: "original", "unpunctuated" or "both"."""
    for number, reference in enumerate(references):
        if kind != "unpunctuated":
            yield Sample(number, "original", *_observe(nlp, parser, reference))
        if kind != "original" and (variant := unpunctuate(reference)) is not None:
            yield Sample(number, "unpunctuated", *_observe(nlp, parser, variant))


def _observe(nlp: Language, parser: Any, reference: Doc) -> tuple[Decisions, np.ndarray]:
    doc = make_example(reference).predicted
    for _, pipe in nlp.pipeline:
        if pipe is parser:
            break
        doc = pipe(doc)
    parsed, decisions = parser.decide(doc)
    starts = read_starts(reference)[parsed.tokens]
    # Tokens without annotation do not count.
    return decisions._replace(is_open=decisions.is_open & (starts != 0)), starts == 1
