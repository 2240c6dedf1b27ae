"""The documents that commands read: corpora in all formats of the package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import Errors, JointValueError

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

DOCUMENTS = "newdoc"
DocumentsOption = Annotated[
    str,
    typer.Option(
        help="What a document of CoNLL-U is: newdoc (comments), sent_id (its prefix), or a number of sentences. "
        "Brackets know but numbers, and take newdoc for 1."
    ),
]


def read_documents(path: Path, vocab: Vocab, documents: str = DOCUMENTS, leave_out: str | None = None) -> Iterator[Doc]:
    """Reads the annotated documents of a `.conllu`, `.spacy`, `.ptb` or `.mrg` file, or of a directory of one format.

    documents (str): What a document is in CoNLL-U and in brackets: see `read_conllu`, and DocumentsOption.
    leave_out (str | None): Documents of CoNLL-U to leave out: see `read_conllu`.
    RAISES ValueError: If it is something else (J407), or what the readers of the formats raise.
    """
    from ..corpora import brackets, conllu, docbin

    suffix = path.suffix
    if path.is_dir():
        known = (conllu.SUFFIX, docbin.SUFFIX, *brackets.SUFFIXES)
        suffix = next((suffix for suffix in known if any(path.glob(f"*{suffix}"))), docbin.SUFFIX)
    if suffix in brackets.SUFFIXES:
        return brackets.read_brackets(path, vocab, sentences=int(documents) if documents.isdecimal() else 1)
    if suffix == conllu.SUFFIX:
        division = int(documents) if documents.isdecimal() else documents
        return conllu.read_conllu(path, vocab, documents=division, leave_out=leave_out)
    if suffix == docbin.SUFFIX:
        return docbin.read_docbin(path, vocab)
    raise JointValueError(Errors.J407, path=path, allowed=f"{conllu.SUFFIX}, {docbin.SUFFIX} nor .ptb or .mrg")
