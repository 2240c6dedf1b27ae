"""Corpora in spaCy's binary format: `.spacy` files written by `DocBin`.

Unlike `spacy.Corpus.v1`, this neither retokenises nor splits documents.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..errors import Errors, JointValueError
from ..files.atomic import atomic_write
from ..files.reading import list_files
from .examples import Augmenter, Corpus, create_corpus

SUFFIX = ".spacy"


def read_docbin(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Read annotated documents from a DocBin (J120), or the `.spacy` files of a directory (J101, J102)."""
    for file in list_files(path, SUFFIX):
        try:
            # All documents at once, since damage may only show while they are rebuilt.
            docs = list(DocBin().from_disk(file).get_docs(vocab))
            for doc in docs:
                _require_sound(doc)
        except Exception as error:
            # Which layer fails (zlib, msgpack, numpy, Doc) depends on the damage.
            raise JointValueError(Errors.J120, file=file, reason=error) from error
        yield from docs


def _require_sound(doc: Doc) -> None:
    """Check what DocBin does not: unknown strings (KeyError) and spans out of range (IndexError)."""
    names: list[str | int] = ["ORTH", "LEMMA", "NORM", "TAG", "DEP", "ENT_TYPE", "ENT_KB_ID", "ENT_ID"]
    for string in np.unique(doc.to_array(names)).tolist():
        doc.vocab.strings[string]
    for group in doc.spans.values():
        for span in group:
            if not 0 <= span.start <= span.end <= len(doc):
                raise IndexError(f"a span of tokens {span.start} to {span.end} of {len(doc)}")
            text = doc[span.start : span.end]
            if (span.start_char, span.end_char) != (text.start_char, text.end_char):
                raise IndexError(f"a span of characters {span.start_char} to {span.end_char}")
            for string in (span.label, span.kb_id, span.id):
                doc.vocab.strings[string]


def write_docbin(docs: Iterable[Doc], output: Path) -> None:
    """Write documents with their user data to a file, atomically."""
    with atomic_write(output) as path:
        DocBin(docs=docs, store_user_data=True).to_disk(path)


def create_docbin_corpus(
    path: Path | None,
    *,
    keep: Sequence[str] = (),
    augmenter: Augmenter | None = None,
    shuffle: bool = False,
    seed: int = 0,
    limit: int = 0,
) -> Corpus:
    """Make a corpus of `.spacy` files (`spacy_joint.DocBinCorpus.v1`): see `create_corpus`."""
    return create_corpus(read_docbin, path, SUFFIX, keep, augmenter, shuffle, seed, limit)
