"""The bracket notation of the Penn Treebank: reading and writing trees.

Labels are divided into categories and functions (`NP-SBJ-1` becomes NP with the function SBJ), words are unescaped, and
X over X becomes one X. Traces are deleted, or their fillers are attached where they are (corpora/traces.py). Written
brackets have categories only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from ..annotation.constituency_trees import ROOT, Tree, assemble, format_tree, read_trees, rewrite, take_apart
from ..errors import Errors, JointValueError
from .traces import TRACE, attach_fillers

SUFFIXES = (".ptb", ".mrg")
TRACES = ("delete", "cross")
# Labels that treebanks give the bracket around a sentence.
ROOTS = ("", "TOP", "S1", "VROOT", ROOT)
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
QUOTATION_MARKS = ("``", "''")


def read_brackets(file: Path, traces: str = "delete") -> Iterator[Tree]:
    """Read the trees of a file, without those that have no words.

    traces: "delete" deletes traces; "cross" attaches their fillers where they are, which makes trees discontinuous.
    Raises FileNotFoundError (J101) if there is no such file, and ValueError (J131, J132, J403, J563) if it is malformed
    or `traces` is unknown.
    """
    if traces not in TRACES:
        raise JointValueError(Errors.J563, found=traces, allowed=", ".join(TRACES))
    for tree in read_trees(file):
        under_root = put_under_root(tree)
        cleaned = clean(attach_fillers(under_root) if traces == "cross" else under_root)
        if cleaned is not None:
            yield cleaned


def write_brackets(trees: Iterable[Tree], file: TextIO) -> None:
    """Write trees, one per line.

    Raises ValueError (J559) if a tree is discontinuous.
    """
    for number, tree in enumerate(trees, start=1):
        if not tree.is_continuous:
            raise JointValueError(Errors.J559, number=number)
        file.write(format_tree(tree) + "\n")


def put_under_root(tree: Tree) -> Tree:
    """The tree under a single root with the label ROOT, whatever the treebank calls it."""
    if tree.label in ROOTS and not tree.is_preterminal:
        return replace(tree, label=ROOT)
    return Tree(ROOT, (tree,))


def clean(tree: Tree) -> Tree | None:
    """Reduce a tree of a treebank to categories and functions: remove traces, indices and X over X.

    RETURNS: The tree under a single root with the label ROOT; None if no word is left.
    """

    def rule(node: Tree, children: tuple[Tree, ...], words: int) -> Sequence[Tree]:
        if node.word is not None:
            return () if node.label == TRACE else (unescape_preterminal(node),)
        if not children:
            return ()
        label, function = split_label(node.label)
        if len(children) == 1 and children[0].label == label and not children[0].is_preterminal:
            return (replace(children[0], function=function or children[0].function),)
        return (Tree(label, children, function=function),)

    cleaned = rewrite(put_under_root(tree), rule)
    return assemble(*take_apart(cleaned[0])) if cleaned else None


def split_label(label: str) -> tuple[str, str]:
    """Split a label into the category and the function tags: `NP-LOC-PRD=2` is NP and LOC-PRD, but `-LRB-` stays."""
    if label.startswith("-"):
        return label, ""
    category, *rest = re.split(r"(?<!^)(?=[-=|])", label, maxsplit=1)
    return category, "-".join(re.findall(r"-([A-Za-z]+)", "".join(rest)))


def unescape_preterminal(node: Tree) -> Tree:
    """The preterminal with its word unescaped."""
    word = unescape(node.word or "")
    return node if word == node.word else replace(node, word=word)


def unescape(word: str) -> str:
    """Unescape a word of a treebank."""
    if word.isalnum():
        return word
    if word in QUOTATION_MARKS:
        return '"'
    return re.sub(r"\\([/*])", r"\1", re.sub("-[LR][RSC]B-", lambda match: BRACKETS[match[0]], word))
