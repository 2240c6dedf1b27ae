"""Bracket notations of trees: reading and writing.

The reader of the Penn Treebank's notation divides labels into categories and functions (`NP-SBJ-1` becomes NP with the
function SBJ), unescapes words, merges X over X into one X, and deletes traces, or attaches their fillers in their place
(corpora/traces.py). Written brackets have categories only.

In disco-dop's discbracket notation, each word has its position in the sentence: `(S (VP (VB 0=is) (JJ 2=rich)) (NP
1=John) (? 3=?))` is a discontinuous tree. Labels are read unchanged.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from ..errors import Errors, JointValueError, check_choice
from ..trees.constituency_trees import ROOT, Tree, assemble, flatten, format_tree, read_trees, rewrite
from .traces import TRACE, attach_fillers

SUFFIXES = (".ptb", ".mrg")
INDEXED_SUFFIXES = (".discbracket", ".dbr")
TRACES = ("delete", "cross")
# Labels that treebanks give the bracket around a sentence.
ROOTS = ("", "TOP", "S1", "VROOT", ROOT)
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
QUOTATION_MARKS = ("``", "''")


def read_brackets(file: Path, traces: str = "delete") -> Iterator[Tree]:
    """Read the trees of a file (J101, J131, J132, J403), except trees without words. Traces (J040): "delete", or
    "cross", which attaches fillers where their traces are."""
    check_choice("traces", traces, TRACES)
    for tree in read_trees(file):
        cleaned = clean(attach_fillers(put_under_root(tree)) if traces == "cross" else tree)
        if cleaned is not None:
            yield cleaned


def write_brackets(trees: Iterable[Tree], file: TextIO) -> None:
    """Write continuous trees (J559), one per line."""
    for number, tree in enumerate(trees, start=1):
        if not tree.is_continuous:
            raise JointValueError(Errors.J559, number=number)
        file.write(format_tree(tree) + "\n")


def read_discbrackets(file: Path) -> Iterator[Tree]:
    """Read the trees of a file (J101, J131, J132, J403, J550, J551)."""
    for tree in read_trees(file, indexed=True):
        nodes, parents = flatten(put_under_root(tree))
        unescaped = assemble([_unescape_preterminal(node) for node in nodes], parents)
        assert unescaped is not None
        yield unescaped


def write_discbrackets(trees: Iterable[Tree], file: TextIO) -> None:
    """Write trees, one per line."""
    for tree in trees:
        file.write(format_tree(tree, indexed=True) + "\n")


def put_under_root(tree: Tree) -> Tree:
    """Put a tree under a single root with the label ROOT, in place of any root of the treebank."""
    return replace(tree, label=ROOT) if tree.label in ROOTS and not tree.is_preterminal else Tree(ROOT, (tree,))


def clean(tree: Tree) -> Tree | None:
    """Reduce a tree to categories and functions under a single ROOT, without traces, indices and X over X; return None
    if no word is left."""

    def rule(node: Tree, children: tuple[Tree, ...]) -> Sequence[Tree]:
        if node.word is not None:
            return () if node.label == TRACE else (_unescape_preterminal(node),)
        if not children:
            return ()
        label, function = split_label(node.label)
        if len(children) == 1 and children[0].label == label and not children[0].is_preterminal:
            return (replace(children[0], function=function or children[0].function),)
        return (Tree(label, children, function=function),)

    cleaned = rewrite(put_under_root(tree), rule)
    return assemble(*flatten(cleaned[0])) if cleaned else None


def split_label(label: str) -> tuple[str, str]:
    """Split a label into the category and the function tags: `NP-LOC-PRD=2` is NP and LOC-PRD, but `-LRB-` stays."""
    if label.startswith("-"):
        return label, ""
    category, *rest = re.split(r"(?<!^)(?=[-=|])", label, maxsplit=1)
    return category, "-".join(re.findall(r"-([A-Za-z]+)", "".join(rest)))


def _unescape_preterminal(node: Tree) -> Tree:
    return node if node.word is None else replace(node, word=unescape(node.word))


def unescape(word: str) -> str:
    """Unescape a word of a treebank."""
    if word.isalnum():
        return word
    if word in QUOTATION_MARKS:
        return '"'
    return re.sub(r"\\([/*])", r"\1", re.sub("-[LR][RSC]B-", lambda match: BRACKETS[match[0]], word))
