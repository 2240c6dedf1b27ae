"""`quotes`: find quotations and their speakers in plain text."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any

import typer
from spacy.tokens import Doc

from ...errors import check_choice
from ..options import STANDARD_INPUT, LinesOption, ModelOption, OutputOption, open_lines, open_output

FORMATS = ("csv", "html", "json", "jsonl", "table")
COMPONENT = "quotation_spans"


def quotes(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", help="Text files (UTF-8), or - for standard input.")
    ] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="table or csv (a row per quotation), json or jsonl (documents), or html (a colour per character).",
        ),
    ] = "table",
    output: OutputOption = None,
    model: ModelOption = None,
    lines: LinesOption = False,
    single_quotes: Annotated[
        bool | None,
        typer.Option(help="Whether single marks quote, too (rules only). Default: the document decides."),
    ] = None,
) -> None:
    """Find quotations, their speakers and characters.

    A pipeline without quotation_spans finds them by rules.
    """
    check_choice("format", format_, FORMATS)
    from ... import load
    from ...length import lift_max_length
    from ...pipes.components import enable_components, get_components
    from ...pipes.foreign_text import warn_of_language
    from ...quotation.writing import WRITERS
    from ...scale.annotating.records import require_text

    def read_texts() -> Iterator[tuple[str, str]]:
        for file in files or [STANDARD_INPUT]:
            require_text(file)
            with open_lines(file) as decoded:
                texts = (line.rstrip("\r\n") for line in decoded) if lines else iter(["".join(decoded)])
                yield from ((text, file) for text in texts)

    texts = read_texts()
    # A missing file is reported before the pipeline is loaded.
    first = next(texts, None)
    nlp = lift_max_length(load(model))
    finder = (get_components(nlp, COMPONENT) or [nlp.add_pipe(COMPONENT)])[-1]
    enable_components(nlp, COMPONENT)
    if single_quotes is not None:
        finder.cfg["single_quotes"] = single_quotes
    pairs = ((nlp.make_doc(text), file) for text, file in chain([first] if first else [], texts))

    def find_quotations() -> Iterator[tuple[str, Doc, Any]]:
        has_warned = False
        for doc, file in nlp.pipe(pairs, as_tuples=True):
            has_warned = has_warned or warn_of_language(nlp, doc)
            yield file, doc, finder.get_quotations(doc)

    with open_output(output) as written:
        WRITERS[format_](find_quotations(), written)
