"""`annotate`: split text and transcripts into sentences and parse them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import chain, groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, TextIO

import typer

from ..errors import Errors, JointValueError
from ..files.reading import read_lines, require_file
from ..files.replacing import replace_when_written
from .annotate_corpus import (
    EngineOption,
    ShardBytesOption,
    TextColumnOption,
    WorkersOption,
    annotate_corpus,
)
from .options import AddressOption, LinesOption, ModelOption
from .progress import show_progress

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

STANDARD_INPUT = "-"
JSON, BINARY = "json", "spacy"
# Those that are not of constituents. All but JSON and DocBin are written sentence by sentence, as soon as it is final.
FORMATS = ("conllu", JSON, "jsonl", "table", BINARY)
# The number of characters from which on progress is shown, since annotation takes seconds.
LONG_TEXT = 200_000


def annotate(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[INPUT]...",
            help="File (UTF-8), or - for standard input. With --engine: files, directories, patterns and addresses.",
        ),
    ] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="conllu, json (one document per line), jsonl (one sentence per line), spacy (DocBin) or table; for "
            "constituents, brackets, discbracket, export (version 4), export3 or alpino. With --engine: conllu, json, "
            "jsonl, parquet or spacy.",
        ),
    ] = "conllu",
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Output file. Default: standard output. With --engine: directory, or its address."
        ),
    ] = None,
    model: ModelOption = None,
    beam_width: Annotated[
        int | None, typer.Option(help="Beam width: narrower is faster, wider is more accurate.")
    ] = None,
    lines: LinesOption = False,
    format_in: Annotated[
        str | None,
        typer.Option(
            "--format-in",
            help="text, turns (`ANNA: ...`), srt, vtt, or whisper (JSON). With --engine, also jsonl, parquet or wet. "
            "Default: by suffix, or by content.",
        ),
    ] = None,
    engine: EngineOption = None,
    address: AddressOption = None,
    workers: WorkersOption = None,
    text_column: TextColumnOption = None,
    shard_bytes: ShardBytesOption = None,
) -> None:
    """Split text and transcripts into sentences and parse them.

    Unless --lines is given, the text is one document, regardless of its lines and paragraphs. Standard input is
    annotated as it arrives, except for json and spacy: sentences are printed as soon as they are final. Constituents
    are those of the constituency_parser, even if it is disabled, or chart_parser of the pipeline.

    With --engine, the input is a corpus of any size, and the output is a directory of shards, with a manifest. Started
    again, a run that was stopped continues.
    """
    if engine is not None:
        if output is None or not inputs:
            raise JointValueError(Errors.J715)
        annotate_corpus(
            inputs,
            output,
            engine=engine,
            address=address,
            workers=workers,
            model=model,
            beam_width=beam_width,
            format_=format_,
            format_in=format_in,
            lines=lines,
            text_column=text_column,
            shard_bytes=shard_bytes,
        )
        return
    of_corpora = {"address": address, "workers": workers, "text-column": text_column, "shard-bytes": shard_bytes}
    for option, value in of_corpora.items():
        if value is not None:
            raise JointValueError(Errors.J716, option=option, engine="local or ray")
    file, *others = inputs or [STANDARD_INPUT]
    if others or Path(file).is_dir():
        raise JointValueError(Errors.J714)
    from ..corpora.constituency_treebanks import FORMATS as TREE_FORMATS

    if format_ not in FORMATS and format_ not in TREE_FORMATS:
        raise JointValueError(Errors.J404, found=format_, allowed=", ".join((*FORMATS, *TREE_FORMATS)))
    if format_ == BINARY and output is None:
        raise JointValueError(Errors.J405)
    if file != STANDARD_INPUT:
        require_file(file)
    from .. import load
    from ..pipes.components import enable_components
    from ..transcripts.reading import TEXT, require_format

    if format_in is not None:
        require_format(format_in)
        if lines and format_in != TEXT:
            raise JointValueError(Errors.J467, format=format_in)
    nlp = load(model, beam_width=beam_width)
    if format_ in TREE_FORMATS:
        enable_components(nlp, "constituency_parser")
    with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else Path(file).open("rb") as source:
        are_parts = False
        if lines:
            annotated = _annotate_lines(nlp, source, file)
        elif file == STANDARD_INPUT:
            annotated, are_parts = _annotate_input(nlp, source, format_in, format_ not in (JSON, BINARY))
        else:
            annotated = _annotate_whole(nlp, read_lines(source, file), file, format_in)
        docs = _require_sentences(annotated, model or "The pipeline")
        if output is None:
            _write(docs, typer.get_text_stream("stdout", encoding="utf8"), format_, are_parts)
            return
        with replace_when_written(Path(output)) as path:
            if format_ == BINARY:
                from spacy.tokens import DocBin

                DocBin(docs=docs, store_user_data=True).to_disk(path)
            else:
                with path.open("w", encoding="utf8", newline="\n") as written:
                    _write(docs, written, format_, are_parts)


def _write(docs: Iterable[Doc], file: TextIO, format_: str, are_parts: bool) -> None:
    from ..annotation.constituents import get_trees
    from ..corpora.constituency_treebanks import FORMATS as TREE_FORMATS
    from ..corpora.export import write_conllu, write_json, write_sentences, write_table

    def flush_after_each() -> Iterator[Doc]:
        for doc in docs:
            yield doc
            file.flush()

    if format_ == JSON:
        write_json(flush_after_each(), file)
    elif format_ in TREE_FORMATS:
        TREE_FORMATS[format_].write(chain.from_iterable(map(get_trees, flush_after_each())), file)
    else:
        write = {"conllu": write_conllu, "jsonl": write_sentences, "table": write_table}[format_]
        write(flush_after_each(), file, are_parts=are_parts)


def _annotate_input(
    nlp: Language, source: BinaryIO, format_in: str | None, is_streamed: bool
) -> tuple[Iterator[Doc], bool]:
    """The documents of standard input, and whether they are parts of a single one, annotated as they arrive."""
    from ..pipes.streaming import can_stream, stream_sentences
    from ..transcripts.reading import TEXT, guess_captions

    lines = _end_when_interrupted(read_lines(source, _name(STANDARD_INPUT)))
    if format_in is None:
        # Turns need more lines than may have arrived.
        first = list(islice(lines, 2))
        format_in = guess_captions([line.rstrip("\r\n") for line in first]) or TEXT
        lines = chain(first, lines)
    if is_streamed and format_in == TEXT and can_stream(nlp):
        sentences = stream_sentences(lines, nlp)
        return (part for part, _ in groupby(sentences, key=attrgetter("doc"))), True
    return _annotate_whole(nlp, lines, STANDARD_INPUT, format_in), False


def _end_when_interrupted(lines: Iterator[str]) -> Iterator[str]:
    """Ends the input at Ctrl-C, so that what has arrived is annotated: `tail -f` has no other end."""
    try:
        yield from lines
    except KeyboardInterrupt:
        return


def _annotate_whole(nlp: Language, lines: Iterable[str], file: str, format_in: str | None) -> Iterator[Doc]:
    from ..transcripts.documents import make_doc_of_text

    text = "".join(lines)
    # spaCy's limit is for models that need much memory per character.
    nlp.max_length = max(nlp.max_length, len(text))
    with show_progress(len(text) > LONG_TEXT, total=len(nlp.pipeline) + 1, unit="step") as progress:
        progress.set_description("tokenizer")
        doc = make_doc_of_text(nlp, text, format_in, _name(file))
        progress.update()
        for component_name, component in nlp.pipeline:
            progress.set_description(component_name)
            doc = component(doc)
            progress.update()
    yield doc


def _annotate_lines(nlp: Language, source: BinaryIO, file: str) -> Iterator[Doc]:
    size = None if file == STANDARD_INPUT else Path(file).stat().st_size
    with show_progress(size is None or size > LONG_TEXT, total=size, unit="B", unit_scale=True) as progress:

        def read() -> Iterator[str]:
            for line in read_lines(source, _name(file)):
                progress.update(len(line.encode("utf8")))
                nlp.max_length = max(nlp.max_length, len(line))
                yield line.rstrip("\r\n")

        # Lines that are typed, or that another process is still writing, must not wait for others.
        yield from nlp.pipe(read(), batch_size=1 if file == STANDARD_INPUT else None)


def _name(file: str) -> str:
    """What errors call the input."""
    return "standard input" if file == STANDARD_INPUT else file


def _require_sentences(docs: Iterable[Doc], model: str) -> Iterator[Doc]:
    for number, doc in enumerate(docs, start=1):
        if not doc.has_annotation("SENT_START"):
            raise JointValueError(Errors.J406, model=model, document=number)
        yield doc
