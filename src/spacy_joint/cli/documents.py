"""Reading the documents of corpora in all supported formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import Errors, JointValueError

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    from ..annotation.constituency_trees import Tree

DOCUMENTS = "newdoc"
DocumentsOption = Annotated[
    str,
    typer.Option(
        help="How CoNLL-U documents are delimited: newdoc (comments), sent_id (its prefix), or a number of sentences. "
        "For constituency treebanks, only numbers count; others mean 1."
    ),
]


def read_documents(
    path: Path,
    vocab: Vocab,
    documents: str = DOCUMENTS,
    leave_out: str | None = None,
    *,
    subtypes: bool = True,
    keep_lines: bool = False,
    format_: str | None = None,
    traces: str = "delete",
    change: Callable[[Tree], Tree] | None = None,
) -> Iterator[Doc]:
    """Reads the annotated documents of a `.conllu` or `.spacy` file or a constituency treebank, or of a directory of
    one format.

    documents (str): How documents are delimited in CoNLL-U and in treebanks: see `read_conllu` and DocumentsOption.
    leave_out, subtypes, keep_lines: For CoNLL-U: see `read_conllu`.
    format_ (str | None), traces (str), change (Callable | None): See `read_tree_documents`.
    RAISES ValueError: If the format is unknown (J404, J407), or if the reader of the format raises it.
    """
    from ..corpora import conllu, docbin
    from ..corpora.constituency_treebanks import SUFFIXES, read_tree_documents

    suffix = path.suffix
    if path.is_dir():
        known = (conllu.SUFFIX, docbin.SUFFIX, *SUFFIXES)
        suffix = next((suffix for suffix in known if any(path.glob(f"*{suffix}"))), docbin.SUFFIX)
    if format_ is not None or suffix in SUFFIXES:
        sentences = int(documents) if documents.isdecimal() else 1
        return read_tree_documents(path, vocab, sentences=sentences, format=format_, traces=traces, change=change)
    if suffix == conllu.SUFFIX:
        division = int(documents) if documents.isdecimal() else documents
        return conllu.read_conllu(
            path, vocab, documents=division, leave_out=leave_out, subtypes=subtypes, keep_lines=keep_lines
        )
    if suffix == docbin.SUFFIX:
        return docbin.read_docbin(path, vocab)
    raise JointValueError(
        Errors.J407, path=path, allowed=f"{conllu.SUFFIX}, {docbin.SUFFIX} nor {' or '.join(SUFFIXES)}"
    )
