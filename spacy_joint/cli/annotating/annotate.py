"""`annotate`: split text and transcripts into sentences and parse them."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from spacy.language import Language
from spacy.tokens import Doc

from ...errors import Errors, JointValueError, JointWarning, Warnings, check_choice
from ...trees.constituency_trees import Tree
from ..options import (
    STANDARD_INPUT,
    BeamWidthOption,
    LinesOption,
    ModelOption,
    OutputOption,
    open_lines,
    open_output,
    show_progress,
)

PARSER = "joint_sbd_parser"
JSON, BINARY, LIVE = "json", "spacy", "jsonl"
# Formats without constituents. All but JSON and DocBin print sentences as soon as they are final.
FORMATS = ("conllu", JSON, LIVE, "table", BINARY)
# Readable text and captions, which are also written at the end of the input.
READABLE = ("text", "markdown", "srt", "vtt", "csv")
FORMATS_HELP = (
    "conllu, json (one document per line), jsonl (one sentence per line), spacy (DocBin) or table; for reading, "
    "text or markdown (a paragraph per turn), srt or vtt (captions) or csv; for constituents, "
    "brackets, discbracket, export (version 4), export3 or alpino."
)
FORMAT_IN_HELP = (
    "text, turns (`ANNA: ...`), otter, youtube, srt, vtt, recogniser (JSON of Whisper, vosk, AWS, Google and others), "
    "ctm, or tsv (of Whisper). Default: by suffix or content."
)
# Longer files with a document per line, in bytes, take seconds, so progress is shown.
LONG_FILE = 200_000


def annotate(
    file: Annotated[
        str,
        typer.Argument(
            help="File (UTF-8; also .gz, .zst, .bz2), or - for standard input. For many texts, see annotate-corpus."
        ),
    ] = STANDARD_INPUT,
    format_: Annotated[str, typer.Option("--format", "-f", help=FORMATS_HELP)] = "conllu",
    output: OutputOption = None,
    model: ModelOption = None,
    beam_width: BeamWidthOption = None,
    lines: LinesOption = False,
    format_in: Annotated[str | None, typer.Option(help=FORMAT_IN_HELP)] = None,
    line_breaks: Annotated[
        bool, typer.Option("--line-breaks", help="End a sentence at each line break, as in chats and logs.")
    ] = False,
    max_delay: Annotated[
        int | None,
        typer.Option(min=1, help="Standard input: print a sentence at most this many words after its end."),
    ] = None,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help='Standard input, jsonl: after each line, print pending words, too, with `"partial": true` and the '
            "`end_probability` of the last one. A line replaces partial ones with the same start or a later one.",
        ),
    ] = False,
    wrap: Annotated[
        int | None, typer.Option(min=1, help="text, markdown: maximum characters per line. Default: no limit.")
    ] = None,
    rows: Annotated[str | None, typer.Option(help="csv: sentence or word. Default: sentence.")] = None,
    max_lines: Annotated[int | None, typer.Option(help="srt, vtt: maximum lines per caption. Default: 2.")] = None,
    max_width: Annotated[int | None, typer.Option(help="srt, vtt: maximum characters per line. Default: 42.")] = None,
    min_seconds: Annotated[
        float | None, typer.Option(help="srt, vtt: minimum duration of a caption. Default: 1.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="srt, vtt: maximum duration of a caption. Default: 7.")
    ] = None,
    recut: Annotated[
        bool, typer.Option("--recut", help="srt, vtt: also recut input captions that are within the limits.")
    ] = False,
    max_rate: Annotated[float | None, typer.Option(help="srt, vtt: maximum characters/second. Default: 20.")] = None,
) -> None:
    """Split text and transcripts into parsed sentences.

    The text is one document, unless --lines is given. For conllu, jsonl and table, standard input is annotated as it
    arrives: sentences are printed as soon as they are final, with --line-breaks at the end of their line. Components
    that a format needs, for punctuation or constituents, run even if they are disabled.
    """
    from ...corpora.constituency_treebanks import FORMATS as TREE_FORMATS

    check_choice("format", format_, (*FORMATS, *READABLE, *TREE_FORMATS))
    given: dict[str, Any] = {"wrap": wrap, "rows": rows, "max_lines": max_lines, "max_width": max_width}
    given |= {"min_seconds": min_seconds, "max_seconds": max_seconds, "max_rate": max_rate, "recut": recut or None}
    settings = {name: value for name, value in given.items() if value is not None}
    _check_settings(format_, settings)
    if format_ == BINARY and output is None:
        raise JointValueError(Errors.J716, option=f"--format {BINARY}", needed="--output FILE")
    if partial and (format_ != LIVE or output is not None):
        raise JointValueError(Errors.J716, option="--partial", needed=f"--format {LIVE} and standard output")
    is_live = file == STANDARD_INPUT and format_ not in (JSON, BINARY, *READABLE)
    for option, is_given in (("--max-delay", max_delay is not None), ("--partial", partial)):
        if is_given and not is_live:
            raise JointValueError(Errors.J716, option=option, needed="standard input, annotated as it arrives")
        if is_given and lines:
            raise JointValueError(Errors.J155, option="--lines", other=option)
    if lines and line_breaks:
        raise JointValueError(Errors.J155, option="--lines", other="--line-breaks")
    from ... import load
    from ...length import lift_max_length
    from ...pipes.components import enable_components, require_components
    from ...scale.annotating.records import has_records, require_text
    from ...transcripts.reading import FORMATS as TEXT_FORMATS
    from ...transcripts.reading import TEXT

    if (is_directory := Path(file).is_dir()) or (format_in is None and has_records(file)):
        what = "a directory" if is_directory else "a file of many texts"
        raise JointValueError(Errors.J718, path=file, what=what, command="`spacy joint annotate-corpus`")
    if format_in is None:
        require_text(file)
    else:
        check_choice("format", format_in, TEXT_FORMATS)
        if lines and format_in != TEXT:
            raise JointValueError(Errors.J155, option="--lines", other=f"{format_in}, the format of a whole transcript")
    with open_lines(file) as source:
        nlp = lift_max_length(load(model, beam_width=beam_width))
        if format_ in TREE_FORMATS:
            enable_components(nlp, "constituency_parser")
        if line_breaks:
            for parser in require_components(nlp, PARSER):
                parser.cfg["line_breaks"] = True
        are_parts = False
        if lines:
            annotated = _annotate_lines(nlp, source, file)
        elif file == STANDARD_INPUT:
            format_in = TEXT if line_breaks and format_in is None else format_in
            streaming: dict[str, Any] = {"max_delay": max_delay} if max_delay is not None else {}
            streaming |= {"show_pending": _write_pending} if partial else {}
            annotated, are_parts = _annotate_input(nlp, source, format_in, is_live, streaming)
        else:
            annotated = _annotate_whole(nlp, source, file, format_in)
        docs = _check(nlp, annotated)
        if format_ == BINARY:
            from ...corpora.docbin import write_docbin

            assert output is not None
            write_docbin(docs, output)
        else:
            with open_output(output) as written:
                is_complete = _write(nlp, docs, written, format_, are_parts, settings)
            if not is_complete:
                raise typer.Exit(1)


def _check_settings(format_: str, settings: dict[str, Any]) -> None:
    """Checks that settings are for a format (J716) and in range (J030, J040)."""
    from ...transcripts.writing import SETTINGS, check_settings

    for name in settings:
        needed = [known for known in READABLE if name in SETTINGS[known]]
        if format_ not in needed:
            option = f"--{name.replace('_', '-')}"
            raise JointValueError(Errors.J716, option=option, needed=f"--format {' or '.join(needed)}")
    if format_ in READABLE:
        check_settings(format_, settings)


def _write(
    nlp: Language, docs: Iterable[Doc], file: TextIO, format_: str, are_parts: bool, settings: dict[str, Any]
) -> bool:
    """Writes documents; returns whether all could be written."""
    from ...corpora.conllu_writing import write_conllu
    from ...corpora.constituency_treebanks import FORMATS as TREE_FORMATS
    from ...corpora.export import write_json, write_sentences, write_table

    def flush_after_each() -> Iterator[Doc]:
        for doc in docs:
            yield doc
            file.flush()

    flushed = flush_after_each()
    left_out: list[int] = []
    if format_ == JSON:
        write_json(flushed, file)
    elif format_ in READABLE:
        from ...transcripts.documents import restore_marks
        from ...transcripts.writing import write_string

        for number, doc in enumerate(restore_marks(nlp, doc) for doc in flushed):
            if number:
                settings = {**settings, "has_header": False} if format_ == "csv" else settings
                file.write("\n" if format_ in ("text", "markdown") else "")
            file.write(write_string(doc, format_, **settings))
    elif format_ in TREE_FORMATS:
        trees = _list_trees(flushed, left_out)
        TREE_FORMATS[format_].write(_make_continuous(nlp, trees) if format_ == "brackets" else trees, file)
    elif format_ == "conllu":
        write_conllu(flushed, file, are_parts=are_parts, is_strict=False)
    else:
        write = {"jsonl": write_sentences, "table": write_table}[format_]
        write(flushed, file, are_parts=are_parts)
    return not left_out


def _list_trees(docs: Iterable[Doc], left_out: list[int]) -> Iterator[Tree]:
    """Yields the trees of documents. Adds the numbers of documents whose constituents are not trees to `left_out`
    (JW48)."""
    from ...annotation.constituents import get_trees

    for number, doc in enumerate(docs, start=1):
        try:
            yield from get_trees(doc)
        except JointValueError as error:
            if error.code == Errors.J336.code:
                # No document of this pipeline has constituents.
                raise
            warnings.warn(JointWarning(Warnings.JW48, number=number, reason=error), stacklevel=2)
            left_out.append(number)


def _make_continuous(nlp: Language, trees: Iterable[Tree]) -> Iterator[Tree]:
    """Makes trees continuous (JW46), by the head rules of the pipeline's parser."""
    from ...trees.discontinuity import make_continuous
    from ...trees.transform import mark_heads

    rules = next((pipe.head_rules for _, pipe in nlp.pipeline if hasattr(pipe, "head_rules")), None)
    warned = False
    for number, tree in enumerate(trees, start=1):
        if tree.is_continuous:
            yield tree
            continue
        if not warned:
            warned = True
            warnings.warn(JointWarning(Warnings.JW46, number=number), stacklevel=2)
        yield make_continuous(tree if rules is None else mark_heads(tree, rules))


