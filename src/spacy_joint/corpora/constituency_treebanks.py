"""Constituency treebanks in all formats: as trees and as documents.

The formats mark neither spaces nor documents: each word is followed by a space, and a document is a given number of
trees. annotation/constituents.py defines how a `Doc` stores a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TextIO

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation.constituency_trees import Tree
from ..annotation.constituents import set_trees
from ..errors import Errors, JointValueError
from ..files.reading import list_files, require_path
from . import alpino, brackets, discbracket, negra
from .examples import Augmenter, Corpus, create_corpus


class Format(NamedTuple):
    """A format of trees.

    suffixes: Of the files in this format; none if others have them.
    read: Yields the trees of a file.
    write: Writes trees to a file.
    """

    suffixes: tuple[str, ...]
    read: Callable[[Path], Iterator[Tree]]
    write: Callable[[Iterable[Tree], TextIO], None]


FORMATS = {
    "brackets": Format(brackets.SUFFIXES, brackets.read_brackets, brackets.write_brackets),
    "discbracket": Format(discbracket.SUFFIXES, discbracket.read_discbrackets, discbracket.write_discbrackets),
    "export": Format(negra.SUFFIXES, negra.read_negra, negra.write_negra),
    "export3": Format((), negra.read_negra, partial(negra.write_negra, version=3)),
    "alpino": Format(alpino.SUFFIXES, alpino.read_alpino, alpino.write_alpino),
}
SUFFIXES = tuple(suffix for known in FORMATS.values() for suffix in known.suffixes)


def find_format(path: Path) -> str | None:
    """Find the format of a file, or of the files in a directory, by suffix; None if it is none of trees."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    found = (name for file in files for name, known in FORMATS.items() if file.suffix in known.suffixes)
    return next(found, None)


def require_format(name: str) -> Format:
    """The format with a name.

    Raises ValueError (J404) if there is none.
    """
    if name not in FORMATS:
        raise JointValueError(Errors.J404, found=name, allowed=", ".join(FORMATS))
    return FORMATS[name]


def read_treebank(path: Path, format: str | None = None, traces: str = "delete") -> Iterator[Tree]:
    """Read the trees of a treebank.

    path: A file, or a directory whose files in the format are read in the order of their names.
    format: A key of FORMATS. By default, the suffix tells it; that of other files is "brackets".
    traces: What to do with traces in brackets: see `read_brackets`.
    Raises FileNotFoundError (J101, J102) if there is nothing to read, and ValueError if the format is unknown (J404) or
    a file malformed (J131, J132, J403, J550 to J563).
    """
    for file in _list_files(path, format):
        yield from _read_file(file, format, traces)


def _list_files(path: Path, format: str | None) -> list[Path]:
    name = format or find_format(path)
    return list_files(path, *((require_format(name).suffixes if name else ()) or SUFFIXES))


def _read_file(file: Path, format: str | None, traces: str) -> Iterator[Tree]:
    name = format or find_format(file) or "brackets"
    if name == "brackets":
        return brackets.read_brackets(file, traces)
    return require_format(name).read(file)


def read_tree_documents(
    path: Path,
    vocab: Vocab,
    *,
    sentences: int = 1,
    format: str | None = None,
    traces: str = "delete",
    change: Callable[[Tree], Tree] | None = None,
) -> Iterator[Doc]:
    """Read the trees of a treebank as documents with tags, lemmas, sentence starts, and constituents as spans.

    path, format, traces: See `read_treebank`.
    sentences: The number of trees per document; each file starts a new document.
    change: What to do with each tree first.
    Raises FileNotFoundError and ValueError as `read_treebank`, and ValueError (J127) if `sentences` is below 1.
    """
    if sentences < 1:
        raise JointValueError(Errors.J127, found=sentences)
    for file in _list_files(path, format):
        trees: Iterator[Tree] = _read_file(file, format, traces)
        if change is not None:
            trees = map(change, trees)
        while group := list(islice(trees, sentences)):
            yield make_doc(vocab, group)


def make_doc(vocab: Vocab, trees: Sequence[Tree]) -> Doc:
    """Make a document from trees under roots, one per sentence."""
    words = [(node, place == 0) for tree in trees for place, node in enumerate(tree.preterminals())]
    doc = Doc(
        vocab,
        words=[node.word or "" for node, _ in words],
        tags=[node.label for node, _ in words],
        lemmas=[node.lemma for node, _ in words] if any(node.lemma for node, _ in words) else None,
        sent_starts=[starts for _, starts in words],
    )
    set_trees(doc, trees)
    return doc


def create_constituency_corpus(
    path: Path | None,
    *,
    sentences: int = 1,
    format: str | None = None,
    traces: str = "delete",
    keep: Sequence[str] = (),
    augmenter: Augmenter | None = None,
    shuffle: bool = False,
    seed: int = 0,
    limit: int = 0,
) -> Corpus:
    """Make a corpus of constituency trees, registered as the reader `spacy_joint.ConstituencyCorpus.v1`.

    path: A file, or a directory of files in one format.
    sentences: The number of trees per document.
    format, traces: See `read_treebank`.
    keep, augmenter, shuffle, seed, limit: See `create_corpus`.
    Raises ValueError (J100, J121) if the path is None or an attribute cannot be kept.
    """

    def read(path: Path, vocab: Vocab) -> Iterator[Doc]:
        return read_tree_documents(path, vocab, sentences=sentences, format=format, traces=traces)

    return create_corpus(
        read,
        require_path(path, " or ".join(SUFFIXES)),
        keep=keep,
        augmenter=augmenter,
        shuffle=shuffle,
        seed=seed,
        limit=limit,
    )
