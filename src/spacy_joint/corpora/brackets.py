"""Reading constituency treebanks in the bracket notation of the Penn Treebank as documents.

Traces and function tags are removed from trees, and words are unescaped. The files mark neither spaces nor documents:
each word is followed by a space, and a document is a given number of trees. annotation/constituents.py defines how a
`Doc` stores a tree.
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
# Labels that treebanks give the bracket around a sentence.
ROOTS = ("", "TOP", "S1", "VROOT", ROOT)
ESCAPED = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'
}  # fmt: skip


def read_brackets(path: Path, vocab: Vocab, *, sentences: int = 1) -> Iterator[Doc]:
    """Read trees as documents with tags, sentence starts, and constituents as a group of spans.

    path: A file, or a directory whose `.ptb` and `.mrg` files are read in the order of their names.
    sentences: The number of trees per document; each file starts a new document.
    Raises FileNotFoundError (J101, J102) if there is nothing to read, and ValueError (J127, J131, J132, J403) if
    `sentences` is below 1 or a file is malformed.
    """
    if sentences < 1:
        raise JointValueError(Errors.J127, found=sentences)
    for file in list_files(path, *SUFFIXES):
        trees = (tree for tree in map(clean, read_trees(file)) if tree is not None)
        while group := list(islice(trees, sentences)):
            yield make_doc(vocab, group)


def clean(tree: Tree) -> Tree | None:
    """Reduce a tree of a treebank to its categories: remove traces, function tags, indices and X over X.

    RETURNS: The tree under a single root with the label ROOT; None if no word is left.
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
    """Strip function tags and indices from a label: `NP-SBJ=2` becomes `NP`, but `-LRB-` stays."""
    return label if label.startswith("-") else re.split(r"(?<!^)[-=|]", label, maxsplit=1)[0]


def make_doc(vocab: Vocab, trees: Sequence[Tree]) -> Doc:
    """Make a document from cleaned trees, one per sentence."""
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
        # The root only marks the sentence.
        constituents += [(label, start + first, start + end) for label, first, end in tree.spans()[1:]]
        start += len(tree.leaves())
    set_constituents(doc, constituents)
    return doc


def unescape(word: str) -> str:
    """Unescape a word of a treebank."""
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
    sentences: The number of trees per document.
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
