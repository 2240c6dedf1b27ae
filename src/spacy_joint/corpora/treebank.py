"""A treebank as it is downloaded: which of its files are for training, development and test, and its documents.

What is missing is made from what is there: documents from ten sentences, a development set from the end of the training
set. Each time, a warning says so.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors, JointValueError, JointWarning, Warnings
from ..files.reading import list_files
from .conllu import SUFFIX, read_conllu
from .conllu_sentences import read_sentences

SPLITS = ("train", "dev", "test")
Splits = Mapping[str, Sequence[Path]]
# As in `de_gsd-ud-train.conllu`, `cs_pdt-ud-train-c.conllu` and `tiny_train.conllu`.
SPLIT_NAME = re.compile(rf"(?<![^\W_])({'|'.join(SPLITS)})(?![^\W_])")
TREEBANK_NAME = re.compile(r"([a-z]{2,3})_(\w+)-ud-")
# The number of sentences in a document where the treebank does not say.
SENTENCES = 10
# One for development, and two to be tagged by taggers that have not seen them.
MIN_DOCUMENTS = 3
# The share of the training documents that is held out if there is no development set.
HELD_OUT = 10


class TreebankName(NamedTuple):
    """The language and the name in the file names of Universal Dependencies; None where they do not say."""

    language: str | None
    name: str | None


def find_splits(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """Find the files of each of SPLITS by their names.

    paths: CoNLL-U files, or directories. Files of a directory whose names have no split are not for training.
    Raises ValueError (J521) for a file whose name does not tell its split, and FileNotFoundError (J101, J102).
    """
    found: dict[str, list[Path]] = {split: [] for split in SPLITS}
    for path in paths:
        for file in list_files(path, SUFFIX):
            names = SPLIT_NAME.findall(file.name)
            if names:
                found[names[-1]].append(file)
            elif file == path:
                raise JointValueError(Errors.J521, path=file)
    return found


def name_treebank(splits: Splits) -> TreebankName:
    """The language and the name that the file names tell."""
    for file in (file for files in splits.values() for file in files):
        if match := TREEBANK_NAME.match(file.name):
            return TreebankName(*match.groups())
    return TreebankName(None, None)


def read_splits(
    splits: Splits, vocab: Vocab, *, documents: int | str | None = None, subtypes: bool = True
) -> dict[str, list[Doc]]:
    """Read the documents of each split. The training and the development set are never empty.

    documents: How documents are delimited, see `read_conllu`. None: by `# newdoc`, and by ten sentences in files that
        have none, or only one (JW30).
    subtypes: Whether relations keep their subtypes, see `read_conllu`.
    Raises ValueError if there is nothing to learn from (J522), or too few documents of it (J523), and what
    `read_conllu` raises. Warns if documents are learnt from a development set (JW31), or held out (JW32).
    """
    read = {split: list(_read_documents(splits[split], vocab, documents, subtypes)) for split in SPLITS}
    if not read["train"]:
        if not read["dev"]:
            raise JointValueError(Errors.J522, found=", ".join(str(file) for file in splits["test"]) or "no file")
        warnings.warn(JointWarning(Warnings.JW31), stacklevel=2)
        read["train"], read["dev"] = read["dev"], []
    least = MIN_DOCUMENTS - bool(read["dev"])
    if len(read["train"]) < least:
        raise JointValueError(Errors.J523, n=len(read["train"]), least=least)
    if not read["dev"]:
        n = max(len(read["train"]) // HELD_OUT, 1)
        warnings.warn(JointWarning(Warnings.JW32, n=n, total=len(read["train"])), stacklevel=2)
        read["train"], read["dev"] = read["train"][:-n], read["train"][-n:]
    return read


def _read_documents(files: Iterable[Path], vocab: Vocab, documents: int | str | None, subtypes: bool) -> Iterator[Doc]:
    for file in files:
        division = _choose_division(file) if documents is None else documents
        for doc in read_conllu(file, vocab, documents=division, subtypes=subtypes, keep_lines=False):
            if len(doc):
                yield doc


def _choose_division(file: Path) -> int | str:
    n = sum(sentence.opens_document for sentence in read_sentences(file))
    if n > 1:
        return "newdoc"
    warnings.warn(JointWarning(Warnings.JW30, file=file, n=n, sentences=SENTENCES), stacklevel=2)
    return SENTENCES
