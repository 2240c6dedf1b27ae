"""Constituency trees as immutable values, and reading and writing them in the bracket notation of the Penn Treebank.

`( (S (NP (NNP Kim)) (VP (VBZ sleeps))) )` and `(ROOT ...)` can both be read. Labels and words are kept as written, with
function tags, traces and `-LRB-`. This module modifies no trees, and does not interpret heads or labels. Traversals are
iterative, so the depth of a tree is limited only by memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import Errors, JointFileNotFoundError, JointValueError
from ..files.reading import read_text

SUFFIX = ".mrg"
# The label of the root.
ROOT = "ROOT"
TOKEN = re.compile(r"[()]|[^\s()]+")

Constituent = tuple[str, int, int]
"""The label, the first word and the end (the position after the last word)."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A node and everything below it.

    label: The category, or the tag of a preterminal. "" for the unlabelled bracket around a tree of the Treebank.
    children: The nodes below, left to right; none for a preterminal.
    word: The word of a preterminal; None for other nodes.
    head: The index of the head among the children, if it is marked.
    """

    label: str
    children: tuple[Tree, ...] = ()
    word: str | None = None
    head: int | None = None

    @property
    def is_preterminal(self) -> bool:
        """Whether the node is a tag over a word."""
        return self.word is not None

    def nodes(self) -> Iterator[Tree]:
        """Iterate over all nodes in preorder, left to right."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def preterminals(self) -> Iterator[Tree]:
        """Iterate over the tags with their words, left to right."""
        return (node for node in self.nodes() if node.is_preterminal)

    def leaves(self) -> list[str]:
        """List the words."""
        return [node.word for node in self.nodes() if node.word is not None]

    def spans(self) -> list[Constituent]:
        """List the label, the first word and the end (after the last word) of each node that is not a preterminal.

        The nodes are in preorder, left to right.
        """
        spans: list[Constituent] = []
        # A number in `pending` closes the span with that index.
        pending: list[Tree | int] = [self]
        words = 0
        while pending:
            node = pending.pop()
            if isinstance(node, int):
                label, first, _ = spans[node]
                spans[node] = (label, first, words)
            elif node.is_preterminal:
                words += 1
            else:
                pending.append(len(spans))
                pending.extend(reversed(node.children))
                spans.append((node.label, words, words))
        return spans

    def __str__(self) -> str:
        """The tree in brackets, on one line."""
        parts: list[str] = []
        pending: list[Tree | str] = [self]
        while pending:
            node = pending.pop()
            if isinstance(node, str):
                parts.append(node)
            elif node.word is not None:
                parts.append(f" ({node.label} {node.word})")
            else:
                parts.append(f" ({node.label}")
                pending.append(")")
                pending.extend(reversed(node.children))
        return "".join(parts)[1:]


Rule = Callable[[Tree, tuple[Tree, ...], int], Sequence[Tree]]


def build_tree(label: str, constituents: Sequence[Constituent], words: Sequence[tuple[str, str]]) -> Tree:
    """Build a tree from the constituents below its root: the inverse of `Tree.spans`.

    label: The label of the root.
    constituents: All other constituents, nested, in preorder, left to right.
    words: The tag and the word of each token.
    """
    opened: list[tuple[str, int, list[Tree]]] = [(label, len(words), [])]
    waiting = 0
    for place, (tag, word) in enumerate(words):
        while waiting < len(constituents) and constituents[waiting][1] == place:
            below, _, end = constituents[waiting]
            opened.append((below, end, []))
            waiting += 1
        opened[-1][2].append(Tree(tag, word=word))
        while len(opened) > 1 and opened[-1][1] == place + 1:
            below, _, children = opened.pop()
            opened[-1][2].append(Tree(below, tuple(children)))
    return Tree(label, tuple(opened[0][2]))


def rewrite(tree: Tree, rule: Rule) -> Sequence[Tree]:
    """Rewrite a tree bottom-up.

    rule: Returns the replacement of a node, given the original node, its rewritten children and the number of words
        left below it.
    """
    # An open node, with its siblings rewritten so far and their number of words. The outermost list replaces the tree.
    opened: list[tuple[Tree, list[Tree], int]] = []
    done: list[Tree] = []
    words = 0
    pending: list[Tree | None] = [tree]
    while pending:
        node = pending.pop()
        if node is not None and node.children:
            opened.append((node, done, words))
            done, words = [], 0
            pending.append(None)
            pending.extend(reversed(node.children))
            continue
        if node is None:
            node, siblings, before = opened.pop()
        else:
            siblings, before, words = done, words, int(node.is_preterminal)
            done = []
        left = rule(node, tuple(done), words)
        siblings.extend(left)
        done, words = siblings, before + (words if left else 0)
    return done


def find_outermost(constituents: Iterable[Constituent]) -> list[Constituent]:
    """Find the constituents, ordered from the outside in and left to right, that are not inside another."""
    found: list[Constituent] = []
    last = 0
    for label, start, end in constituents:
        if start >= last:
            found.append((label, start, end))
            last = end
    return found


def read_trees(path: Path) -> Iterator[Tree]:
    """Read the trees of a file.

    Raises FileNotFoundError (J101) if there is no such file, and ValueError if it is not UTF-8 (J403) or its
    brackets are wrong (J131, J132).
    """
    if not path.is_file():
        raise JointFileNotFoundError(Errors.J101, path=path, suffix=SUFFIX)
    return parse_trees(read_text(path), str(path))


def parse_trees(text: str, source: str = "the text") -> Iterator[Tree]:
    """Read trees in brackets.

    text: Any number of trees, with any whitespace between and within them.
    source: What to call the text in errors.
    Raises ValueError (J131, J132) if its brackets are wrong.
    """
    # For each open bracket: the label, the children so far, the word, and the line.
    labels: list[str] = []
    children: list[list[Tree]] = []
    words: list[str | None] = []
    lines: list[int] = []
    after_bracket = False
    for number, line in enumerate(text.split("\n"), start=1):
        for token in TOKEN.findall(line):
            if token == "(":
                if words and words[-1] is not None:
                    raise JointValueError(Errors.J131, file=source, line=number, found="bracket after a word")
                labels.append("")
                children.append([])
                words.append(None)
                lines.append(number)
            elif token == ")":
                if not labels:
                    raise JointValueError(Errors.J131, file=source, line=number, found="closing bracket")
                label, below, word = labels.pop(), children.pop(), words.pop()
                lines.pop()
                if word is None and not below:
                    raise JointValueError(Errors.J131, file=source, line=number, found="bracket without a word")
                node = Tree(label, tuple(below), word)
                if labels:
                    children[-1].append(node)
                else:
                    yield node
            elif after_bracket:
                labels[-1] = token
            elif not labels or words[-1] is not None or children[-1]:
                raise JointValueError(Errors.J131, file=source, line=number, found=f"word {token!r}")
            else:
                words[-1] = token
            after_bracket = token == "("
    if labels:
        raise JointValueError(Errors.J132, file=source, line=lines[-1])
