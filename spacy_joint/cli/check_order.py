"""`check-order`: odd orders of modifiers in text, with what to write instead, as a table or as JSON lines."""

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
        Path | None, typer.Option(help="Pipeline with a prenominal_orderer; else the one shipped.", exists=True)
    ] = None,
    pipeline: Annotated[
        str | None, typer.Option(help="What tags and parses: path or package; else the one shipped.")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Margin to report from; else as the component says.")] = None,
    format: Annotated[str, typer.Option(help="table or json.")] = "table",
) -> None:
    """List phrases whose modifiers stand in an odd order, with the place in characters and a better order."""
    import spacy

    from .. import PRENOMINAL, load

    if format not in FORMATS:
        raise JointValueError(Errors.J404, found=format, allowed=", ".join(FORMATS))
    nlp = load(pipeline)
    if COMPONENT not in nlp.pipe_names:
        nlp.add_pipe(COMPONENT, source=spacy.load(orderer or PRENOMINAL, vocab=nlp.vocab))
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
