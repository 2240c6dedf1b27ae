"""`quotes`: find quotations and their speakers in plain text."""

from typing import Annotated, Any

import typer

from ...errors import check_choice
from ..options import STANDARD_INPUT, LinesOption, ModelOption, OutputOption, open_lines, open_output

FORMATS = ("json", "jsonl", "table")
COMPONENT = "quotation_spans"


def quotes(
    file: Annotated[str, typer.Argument(help="Text file (UTF-8), or - for standard input.")] = STANDARD_INPUT,
    format_: Annotated[str, typer.Option("--format", "-f", help="json, jsonl (documents) or table.")] = "table",
    output: OutputOption = None,
    model: ModelOption = None,
    lines: LinesOption = False,
    single_quotes: Annotated[
        bool | None,
        typer.Option(help="Whether single marks quote, too (rules only). Default: by the document."),
    ] = None,
) -> None:
    """Find quotations and their speakers, by rules if the pipeline has no quotation_spans."""
    check_choice("format", format_, FORMATS)
    from ... import load
    from ...length import lift_max_length
    from ...pipes.components import list_components
    from ...quotation.quotations import write_json, write_json_lines, write_table

    write = {"json": write_json, "jsonl": write_json_lines, "table": write_table}[format_]
    with open_lines(file) as decoded:
        nlp = lift_max_length(load(model))
        if not list_components(nlp, COMPONENT):
            nlp.add_pipe(COMPONENT, config={} if single_quotes is None else {"single_quotes": single_quotes})
        finder: Any = nlp.get_pipe(list_components(nlp, COMPONENT)[-1])
        texts = (line.rstrip("\r\n") for line in decoded) if lines else iter(["".join(decoded)])
        docs = nlp.pipe(map(nlp.make_doc, texts))
        with open_output(output) as written:
            write(docs, written, finder.get_quotations)
