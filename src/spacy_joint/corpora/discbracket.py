"""Disco-dop's discbracket notation: brackets in which each word has its position in the sentence.

`(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John) (? 3=?))` is a discontinuous tree. Labels are read as they are, and words are
unescaped as in the Penn Treebank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from ..annotation.constituency_trees import Tree, format_tree, read_trees, rewrite
from .brackets import put_under_root, unescape_preterminal

SUFFIXES = (".discbracket", ".dbr")


def read_discbrackets(file: Path) -> Iterator[Tree]:
    """Read the trees of a file.

    Raises FileNotFoundError (J101) if there is no such file, and ValueError (J131, J132, J403, J550, J551) if it is
    malformed.
    """
    for tree in read_trees(file, indexed=True):
        (unescaped,) = rewrite(
            put_under_root(tree),
            lambda node, children, words: [
                unescape_preterminal(node) if node.is_preterminal else node.with_children(children)
            ],
        )
        yield unescaped


def write_discbrackets(trees: Iterable[Tree], file: TextIO) -> None:
    """Write trees, one per line."""
    for tree in trees:
        file.write(format_tree(tree, indexed=True) + "\n")
