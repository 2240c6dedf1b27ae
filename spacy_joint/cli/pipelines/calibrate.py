"""`calibrate`: fit the probabilities of sentence starts on development documents."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from wasabi import msg

from ...errors import Errors, JointValueError
from ...files.replacing import atomic_write_directory
from ..options import DOCUMENTS, DocumentsOption, Kind, read_documents

if TYPE_CHECKING:
    import numpy as np
    from spacy.language import Language
    from spacy.tokens import Doc

    from ...parsing.calibration import Decisions
    from ...parsing.joint_sbd_parser import JointSbdParser

# Of the cross-validation.
FOLDS = 5


def calibrate(
    pipeline: Annotated[str, typer.Argument(help="Path or package of a pipeline with a joint_sbd_parser.")],
    corpora: Annotated[
        list[Path],
        typer.Argument(help="Annotated documents that it was not trained on: .conllu or .spacy files, or directories."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output directory; an existing one is replaced.")],
    kind: Annotated[Kind, typer.Option(help="Documents to calibrate on.")] = Kind.both,
    documents: DocumentsOption = DOCUMENTS,
) -> None:
    """Calibrate the boundary probabilities of a parser.

    Copies a pipeline; the parser's setting boundary_probabilities then stores the probability that a token starts a
    sentence. The table shows the quality of the probabilities of predicted boundaries, by cross-validation over
    documents: the share of right boundaries, the average difference of the probabilities from it (expected calibration
    error), and the share of right ones among the 20 % with the highest probability.
    """
    from ... import load
    from ...parsing.joint_sbd_parser import JointSbdParser

    nlp = load(pipeline)
    parsers = [(name, pipe) for name, pipe in nlp.pipeline if isinstance(pipe, JointSbdParser)]
    if not parsers:
        raise JointValueError(Errors.J129, name="joint_sbd_parser", pipeline=", ".join(nlp.pipe_names))
    name, parser = parsers[0]
    parser.require_trained()
    references = [doc for corpus in corpora for doc in read_documents(corpus, nlp.vocab, documents) if len(doc)]
    if len(references) < FOLDS:
        raise JointValueError(Errors.J523, n=len(references), least=FOLDS)
    samples = list(_read_samples(nlp, parser, references, kind))
    parser.calibrate([sample.decisions for sample in samples], [sample.gold for sample in samples])
    _show_scores(samples)
    with atomic_write_directory(output) as path:
        shutil.copytree(nlp.path, path)
        parser.to_disk(path / name, exclude=["vocab"])
    msg.good(f"{output}: calibrated on {len(references):,} documents")


class Sample(NamedTuple):
    """The parser's decisions about a variant of a document, and which of its tokens do start a sentence."""

    document: int
    kind: Kind
    decisions: Decisions
    gold: np.ndarray


def _read_samples(nlp: Language, parser: JointSbdParser, references: Iterable[Doc], kind: Kind) -> Iterator[Sample]:
    from ...training.unpunctuated import unpunctuate

    for number, reference in enumerate(references):
        if kind is not Kind.unpunctuated:
            yield Sample(number, Kind.original, *_observe(nlp, parser, reference))
        if kind is not Kind.original and (variant := unpunctuate(reference)) is not None:
            yield Sample(number, Kind.unpunctuated, *_observe(nlp, parser, variant))


def _observe(nlp: Language, parser: JointSbdParser, reference: Doc) -> tuple[Decisions, np.ndarray]:
    from ...corpora.examples import make_example
    from ...pipes.token_columns import read_starts

    doc = make_example(reference).predicted
    for _, pipe in nlp.pipeline:
        if pipe is parser:
            break
        doc = pipe(doc)
    parsed, decisions = parser.decide(doc)
    starts = read_starts(reference)[parsed.tokens]
    # Without annotation, nothing is known.
    return decisions._replace(is_open=decisions.is_open & (starts != 0)), starts == 1


def _show_scores(samples: list[Sample]) -> None:
    import numpy as np

    from ...parsing.calibration import fit_calibration
    from ...scoring.calibration import expected_calibration_error, precision_of_surest

    found: dict[Kind, list[tuple[np.ndarray, np.ndarray]]] = {}
    for fold in range(FOLDS):
        others = [sample for sample in samples if sample.document % FOLDS != fold]
        calibration = fit_calibration([sample.decisions for sample in others], [sample.gold for sample in others], {})
        for sample in samples:
            if sample.document % FOLDS == fold:
                probabilities = calibration.predict(sample.decisions)
                boundaries = sample.decisions.starts & np.isfinite(probabilities)
                found.setdefault(sample.kind, []).append((probabilities[boundaries], sample.gold[boundaries]))
    rows = []
    for kind, pairs in found.items():
        probabilities, gold = map(np.concatenate, zip(*pairs, strict=True))
        if len(gold):
            error, surest = (of(probabilities, gold) for of in (expected_calibration_error, precision_of_surest))
            scores = (f"{100 * score:.1f}" for score in (gold.mean(), error, surest))
            rows.append((kind.value, f"{len(gold):,}", *scores))
    header = ("Text", "Boundaries", "Right", "Calibration error", "Right of the surest 20 %")
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r", "r", "r"))
