"""`convert`: CoNLL-U in, spaCy's binary format out, with whole documents, which `spacy convert` does not keep."""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ..files.replacing import replace_when_written
from .documents import DOCUMENTS, DocumentsOption, read_documents


def convert(
    corpora: Annotated[list[Path], typer.Argument(help=".conllu files, or directories of such files.")],
    output: Annotated[Path, typer.Argument(help=".spacy file to write.")],
    documents: DocumentsOption = DOCUMENTS,
    leave_out: Annotated[
        str | None, typer.Option(help="Leave out documents of CoNLL-U whose first sent_id begins with this (regex).")
    ] = None,
) -> None:
    """Convert CoNLL-U to a DocBin of whole documents with gold tokens.

    Unlike `spacy convert` this keeps documents, spaces and trees that are not projective.
    """
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    vocab = Vocab()
    docs = [doc for corpus in corpora for doc in read_documents(corpus, vocab, documents, leave_out)]
    with replace_when_written(output) as path:
        DocBin(docs=docs).to_disk(path)
    msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} words")