def _write_pending(doc: Doc) -> None:
    from ...corpora.export import write_sentences

    with open_output(None) as file:
        write_sentences([doc], file, are_parts=True)
        file.flush()


def _annotate_input(
    nlp: Language, source: Iterator[str], format_in: str | None, is_live: bool, settings: dict[str, Any]
) -> tuple[Iterator[Doc], bool]:
    """Annotates standard input: returns documents, and whether they are parts of a single one, annotated as they
    arrive. For the settings, see `stream_sentences`."""
    from ...pipes.streaming import can_stream, stream_sentences
    from ...transcripts.reading import TEXT, guess_marked

    lines = _end_when_interrupted(source)
    if format_in is None and is_live:
        # Not turns, since recognising them needs more lines than may have arrived.
        first = list(islice(lines, 2))
        format_in = guess_marked([line.rstrip("\r\n") for line in first]) or TEXT
        lines = chain(first, lines)
    if is_live and format_in == TEXT and can_stream(nlp):
        sentences = stream_sentences(lines, nlp, **settings)
        return (part for part, _ in groupby(sentences, key=attrgetter("doc"))), True
    if settings:
        needed = "text, and a pipeline that can annotate streams"
        raise JointValueError(Errors.J716, option="--max-delay or --partial", needed=needed)
    return _annotate_whole(nlp, lines, STANDARD_INPUT, format_in), False


