"""`convert`: convert CoNLL-U to spaCy's binary format; unlike `spacy convert`, this keeps whole documents."""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ..files.replacing import replace_when_written
from .documents import DOCUMENTS, DocumentsOption, read_documents


def convert(
    corpora: Annotated[list[Path], typer.Argument(help=".conllu files, or directories of such files.")],
    output: Annotated[Path, typer.Argument(help="Output .spacy file.")],
    documents: DocumentsOption = DOCUMENTS,
    leave_out: Annotated[
        str | None, typer.Option(help="Leave out CoNLL-U documents whose first sent_id starts with this regex.")
    ] = None,
) -> None:
    """Convert CoNLL-U to a DocBin of whole documents with gold tokens.

    Unlike `spacy convert`, this keeps documents, spaces and non-projective trees.
    """
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    vocab = Vocab()
    docs = [doc for corpus in corpora for doc in read_documents(corpus, vocab, documents, leave_out)]
    with replace_when_written(output) as path:
        DocBin(docs=docs).to_disk(path)
    msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} words")
