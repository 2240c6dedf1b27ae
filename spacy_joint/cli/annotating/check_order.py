"""`check-order`: find odd orders of modifiers in text and suggest better ones."""

import json
from typing import Annotated

import typer
from wasabi import table

from ...errors import check_choice
from ..options import STANDARD_INPUT, ModelOption, OutputOption, open_lines, open_output

COMPONENT = "prenominal_orderer"
FORMATS = ("table", "json")
HEADER = ("start", "end", "text", "suggestion", "margin")


def check_order(
    file: Annotated[str, typer.Argument(help="Text file (UTF-8), or - for standard input.")] = STANDARD_INPUT,
    orderer: Annotated[
        str | None, typer.Option(help="Path or package with a prenominal_orderer. Default: the shipped one.")
    ] = None,
    model: ModelOption = None,
    threshold: Annotated[float | None, typer.Option(help="Minimum margin. Default: that of the component.")] = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="table or json.")] = "table",
    output: OutputOption = None,
) -> None:
    """List phrases with an odd order of modifiers.

    Each comes with its position in characters and a better order.
    """
    from ... import load
    from ...length import lift_max_length
    from ...pipes.components import list_components, require_components
    from ...scale.annotating.records import require_text

    check_choice("format", format_, FORMATS)
    require_text(file)
    with open_lines(file) as lines:
        text = "".join(lines)
    nlp = lift_max_length(load(model))
    source = nlp if orderer is None else load(orderer, vocab=nlp.vocab)
    if orderer is None and not list_components(source, COMPONENT):
        source = load(vocab=nlp.vocab)
    component = require_components(source, COMPONENT)[0]
    if threshold is not None:
        component.cfg["threshold"] = threshold
    found = component.suggest(component(nlp(text, disable=[COMPONENT])))
    with open_output(output) as written:
        if format_ == "json":
            written.writelines(json.dumps(suggestion, ensure_ascii=False) + "\n" for suggestion in found)
            return
        rows = []
        for each in found:
            texts = (" ".join(each[key].split()) for key in ("text", "suggestion"))
            rows.append((each["start_char"], each["end_char"], *texts, f"{each['margin']:.2f}"))
        written.write(table(rows, header=HEADER, divider=True, aligns=("r", "r", "l", "l", "r")) + "\n")
