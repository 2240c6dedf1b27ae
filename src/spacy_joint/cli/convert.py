"""`convert`: convert between CoNLL-U and spaCy's binary format; unlike `spacy convert`, this keeps whole documents."""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ..files.replacing import replace_when_written
from .documents import DOCUMENTS, DocumentsOption, read_documents

CONLLU = ".conllu"


def convert(
    corpora: Annotated[list[Path], typer.Argument(help=".conllu or .spacy files, or directories of such files.")],
    output: Annotated[Path, typer.Argument(help="Output .spacy or .conllu file.")],
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
) -> None:
    """Convert CoNLL-U to a DocBin of whole documents with gold tokens, or back.

    Unlike `spacy convert`, this keeps documents, spaces, multiword tokens and non-projective trees.
    """
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    from ..corpora.export import write_conllu

    vocab = Vocab()
    to_conllu = output.suffix == CONLLU
    docs = [
        doc
        for corpus in corpora
        for doc in read_documents(
            corpus, vocab, documents, leave_out, subtypes=subtypes, keep_lines=keep_lines or to_conllu
        )
    ]
    with replace_when_written(output) as path:
        if to_conllu:
            with path.open("w", encoding="utf8", newline="\n") as file:
                write_conllu(docs, file)
        else:
            DocBin(docs=docs, store_user_data=True).to_disk(path)
    msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} tokens")
