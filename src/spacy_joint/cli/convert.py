"""`convert`: convert corpora to spaCy's binary format or to CoNLL-U, and constituency treebanks to others' formats.

Unlike `spacy convert`, this keeps whole documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from wasabi import msg

from ..files.replacing import replace_when_written
from .documents import DOCUMENTS, DocumentsOption, read_documents

if TYPE_CHECKING:
    from ..annotation.constituency_trees import Tree

CONLLU = ".conllu"
FORMATS_HELP = "brackets, discbracket, export (version 4), export3 or alpino. Default: by suffix."


def convert(
    corpora: Annotated[
        list[Path], typer.Argument(help="Files, or directories of files: .conllu, .spacy, constituency treebanks.")
    ],
    output: Annotated[Path, typer.Argument(help="Output file: .spacy, .conllu, or a constituency treebank.")],
    documents: DocumentsOption = DOCUMENTS,
    leave_out: Annotated[
        str | None, typer.Option(help="Leave out CoNLL-U documents whose first sent_id starts with this regex.")
    ] = None,
    subtypes: Annotated[
        bool, typer.Option("--subtypes/--no-subtypes", help="Whether relations keep their subtypes, as in nsubj:pass.")
    ] = True,
    keep_lines: Annotated[
        bool,
        typer.Option(
            "--keep-lines",
            help="Keep the lines of CoNLL-U in .spacy files, so that comments, empty nodes, enhanced dependencies and "
            "MISC can be written back.",
        ),
    ] = False,
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
    """Convert corpora to a DocBin of whole documents with gold tokens, to CoNLL-U, or to a constituency treebank.

    Unlike `spacy convert`, this keeps documents, spaces, multiword tokens and non-projective trees.
    """
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    from ..corpora.constituency_treebanks import find_format, read_treebank, require_format
    from ..corpora.export import write_conllu

    change = _make_change(root_attach, continuous)
    name = format_ or (None if output.is_dir() else find_format(output))
    if name is None:
        to_conllu = output.suffix == CONLLU
        read_corpus = partial(
            read_documents,
            vocab=Vocab(),
            documents=documents,
            leave_out=leave_out,
            subtypes=subtypes,
            keep_lines=keep_lines or to_conllu,
            format_=format_in,
            traces=traces,
            change=change,
        )
        docs = [doc for corpus in corpora for doc in read_corpus(corpus)]
        with replace_when_written(output) as path:
            if to_conllu:
                with path.open("w", encoding="utf8", newline="\n") as file:
                    write_conllu(docs, file)
            else:
                DocBin(docs=docs, store_user_data=True).to_disk(path)
        msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} tokens")
        return

    written = 0

    def read_trees() -> Iterator[Tree]:
        nonlocal written
        for corpus in corpora:
            if format_in is not None or find_format(corpus) is not None:
                read = map(change, read_treebank(corpus, format_in, traces))
            else:
                read = map(change, _read_trees_of_documents(corpus, documents, leave_out))
            for tree in read:
                written += 1
                yield tree

    write = require_format(name).write
    with replace_when_written(output) as path, path.open("w", encoding="utf8", newline="\n") as file:
        write(read_trees(), file)
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
