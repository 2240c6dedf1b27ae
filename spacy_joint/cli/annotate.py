"""`annotate`: split plain text into sentences and parse them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from ..corpora.export import write_conllu, write_json, write_table
from ..errors import Errors, JointValueError
from ..files.reading import read_lines, require_file
from ..files.replacing import replace_when_written

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

STANDARD_INPUT = "-"
WRITERS = {"conllu": write_conllu, "json": write_json, "table": write_table}
BINARY = "spacy"
# The number of characters from which on progress is shown, since annotation takes seconds.
LONG_TEXT = 200_000


def annotate(
    file: Annotated[str, typer.Argument(help="Text file (UTF-8), or - for standard input.")] = STANDARD_INPUT,
    format_: Annotated[
        str, typer.Option("--format", "-f", help="conllu, json (one document per line), spacy (DocBin) or table.")
    ] = "conllu",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output file. Default: standard output.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="Path or package of a pipeline. Default: the shipped pipeline.")
    ] = None,
    beam_width: Annotated[
        int | None, typer.Option(help="Beam width: narrower is faster, wider is more accurate.")
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Treat each line as a document.")] = False,
) -> None:
    """Split text into sentences and parse them.

    Unless --lines is given, the text is one document, regardless of its lines and paragraphs.
    """
    if format_ not in (*WRITERS, BINARY):
        raise JointValueError(Errors.J404, found=format_, allowed=", ".join((*WRITERS, BINARY)))
    if format_ == BINARY and output is None:
        raise JointValueError(Errors.J405)
    if file != STANDARD_INPUT:
        require_file(file)
    from .. import load

    nlp = load(model, beam_width=beam_width)
    with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else Path(file).open("rb") as source:
        name = "standard input" if file == STANDARD_INPUT else file
        annotated = _annotate_lines(nlp, source, name) if lines else _annotate_whole(nlp, source, name)
        docs = _require_sentences(annotated, model or "The pipeline")
        if output is None:
            WRITERS[format_](docs, typer.get_text_stream("stdout", encoding="utf8"))
            return
        with replace_when_written(output) as path:
            if format_ == BINARY:
                from spacy.tokens import DocBin

                DocBin(docs=docs, store_user_data=True).to_disk(path)
            else:
                with path.open("w", encoding="utf8", newline="\n") as written:
                    WRITERS[format_](docs, written)


def _annotate_whole(nlp: Language, source: BinaryIO, name: str) -> Iterator[Doc]:
    text = "".join(read_lines(source, name))
    # spaCy's limit is for models that need much memory per character.
    nlp.max_length = max(nlp.max_length, len(text))
    with _show_progress(len(text) > LONG_TEXT, total=len(nlp.pipeline) + 1, unit="step") as progress:
        progress.set_description("tokenizer")
        doc = nlp.make_doc(text)
        progress.update()
        for component_name, component in nlp.pipeline:
            progress.set_description(component_name)
            doc = component(doc)
            progress.update()
    yield doc


def _annotate_lines(nlp: Language, source: BinaryIO, name: str) -> Iterator[Doc]:
    size = Path(name).stat().st_size if source is not sys.stdin.buffer else None
    with _show_progress(size is None or size > LONG_TEXT, total=size, unit="B", unit_scale=True) as progress:

        def read() -> Iterator[str]:
            for line in read_lines(source, name):
                progress.update(len(line.encode("utf8")))
                nlp.max_length = max(nlp.max_length, len(line))
                yield line.rstrip("\r\n")

        yield from nlp.pipe(read())


def _show_progress(is_long: bool, **settings: Any) -> Any:
    """A progress bar, for long input and if standard error is a terminal."""
    from tqdm import tqdm

    return tqdm(disable=not (is_long and sys.stderr.isatty()), file=sys.stderr, leave=False, **settings)


def _require_sentences(docs: Iterable[Doc], model: str) -> Iterator[Doc]:
    for number, doc in enumerate(docs, start=1):
        if not doc.has_annotation("SENT_START"):
            raise JointValueError(Errors.J406, model=model, document=number)
        yield doc
