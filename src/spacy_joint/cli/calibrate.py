"""`calibrate`: fit the probabilities of sentence starts on development documents."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from wasabi import msg

from ..errors import Errors, JointValueError
from ..files.replacing import replace_directory_when_written
from .documents import DOCUMENTS, DocumentsOption, read_documents
from .options import Kind

if TYPE_CHECKING:
    import numpy as np
    from spacy.language import Language
    from spacy.tokens import Doc

    from ..parsing.calibration import Decisions
    from ..parsing.joint_sbd_parser import JointSbdParser

# Of the cross-validation.
FOLDS = 5


def calibrate(
    pipeline: Annotated[str, typer.Argument(help="Path or package of a pipeline with a joint_sbd_parser.")],
    corpora: Annotated[
        list[Path],
        typer.Argument(
            help="Annotated documents that the pipeline was not trained on: files, or directories of files, .conllu or "
            ".spacy."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output directory; an existing one is replaced.")],
    kind: Annotated[Kind, typer.Option(help="Documents to calibrate on.")] = Kind.both,
    documents: DocumentsOption = DOCUMENTS,
) -> None:
    """Copy a pipeline with a calibrated parser, whose setting boundary_probabilities then sets the probability that a
    token starts a sentence.

    The table shows how good the probabilities of the predicted boundaries are, by cross-validation over documents: how
    many boundaries are right, how far probabilities are from that on average (expected calibration error), and how many
    are right among the 20 % with the highest probability.
    """
    from .. import load

    nlp = load(pipeline)
    name, parser = _find_parser(nlp)
    references = [doc for corpus in corpora for doc in read_documents(corpus, nlp.vocab, documents) if len(doc)]
    if len(references) < FOLDS:
        raise JointValueError(Errors.J647, n=len(references), least=FOLDS)
    samples = list(_read_samples(nlp, parser, references, kind))
    parser.calibrate([sample.decisions for sample in samples], [sample.gold for sample in samples])
    _show_scores(samples)
    with replace_directory_when_written(output) as path:
        shutil.copytree(nlp.path, path)
        parser.to_disk(path / name, exclude=["vocab"])
    msg.good(f"{output}: calibrated on {len(references):,} documents")


class Sample(NamedTuple):
    """What the parser decided about a variant of a document, and which of its tokens do start a sentence."""

    document: int
    kind: Kind
    decisions: Decisions
    gold: np.ndarray


def _find_parser(nlp: Language) -> tuple[str, JointSbdParser]:
    from ..parsing.joint_sbd_parser import JointSbdParser

    for name, pipe in nlp.pipeline:
        if isinstance(pipe, JointSbdParser):
            pipe.require_trained()
            return name, pipe
    raise JointValueError(Errors.J645, pipeline=", ".join(nlp.pipe_names))


def _read_samples(nlp: Language, parser: JointSbdParser, references: Iterable[Doc], kind: Kind) -> Iterator[Sample]:
    from ..training.unpunctuated import unpunctuate

    for number, reference in enumerate(references):
        if kind is not Kind.unpunctuated:
            yield Sample(number, Kind.original, *_observe(nlp, parser, reference))
        if kind is not Kind.original and (variant := unpunctuate(reference)) is not None:
            yield Sample(number, Kind.unpunctuated, *_observe(nlp, parser, variant))


def _observe(nlp: Language, parser: JointSbdParser, reference: Doc) -> tuple[Decisions, np.ndarray]:
    """What the parser decides about the tokens of a document, and which of them do start a sentence."""
    from ..corpora.examples import make_example
    from ..pipes.token_columns import read_starts

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

    from ..parsing.calibration import fit_calibration
    from ..scoring.calibration import expected_calibration_error, precision_of_surest

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
            scores = (
                gold.mean(),
                expected_calibration_error(probabilities, gold),
                precision_of_surest(probabilities, gold),
            )
            rows.append((kind.value, f"{len(gold):,}", *(f"{100 * score:.1f}" for score in scores)))
    header = ("Text", "Boundaries", "Right", "Calibration error", "Right of the surest 20 %")
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r", "r", "r"))
