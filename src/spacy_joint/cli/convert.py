"""`convert`: convert corpora to spaCy's binary format, and constituency treebanks to each other's formats.

Unlike `spacy convert`, this keeps whole documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from wasabi import msg

from ..files.replacing import replace_when_written
from .documents import DOCUMENTS, DocumentsOption, read_documents

if TYPE_CHECKING:
    from ..annotation.constituency_trees import Tree

FORMATS_HELP = "brackets, discbracket, export (version 4), export3 or alpino. Default: by suffix."


def convert(
    corpora: Annotated[
        list[Path], typer.Argument(help="Files, or directories of files: .conllu, .spacy, constituency treebanks.")
    ],
    output: Annotated[Path, typer.Argument(help="Output file: .spacy, or a constituency treebank.")],
    documents: DocumentsOption = DOCUMENTS,
    leave_out: Annotated[
        str | None, typer.Option(help="Leave out CoNLL-U documents whose first sent_id starts with this regex.")
    ] = None,
    format_in: Annotated[str | None, typer.Option("--format-in", help=f"Format of trees: {FORMATS_HELP}")] = None,
    format_: Annotated[
        str | None, typer.Option("--format", "-f", help=f"Output format, for trees: {FORMATS_HELP}")
    ] = None,
    traces: Annotated[
        str, typer.Option(help="Traces in brackets: delete, or cross (attach fillers where their traces are).")
    ] = "delete",
    root_attach: Annotated[
        bool, typer.Option("--root-attach", help="Attach punctuation and the like to constituents instead of the root.")
    ] = False,
    continuous: Annotated[
        str | None,
        typer.Option(help="Make trees continuous by these head rules: alpino, english (Penn Treebank) or negra."),
    ] = None,
) -> None:
    """Convert corpora to a DocBin of whole documents with gold tokens, or to a constituency treebank.

    Unlike `spacy convert`, this keeps documents, spaces and non-projective trees.
    """
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    from ..corpora.constituency_treebanks import find_format, read_treebank, require_format

    change = _make_change(root_attach, continuous)
    name = format_ or (None if output.is_dir() else find_format(output))
    if name is None:
        vocab = Vocab()
        docs = [
            doc
            for corpus in corpora
            for doc in read_documents(corpus, vocab, documents, leave_out, format_in, traces, change)
        ]
        with replace_when_written(output) as path:
            DocBin(docs=docs).to_disk(path)
        msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} words")
        return

    written = 0

    def read() -> Iterator[Tree]:
        nonlocal written
        for corpus in corpora:
            if format_in is not None or find_format(corpus) is not None:
                trees = map(change, read_treebank(corpus, format_in, traces))
            else:
                trees = map(change, _read_trees_of_documents(corpus, documents, leave_out))
            for tree in trees:
                written += 1
                yield tree

    write = require_format(name).write
    with replace_when_written(output) as path, path.open("w", encoding="utf8", newline="\n") as file:
        write(read(), file)
    msg.good(f"{output}: {written:,} trees")


def _read_trees_of_documents(corpus: Path, documents: str, leave_out: str | None) -> Iterator[Tree]:
    from spacy.vocab import Vocab

    from ..annotation.constituents import get_trees

    for doc in read_documents(corpus, Vocab(), documents, leave_out):
        yield from get_trees(doc)


def _make_change(root_attach: bool, continuous: str | None) -> Callable[[Tree], Tree]:
    """What is to be done with each tree."""
    from ..constituency.discontinuity import attach_root_children, make_continuous
    from ..constituency.heads import load_head_rules
    from ..constituency.transform import mark_heads

    rules = load_head_rules(continuous) if continuous is not None else None

    def change(tree: Tree) -> Tree:
        changed = attach_root_children(tree) if root_attach else tree
        return changed if rules is None else make_continuous(mark_heads(changed, rules))

    return change