def _end_when_interrupted(lines: Iterator[str]) -> Iterator[str]:
    """Ends the input at Ctrl-C, so that the text so far is annotated: `tail -f` has no other end."""
    with suppress(KeyboardInterrupt):
        yield from lines


def _annotate_whole(nlp: Language, lines: Iterable[str], file: str, format_in: str | None) -> Iterator[Doc]:
    from ...transcripts.documents import make_doc_of_text

    yield nlp(make_doc_of_text(nlp, "".join(lines), format_in, "standard input" if file == STANDARD_INPUT else file))


def _annotate_lines(nlp: Language, source: Iterable[str], file: str) -> Iterator[Doc]:
    size = None if file == STANDARD_INPUT else Path(file).stat().st_size
    with show_progress(size is None or size > LONG_FILE, total=size, unit="B", unit_scale=True) as progress:

        def read() -> Iterator[str]:
            for line in source:
                progress.update(len(line.encode("utf8")))
                yield line.rstrip("\r\n")

        # Lines from a keyboard or another process must not wait for later lines.
        yield from nlp.pipe(read(), batch_size=1 if file == STANDARD_INPUT else None)


def _check(nlp: Language, docs: Iterable[Doc]) -> Iterator[Doc]:
    """Checks that documents have sentences (J336), and warns once of another language (JW50)."""
    from ...pipes.foreign_text import warn_of_language

    has_warned = False
    for number, doc in enumerate(docs, start=1):
        if not doc.has_annotation("SENT_START"):
            raise JointValueError(Errors.J336, source=f"Document {number}", what="sentence boundaries")
        has_warned = has_warned or warn_of_language(nlp, doc)
        yield doc
