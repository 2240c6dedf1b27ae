"""`calibrate`: fit the probabilities of sentence starts on development documents."""

import shutil
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ...errors import Errors, JointValueError
from ...files.atomic import atomic_write_directory, check_directory
from ..options import DOCUMENTS, DocumentsOption, Kind, read_documents

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
    from ...training.calibrating import cross_validate, read_samples

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
    header = ("Text", "Boundaries", "Right", "Calibration error", "Right of the surest 20 %")
    scored = cross_validate(samples, FOLDS)
    rows = [(kind, f"{n:,}", *(f"{100 * score:.1f}" for score in scores)) for kind, n, *scores in scored]
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r", "r", "r"))
    msg.good(f"{output}: calibrated on {len(references):,} documents")
