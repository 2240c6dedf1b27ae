"""Calibrating a pipeline's parser on annotated documents: compares its decisions about boundaries with gold ones.

`parsing/calibration.py` has the model of probabilities, and `scoring/calibration.py` measures its quality.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.examples import make_example
from ..parsing.calibration import Decisions, fit_calibration
from ..pipes.token_columns import read_starts
from ..scoring.calibration import expected_calibration_error, precision_of_surest
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


def cross_validate(samples: Sequence[Sample], n_folds: int) -> Iterator[tuple[str, int, float, float, float]]:
    """Yields, for each kind of documents, the number of predicted boundaries with probabilities, the share of right
    ones, the calibration error, and the share of right ones among the surest, by cross-validation over documents."""
    found: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for fold in range(n_folds):
        others = [(sample.decisions, sample.gold) for sample in samples if sample.document % n_folds != fold]
        calibration = fit_calibration(others, {})
        for sample in (sample for sample in samples if sample.document % n_folds == fold):
            probabilities = calibration.predict(sample.decisions)
            boundaries = sample.decisions.starts & np.isfinite(probabilities)
            found.setdefault(sample.kind, []).append((probabilities[boundaries], sample.gold[boundaries]))
    for kind, pairs in found.items():
        probabilities, gold = map(np.concatenate, zip(*pairs, strict=True))
        if len(gold):
            error = expected_calibration_error(probabilities, gold)
            yield kind, len(gold), gold.mean(), error, precision_of_surest(probabilities, gold)
