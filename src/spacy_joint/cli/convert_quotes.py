"""`convert-quotes`: convert annotated quotations to a DocBin, with the tags and trees that a pipeline predicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ..errors import Errors, JointValueError
from ..files.replacing import replace_when_written

FORMATS = ("brat", "litbank")


def convert_quotes(
    corpus: Annotated[Path, typer.Argument(help="File, or directory of files, with the texts next to them.")],
    output: Annotated[Path, typer.Argument(help="Output .spacy file.")],
    format_: Annotated[
        str, typer.Option("--format", "-f", help="brat (standoff, e.g. PolNeAR) or litbank (LitBank quotations).")
    ] = "brat",
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="Pipeline that tokenises and annotates. Default: the shipped pipeline."),
    ] = None,
) -> None:
    """Convert annotated quotations to a DocBin, with the annotation that a pipeline predicts.

    Paragraphs always start a sentence. Quotation models are trained and evaluated on predicted tags and trees.
    """
    if format_ not in FORMATS:
        raise JointValueError(Errors.J404, found=format_, allowed=", ".join(FORMATS))
    from spacy.tokens import DocBin

    from .. import load
    from ..corpora.brat import read_brat
    from ..corpora.litbank import read_litbank
    from ..quotation.layout import find_paragraph_starts

    nlp = load(model)
    docs = list(read_brat(corpus, nlp.make_doc) if format_ == "brat" else read_litbank(corpus, nlp.vocab))
    for doc in docs:
        for start in find_paragraph_starts(doc):
            doc[start].is_sent_start = True
    annotated = list(nlp.pipe(docs))
    with replace_when_written(output) as path:
        DocBin(docs=annotated, store_user_data=True).to_disk(path)
    n_quotations = sum(len(doc.spans["quotations"]) for doc in annotated)
    msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} tokens, {n_quotations:,} quoted runs")
