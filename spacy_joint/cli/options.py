"""Options that commands share, and how commands read input and write output."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated, Any, Literal, TextIO

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors, JointFileNotFoundError, JointOSError, JointValueError
from ..files.atomic import open_atomic
from ..files.compression import decompress
from ..files.reading import list_files, read_lines, require_file
from ..trees.constituency_trees import Tree

STANDARD_INPUT = "-"
DOCUMENTS = "newdoc"
# Kinds of text: unchanged, without punctuation and capitals, or both.
Kind = Literal["original", "unpunctuated", "both"]

LinesOption = Annotated[bool, typer.Option("--lines", help="Treat each line as a document.")]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", help="Path or package of a pipeline, `md`, `trf` or a language, e.g. `fr`. Default: English."
    ),
]
BeamWidthOption = Annotated[
    int | None, typer.Option(help="Beam width: narrower is faster, wider is more accurate. Default: the trained one.")
]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Default: standard output.", dir_okay=False)]
ScoresOption = Annotated[Path | None, typer.Option("--output", "-o", help="Output JSON file.", dir_okay=False)]
ConfigArgument = Annotated[Path, typer.Argument(help="Config, as for `spacy train`.", exists=True, dir_okay=False)]
ReplacedArgument = Annotated[Path, typer.Argument(help="Output directory; an existing one is replaced.")]
WeightBitsOption = Annotated[
    int, typer.Option(help="Precision of each weight. Fewer bits make a smaller package.", min=2, max=8)
]
# NumPy's range of seeds.
SeedOption = Annotated[int, typer.Option(help="Random seed.", min=0, max=2**32 - 1)]
RayOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on a Ray cluster: its address, auto (here), or local (start Ray here)."),
]
WorkersOption = Annotated[int, typer.Option(min=1, help="Number of processes.")]
SubtypesOption = Annotated[
    bool, typer.Option("--subtypes/--no-subtypes", help="Whether relations keep their subtypes, as in nsubj:pass.")
]
DocumentsOption = Annotated[
    str,
    typer.Option(
        help="How CoNLL-U documents are delimited: newdoc (comments), sent_id (its prefix), or a number of sentences. "
        "For constituency treebanks: a number of sentences; other values mean 1."
    ),
]
CorpusArgument = Annotated[
    Path,
    typer.Argument(help="Annotated documents: .conllu or .spacy file, constituency treebank, or directory of files."),
]


@contextmanager
def open_lines(file: str) -> Iterator[Iterator[str]]:
    """Opens a text file (UTF-8), which may be compressed, or standard input, and yields its lines (J402, J441)."""
    if file == STANDARD_INPUT:
        _require_open(sys.stdin, "standard input")
        yield read_lines(sys.stdin.buffer, "standard input")
    else:
        with require_file(file).open("rb") as raw:
            yield read_lines(decompress(raw, Path(file).suffix.lower()), file)


@contextmanager
def open_output(output: Path | None) -> Iterator[TextIO]:
    """Opens standard output, or a file, which is replaced once it is written."""
    if output is None:
        _require_open(sys.stdout, "standard output")
        yield typer.get_text_stream("stdout", encoding="utf8")
    else:
        with open_atomic(output) as file:
            yield file


def _require_open(stream: TextIO | None, name: str) -> None:
    # Python has no stream if the shell has closed it: `<&-`.
    if stream is None:
        raise JointOSError(Errors.J441, path=name, reason="it is closed")


def show_progress(is_long: bool, **settings: Any) -> Any:
    """Makes a progress bar, which is shown for long input if standard error is a terminal."""
    from tqdm import tqdm

    # tqdm prints nothing in terminals of unknown size, unless a size is given.
    size = {"ncols": get_terminal_size().columns, "nrows": 20}
    is_shown = is_long and sys.stderr is not None and sys.stderr.isatty()
    return tqdm(disable=not is_shown, file=sys.stderr, leave=False, **size, **settings)


def read_documents(
    path: Path,
    vocab: Vocab,
    documents: str = DOCUMENTS,
    *,
    format_: str | None = None,
    traces: str = "delete",
    change: Callable[[Tree], Tree] | None = None,
    **settings: Any,
) -> Iterator[Doc]:
    """Reads documents in any format (J040), by suffix or, for constituency treebanks, by `format_`. `traces` and
    `change` apply to treebanks (see `read_tree_documents`), other settings to CoNLL-U (see `read_conllu`)."""
    from ..corpora import conllu, docbin
    from ..corpora.constituency_treebanks import SUFFIXES, read_tree_documents

    known = (conllu.SUFFIX, docbin.SUFFIX, *SUFFIXES)
    suffix = path.suffix
    if path.is_dir():
        files = list_files(path, *known)
        suffix = next(suffix for suffix in known if any(file.suffix == suffix for file in files))
    if format_ is not None or suffix in SUFFIXES:
        n = int(documents) if documents.isdecimal() else 1
        return read_tree_documents(path, vocab, sentences=n, format=format_, traces=traces, change=change)
    if suffix == conllu.SUFFIX:
        return conllu.read_conllu(path, vocab, documents=documents, **{"keep_lines": False, **settings})
    if suffix == docbin.SUFFIX:
        return docbin.read_docbin(path, vocab)
    if not path.exists():
        raise JointFileNotFoundError(Errors.J101, path=path, suffix=" or ".join(known))
    raise JointValueError(Errors.J040, name="file type", value=str(path), allowed=", ".join(known))
