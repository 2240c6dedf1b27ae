"""Corpora in spaCy's binary format: `.spacy` files written by `DocBin`.

Unlike `spacy.Corpus.v1` this neither tokenises anew nor cuts documents. The format itself is spaCy's.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..errors import Errors
from .examples import Augmenter, Corpus, create_corpus
from .files import list_files, require_path

SUFFIX = ".spacy"


def read_docbin(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Read annotated documents.

    path: A DocBin file, or a directory whose `.spacy` files are read in the order of their names.
    Raises FileNotFoundError (J101, J102) if there is none, ValueError (J120) if one cannot be read.
    """
    for file in list_files(path, SUFFIX):
        try:
            # All at once: a damaged file shows itself while the documents are rebuilt, too.
            docs = list(DocBin().from_disk(file).get_docs(vocab))
        except Exception as error:
            # Which of its layers fails (zlib, msgpack, numpy, Doc) depends on the damage.
            raise ValueError(Errors.J120.format(file=file, reason=error)) from error
        yield from docs


def create_docbin_corpus(
    path: Path | None,
    *,
    keep: Sequence[str] = (),
    augmenter: Augmenter | None = None,
    shuffle: bool = False,
    seed: int = 0,
    limit: int = 0,
) -> Corpus:
    """Make a corpus of `.spacy` files, registered as the reader `spacy_joint.DocBinCorpus.v1`.

    path: A DocBin file, or a directory of `.spacy` files.
    keep, augmenter, shuffle, seed, limit: See `create_corpus`.
    Raises ValueError (J100, J121) if the path is None or an attribute cannot be kept.
    """
    return create_corpus(
        read_docbin,
        require_path(path, SUFFIX),
        keep=keep,
        augmenter=augmenter,
        shuffle=shuffle,
        seed=seed,
        limit=limit,
    )
