"""`check-order`: find odd orders of modifiers in text and suggest better ones, as a table or as JSON lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from wasabi import table

from ..errors import Errors, JointValueError
from ..files.reading import read_text

COMPONENT = "prenominal_orderer"
FORMATS = ("table", "json")
HEADER = ("start", "end", "text", "suggestion", "margin")


def check_order(
    text: Annotated[Path, typer.Argument(help="Text file (UTF-8).", exists=True, dir_okay=False)],
    orderer: Annotated[
        Path | None, typer.Option(help="Pipeline with a prenominal_orderer. Default: the shipped one.", exists=True)
    ] = None,
    pipeline: Annotated[
        str | None, typer.Option(help="Path or package of a pipeline that tags and parses. Default: the shipped one.")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Minimum margin. Default: that of the component.")] = None,
    format: Annotated[str, typer.Option(help="table or json.")] = "table",
) -> None:
    """List phrases with an odd order of modifiers, with their positions in characters and a better order."""
    import spacy

    from .. import load

    if format not in FORMATS:
        raise JointValueError(Errors.J404, found=format, allowed=", ".join(FORMATS))
    nlp = load(pipeline)
    if orderer is not None:
        if COMPONENT in nlp.component_names:
            nlp.remove_pipe(COMPONENT)
        nlp.add_pipe(COMPONENT, source=spacy.load(orderer, vocab=nlp.vocab))
    elif COMPONENT in nlp.disabled:
        nlp.enable_pipe(COMPONENT)
    elif COMPONENT not in nlp.pipe_names:
        nlp.add_pipe(COMPONENT, source=load(vocab=nlp.vocab))
    component: Any = nlp.get_pipe(COMPONENT)
    if threshold is not None:
        component.cfg["threshold"] = threshold
    found = component.suggest(nlp(read_text(text)))
    if format == "json":
        for suggestion in found:
            sys.stdout.write(json.dumps(suggestion, ensure_ascii=False) + "\n")
        return
    rows = [
        (s["start_char"], s["end_char"], " ".join(s["text"].split()), s["suggestion"], f"{s['margin']:.2f}")
        for s in found
    ]
    sys.stdout.write(table(rows, header=HEADER, divider=True, aligns=("r", "r", "l", "l", "r")) + "\n")
