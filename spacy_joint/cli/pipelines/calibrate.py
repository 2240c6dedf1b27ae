"""`calibrate`: fit the probabilities of sentence starts on development documents."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from wasabi import msg

from ...errors import Errors, JointValueError
from ...files.atomic import atomic_write_directory, check_directory
from ..options import DOCUMENTS, DocumentsOption, Kind, read_documents

if TYPE_CHECKING:
    import numpy as np

    from ...training.calibrating import Sample

PARSER = "joint_sbd_parser"
# Folds of the cross-validation.
FOLDS = 5


def calibrate(
    model: Annotated[str, typer.Argument(help="Path or package of a pipeline with a joint_sbd_parser.")],
    corpora: Annotated[
        list[Path],
        typer.Argument(help="Annotated documents that it was not trained on: .conllu or .spacy files, or directories."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output directory; an existing one is replaced.")],
    kind: Annotated[Kind, typer.Option(help="Documents to calibrate on.")] = "both",
    documents: DocumentsOption = DOCUMENTS,
) -> None:
    """Calibrate the boundary probabilities of a parser.

    Copies a pipeline; the parser's setting boundary_probabilities then stores the probability that a token starts a
    sentence. The table shows the quality of the probabilities of predicted boundaries, by cross-validation over
    documents: the share of right boundaries, the average difference of the probabilities from it (expected calibration
    error), and the share of right ones among the 20 % with the highest probability.
    """
    from ... import load
    from ...pipes.components import list_components, require_components
    from ...training.calibrating import read_samples

    nlp = load(model)
    parser = require_components(nlp, PARSER)[0]
    parser.require_trained()
    check_directory(output)
    references = [doc for corpus in corpora for doc in read_documents(corpus, nlp.vocab, documents) if len(doc)]
    if len(references) < FOLDS:
        raise JointValueError(Errors.J523, n=len(references), least=FOLDS)
    samples = list(read_samples(nlp, parser, references, kind))
    parser.calibrate([(sample.decisions, sample.gold) for sample in samples])
    with atomic_write_directory(output) as path:
        shutil.copytree(nlp.path, path)
        parser.to_disk(path / list_components(nlp, PARSER)[0], exclude=["vocab"])
    _show_scores(samples)
    msg.good(f"{output}: calibrated on {len(references):,} documents")


def _show_scores(samples: list[Sample]) -> None:
    import numpy as np

    from ...parsing.calibration import fit_calibration
    from ...scoring.calibration import expected_calibration_error, precision_of_surest

    found: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for fold in range(FOLDS):
        others = [(sample.decisions, sample.gold) for sample in samples if sample.document % FOLDS != fold]
        calibration = fit_calibration(others, {})
        for sample in samples:
            if sample.document % FOLDS == fold:
                probabilities = calibration.predict(sample.decisions)
                boundaries = sample.decisions.starts & np.isfinite(probabilities)
                found.setdefault(sample.kind, []).append((probabilities[boundaries], sample.gold[boundaries]))
    rows = []
    for kind, pairs in found.items():
        probabilities, gold = map(np.concatenate, zip(*pairs, strict=True))
        if len(gold):
            error = expected_calibration_error(probabilities, gold)
            surest = precision_of_surest(probabilities, gold)
            scores = (f"{100 * score:.1f}" for score in (gold.mean(), error, surest))
            rows.append((kind, f"{len(gold):,}", *scores))
    header = ("Text", "Boundaries", "Right", "Calibration error", "Right of the surest 20 %")
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r", "r", "r"))
