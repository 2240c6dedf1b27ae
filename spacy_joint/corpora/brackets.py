"""Treebanks of constituents in brackets, as the Penn Treebank writes them: reading them as documents.

Trees are cleaned of traces and function tags; words get back the characters that brackets do not allow. The files know
neither spaces nor documents: each word is followed by a space, and documents have a given number of trees. What a tree
becomes in a `Doc` is said in annotation/constituents.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation.constituency_trees import ROOT, Tree, read_trees, rewrite
from ..annotation.constituents import set_constituents
from ..errors import Errors, JointValueError
from ..files.reading import list_files, require_path
from .examples import Augmenter, Corpus, create_corpus

SUFFIXES = (".ptb", ".mrg")
TRACE = "-NONE-"
# What treebanks call the bracket around a sentence.
ROOTS = ("", "TOP", "S1", "VROOT", ROOT)
ESCAPED = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'
}  # fmt: skip


def read_brackets(path: Path, vocab: Vocab, *, sentences: int = 1) -> Iterator[Doc]:
    """Read trees as annotated documents: tags, sentence starts, and constituents as a group of spans.

    path: A file, or a directory whose `.ptb` and `.mrg` files are read in the order of their names.
    sentences: How many trees make a document; a file begins a new one.
    Raises FileNotFoundError (J101, J102) if there is nothing to read, and ValueError (J127, J131, J132, J403) if
    `sentences` is below 1, or brackets are wrong.
    """
    if sentences < 1:
        raise JointValueError(Errors.J127, found=sentences)
    for file in list_files(path, *SUFFIXES):
        trees = (tree for tree in map(clean, read_trees(file)) if tree is not None)
        while group := list(islice(trees, sentences)):
            yield make_doc(vocab, group)


def clean(tree: Tree) -> Tree | None:
    """Reduce a tree of a treebank to its categories: without traces, function tags, indices and X over X.

    RETURNS: The tree under one root with the label ROOT; None if no word is left.
    """

    def rule(node: Tree, children: tuple[Tree, ...], words: int) -> Sequence[Tree]:
        if node.is_preterminal:
            return () if node.label == TRACE else (node,)
        if not children:
            return ()
        label = category(node.label)
        if len(children) == 1 and children[0].label == label and not children[0].is_preterminal:
            return children
        return (Tree(label, children),)

    top = Tree(ROOT, tree.children) if tree.label in ROOTS and not tree.is_preterminal else Tree(ROOT, (tree,))
    cleaned = rewrite(top, rule)
    return cleaned[0] if cleaned else None


def category(label: str) -> str:
    """Strip a label of function tags and indices: `NP-SBJ=2` is `NP`, but `-LRB-` stays."""
    return label if label.startswith("-") else re.split(r"(?<!^)[-=|]", label, maxsplit=1)[0]


def make_doc(vocab: Vocab, trees: Sequence[Tree]) -> Doc:
    """Make a document of cleaned trees, one a sentence."""
    tags = [[node.label for node in tree.preterminals()] for tree in trees]
    doc = Doc(
        vocab,
        words=[unescape(word) for tree in trees for word in tree.leaves()],
        tags=[tag for sentence in tags for tag in sentence],
        sent_starts=[place == 0 for sentence in tags for place in range(len(sentence))],
    )
    constituents = []
    start = 0
    for tree in trees:
        # The root says no more than that there is a sentence.
        constituents += [(label, start + first, start + end) for label, first, end in tree.spans()[1:]]
        start += len(tree.leaves())
    set_constituents(doc, constituents)
    return doc


def unescape(word: str) -> str:
    """Write a word of a treebank as in running text."""
    return ESCAPED.get(word) or re.sub(r"\\([/*])", r"\1", word)


def create_bracket_corpus(
    path: Path | None,
    *,
    sentences: int = 1,
    keep: Sequence[str] = (),
    augmenter: Augmenter | None = None,
    shuffle: bool = False,
    seed: int = 0,
    limit: int = 0,
) -> Corpus:
    """Make a corpus of trees in brackets, registered as the reader `spacy_joint.BracketCorpus.v1`.

    path: A file, or a directory of `.ptb` or `.mrg` files.
    sentences: How many trees make a document.
    keep, augmenter, shuffle, seed, limit: See `create_corpus`.
    Raises ValueError (J100, J121) if the path is None or an attribute cannot be kept.
    """

    def read(path: Path, vocab: Vocab) -> Iterator[Doc]:
        return read_brackets(path, vocab, sentences=sentences)

    return create_corpus(
        read,
        require_path(path, " or ".join(SUFFIXES)),
        keep=keep,
        augmenter=augmenter,
        shuffle=shuffle,
        seed=seed,
        limit=limit,
    )
