"""`unpunctuate`: make unpunctuated training documents from punctuated text.

In edited text, punctuation and capitals tell a parser where sentences end. The parser annotates raw text, then
punctuation and capitals are removed: the results are documents like transcripts, with boundaries and trees, at no
cost. Tags are predicted again without punctuation, as they will be when the trained parser is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from wasabi import msg

from ..errors import Errors, JointValueError
from ..files.reading import read_text, require_file
from ..files.replacing import replace_when_written
from .options import ModelOption

if TYPE_CHECKING:
    from spacy.tokens import Doc

TAGGER = "sequence_tagger"


def unpunctuate(
    texts: Annotated[list[Path], typer.Argument(help=".txt files (UTF-8), paragraphs separated by blank lines.")],
    output: Annotated[Path, typer.Argument(help="Output .spacy file.")],
    model: ModelOption = None,
    words: Annotated[int, typer.Option(min=1, help="Minimum words per document, up to a paragraph end.")] = 800,
    limit: Annotated[int, typer.Option(min=0, help="Maximum documents, evenly from all texts; 0: all.")] = 0,
) -> None:
    """Make unpunctuated training documents from punctuated text.

    Train a parser on them together with the treebank: `[corpora.train] path` may be a directory of .spacy files.
    """
    from spacy.tokens import DocBin
    from tqdm import tqdm

    from .. import load
    from ..training import unpunctuated

    nlp = load(model)
    if TAGGER not in nlp.pipe_names:
        raise JointValueError(Errors.J129, name=TAGGER, pipeline=", ".join(nlp.pipe_names))
    chunks = [chunk for path in texts for chunk in _divide(read_text(require_file(path)), words)]
    if limit:
        chunks = [chunks[i * len(chunks) // limit] for i in range(min(limit, len(chunks)))]
    tagger = nlp.get_pipe(TAGGER)
    docs: list[Doc] = []
    for doc in nlp.pipe(tqdm(chunks, unit="document", disable=None)):
        unpunctuated.mark_punctuation(doc)
        left = unpunctuated.unpunctuate(doc)
        if left is not None:
            docs.append(tagger(left))
    with replace_when_written(output) as path:
        DocBin(docs=docs).to_disk(path)
    msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} words")


def _divide(text: str, words: int) -> Iterator[str]:
    """Group whole paragraphs, with lines joined, into chunks of at least `words` words; headings are left out."""
    chunk: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.replace("\r", "")):
        if re.search(r"[.!?]\W*$", paragraph):
            chunk.extend(paragraph.split())
        if len(chunk) >= words:
            yield " ".join(chunk)
            chunk = []
    if chunk:
        yield " ".join(chunk)
