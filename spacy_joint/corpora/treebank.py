"""A downloaded treebank: its files for training, development and test, and their documents.

Where documents are not marked, every ten sentences become one. A missing development set is taken from the end of the
training set. Both cause a warning.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

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
# spaCy's codes of languages with other codes in file names, by code and beginning of the treebank's name.
CODES = {("no", "nynorsk"): "nn", ("no", ""): "nb"}
# The number of sentences in a document where the treebank marks none.
SENTENCES = 10
# One for development, and two to be tagged by taggers that have not seen them.
MIN_DOCUMENTS = 3
# The share of the training documents that is held out if there is no development set.
HELD_OUT = 10


def find_splits(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """Find the CoNLL-U files of each of SPLITS by their names (J101, J102). Files of a directory whose names show no
    split are left out; given by their path, they are errors (J521)."""
    found: dict[str, list[Path]] = {split: [] for split in SPLITS}
    for path in paths:
        for file in list_files(path, SUFFIX):
            names = SPLIT_NAME.findall(file.name)
            if names:
                found[names[-1]].append(file)
            elif file == path:
                raise JointValueError(Errors.J521, path=file)
    return found


def name_treebank(splits: Splits) -> tuple[str | None, str | None]:
    """Find the language and the name in file names of Universal Dependencies; None if unknown."""
    for file in chain.from_iterable(splits.values()):
        if match := TREEBANK_NAME.match(file.name):
            code, name = match.groups()
            known = (found for (other, start), found in CODES.items() if other == code and name.startswith(start))
            return next(known, code), name
    return None, None


def read_splits(
    splits: Splits, vocab: Vocab, *, documents: int | str | None = None, subtypes: bool = True
) -> dict[str, list[Doc]]:
    """Read the documents of each split as `read_conllu`. The training and the development set are never empty.

    By default, documents are delimited by `# newdoc`, or, in files with at most one such comment, after ten sentences
    (JW30). A missing training set is replaced by the development set (JW31), and a missing development set by the last
    tenth of the training set (JW32). Fails if both are missing (J522), or there are too few documents (J523).
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
        division = "newdoc" if documents is None else documents
        if documents is None and (n := sum(sentence.opens_document for sentence in read_sentences(file))) <= 1:
            warnings.warn(JointWarning(Warnings.JW30, file=file, n=n, sentences=SENTENCES), stacklevel=2)
            division = SENTENCES
        yield from filter(len, read_conllu(file, vocab, documents=division, subtypes=subtypes, keep_lines=False))
