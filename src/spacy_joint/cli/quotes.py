"""`quotes`: find quotations and their speakers in plain text."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import Errors, JointValueError
from ..files.reading import read_lines, require_file
from ..files.replacing import replace_when_written
from .annotate import STANDARD_INPUT
from .options import LinesOption, ModelOption, OutputOption

FORMATS = ("json", "jsonl", "table")
COMPONENT = "quotation_spans"


def quotes(
    file: Annotated[str, typer.Argument(help="Text file (UTF-8), or - for standard input.")] = STANDARD_INPUT,
    format_: Annotated[
        str, typer.Option("--format", "-f", help="json, jsonl (one document per line) or table.")
    ] = "table",
    output: OutputOption = None,
    model: ModelOption = None,
    lines: LinesOption = False,
    single_quotes: Annotated[
        bool | None,
        typer.Option(help="Whether single marks quote, too (rules only). Default: decided by language and document."),
    ] = None,
) -> None:
    """Find quotations and their speakers.

    If the pipeline has no quotation_spans, a rule-based one is added.
    """
    if format_ not in FORMATS:
        raise JointValueError(Errors.J404, found=format_, allowed=", ".join(FORMATS))
    if file != STANDARD_INPUT:
        require_file(file)
    from .. import load
    from ..pipes.components import list_components
    from ..quotation.export import write_json, write_json_lines, write_table

    write = {"json": write_json, "jsonl": write_json_lines, "table": write_table}[format_]
    nlp = load(model)
    # spaCy's limit is for models that need much memory per character.
    nlp.max_length = sys.maxsize
    if not list_components(nlp, COMPONENT):
        nlp.add_pipe(COMPONENT, config={} if single_quotes is None else {"single_quotes": single_quotes})
    finder: Any = nlp.get_pipe(list_components(nlp, COMPONENT)[-1])
    read = finder.get_quotations
    with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else Path(file).open("rb") as source:
        decoded = read_lines(source, "standard input" if file == STANDARD_INPUT else file)
        texts = (line.rstrip("\r\n") for line in decoded) if lines else iter(["".join(decoded)])
        docs = nlp.pipe(map(nlp.make_doc, texts))
        if output is None:
            write(docs, typer.get_text_stream("stdout", encoding="utf8"), read)
            return
        with replace_when_written(output) as path, path.open("w", encoding="utf8", newline="\n") as written:
            write(docs, written, read)
