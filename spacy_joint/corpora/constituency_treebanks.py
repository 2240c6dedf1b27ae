"""Constituency treebanks in all formats, as trees and as documents.

The formats mark neither spaces nor documents, so a space follows each word, and a document is a given number of trees.
annotation/constituents.py defines how a `Doc` stores a tree.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TextIO

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation.constituents import set_trees
from ..errors import check_choice, check_range
from ..files.reading import list_files
from ..trees.constituency_trees import Tree
from . import alpino, brackets, negra
from .examples import Augmenter, Corpus, create_corpus


class Format(NamedTuple):
    """A format of trees: how to read and write a file."""

    suffixes: tuple[str, ...]  # empty if another format has them
    read: Callable[[Path], Iterator[Tree]]
    write: Callable[[Iterable[Tree], TextIO], None]


FORMATS = {
    "brackets": Format(brackets.SUFFIXES, brackets.read_brackets, brackets.write_brackets),
    "discbracket": Format(brackets.INDEXED_SUFFIXES, brackets.read_discbrackets, brackets.write_discbrackets),
    "export": Format(negra.SUFFIXES, negra.read_negra, negra.write_negra),
    "export3": Format((), negra.read_negra, partial(negra.write_negra, version=3)),
    "alpino": Format(alpino.SUFFIXES, alpino.read_alpino, alpino.write_alpino),
}
SUFFIXES = tuple(suffix for known in FORMATS.values() for suffix in known.suffixes)


def find_format(path: Path) -> str | None:
    """Find the format of a file, or of the files in a directory, by suffix; return None if it is not a treebank's."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    found = (name for file in files for name, known in FORMATS.items() if file.suffix in known.suffixes)
    return next(found, None)


def require_format(name: str) -> Format:
    """Get a format by its name (J040)."""
    check_choice("format", name, FORMATS)
    return FORMATS[name]


def read_treebank(path: Path, format: str | None = None, traces: str = "delete") -> Iterator[Tree]:
    """Read the trees of a treebank.

    path (Path): A file, or a directory whose files in the format are read in the order of their names.
    format (str | None): A key of FORMATS. By default, it depends on the suffix, and is "brackets" for unknown ones.
    traces (str): "delete" deletes traces in brackets; "cross" attaches fillers where their traces are, which makes
        trees discontinuous.
    RAISES FileNotFoundError: If there is nothing to read (J101, J102).
    RAISES ValueError: If a setting is unknown (J040), or a file malformed (J131 to J142, J403, J464, J550 to J562).
    """
    return chain.from_iterable(_read_files(path, format, traces))


def _read_files(path: Path, format: str | None, traces: str) -> Iterator[Iterator[Tree]]:
    known = format or find_format(path)
    for file in list_files(path, *((require_format(known).suffixes if known else ()) or SUFFIXES)):
        name = format or find_format(file) or "brackets"
        yield brackets.read_brackets(file, traces) if name == "brackets" else require_format(name).read(file)


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

    path, format, traces: See `read_treebank`, also for errors.
    sentences (int): The number of trees per document; each file starts a new document.
    change (Callable | None): Changes each tree first.
    RAISES ValueError: If `sentences` is below 1 (J030).
    """
    check_range("sentences", sentences, 1)
    for trees in _read_files(path, format, traces):
        trees = trees if change is None else map(change, trees)
        while group := list(islice(trees, sentences)):
            yield make_doc(vocab, group)


def make_doc(vocab: Vocab, trees: Sequence[Tree]) -> Doc:
    """Make a document from trees under roots, one per sentence."""
    words = [node for tree in trees for node in tree.preterminals()]
    doc = Doc(
        vocab,
        words=[node.word or "" for node in words],
        tags=[node.label for node in words],
        lemmas=[node.lemma for node in words] if any(node.lemma for node in words) else None,
        sent_starts=[node.index == 0 for node in words],
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
    """Make a corpus of trees (`spacy_joint.ConstituencyCorpus.v1`): see `read_tree_documents` and `create_corpus`."""
    read = partial(read_tree_documents, sentences=sentences, format=format, traces=traces)
    return create_corpus(read, path, " or ".join(SUFFIXES), keep, augmenter, shuffle, seed, limit)
