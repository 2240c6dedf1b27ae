"""`convert`: CoNLL-U in, spaCy's binary format out, with whole documents, which `spacy convert` does not keep."""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from .files import DOCUMENTS, DocumentsOption, read_documents, replace_when_written


def convert(
    corpus: Annotated[Path, typer.Argument(help=".conllu file, or directory of such files.")],
    output: Annotated[Path, typer.Argument(help=".spacy file to write.")],
    documents: DocumentsOption = DOCUMENTS,
) -> None:
    """Convert CoNLL-U to a DocBin of whole documents with gold tokens.

    Unlike `spacy convert` this keeps documents, spaces and trees that are not projective.
    """
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    docs = list(read_documents(corpus, Vocab(), documents))
    with replace_when_written(output) as path:
        DocBin(docs=docs).to_disk(path)
    msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} words")
