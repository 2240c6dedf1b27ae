"""Constituency trees, continuous and discontinuous, as immutable values, and bracket notation.

`( (S (NP (NNP Kim)) (VP (VBZ sleeps))) )` and `(ROOT ...)` can both be read. Labels and words are kept as written, with
function tags, traces and `-LRB-`. Brackets with indexed words, as in `(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John))`, are
disco-dop's discbracket notation. Traversals are iterative, so only memory limits the depth of a tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..errors import Errors, JointFileNotFoundError, JointValueError
from ..files.reading import read_lines

# The label of the root.
ROOT = "ROOT"
TOKEN = re.compile(r"[()]|[^\s()]+")
INDEXED = re.compile(r"([0-9]{1,9})=(.+)", re.ASCII)
# Characters that bracket notation cannot represent in words, besides whitespace.
ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"})
# The same in labels. Other tools also write NeGra's tag `$(` as `$[`.
LABEL_ESCAPES = str.maketrans("()", "[]")

Constituent = tuple[str, int, int]
"""The label, the first word and the end (the position after the last word)."""
Block = tuple[int, int]
"""The first word and the end of a maximal run of adjacent words of a constituent."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tree:
    """A node and everything below it. Its words need not be adjacent: such a constituent is discontinuous.

    label (str): The category, or the tag of a preterminal. "" for the bracket around a tree of the Penn Treebank.
    children (tuple[Tree, ...]): The nodes below, ordered by their first words; none for a preterminal.
    word (str | None): The word of a preterminal; None for other nodes.
    head (int | None): The index of the head among the children, if it is marked.
    index (int): The position of the word of a preterminal in its sentence, from 0; 0 for other nodes.
    function (str): The grammatical function in the parent, or its edge label or relation; "" if unknown.
    lemma, morph (str): The lemma and the morphological features of the word of a preterminal; "" if unknown.
    """

    label: str
    children: tuple[Tree, ...] = ()
    word: str | None = None
    head: int | None = None
    index: int = 0
    function: str = ""
    lemma: str = ""
    morph: str = ""

    @property
    def is_preterminal(self) -> bool:
        """Whether the node is a tag over a word."""
        return self.word is not None

    def with_children(self, children: tuple[Tree, ...], head: int | None = None) -> Tree:
        """Copy the node with other children and another head. Faster than `replace`."""
        return Tree(self.label, children, self.word, head, self.index, self.function, self.lemma, self.morph)

    def at(self, index: int) -> Tree:
        """Copy the preterminal to another position. Faster than `replace`."""
        return Tree(self.label, (), self.word, None, index, self.function, self.lemma, self.morph)

    def nodes(self) -> Iterator[Tree]:
        """Iterate over all nodes in preorder, left to right."""
        return iter(flatten(self)[0])

    def preterminals(self) -> list[Tree]:
        """List the tags with their words, in the order of the sentence."""
        return sorted((node for node in self.nodes() if node.is_preterminal), key=lambda node: node.index)

    def leaves(self) -> list[str]:
        """List the words, in the order of the sentence."""
        return [node.word for node in self.preterminals() if node.word is not None]

    def yields(self) -> list[tuple[Tree, int]]:
        """List all nodes in preorder, each with its yield: an integer in which the bits of its words are set."""
        nodes, parents = flatten(self)
        words = [1 << node.index if node.is_preterminal else 0 for node in nodes]
        for index in range(len(nodes) - 1, 0, -1):
            words[parents[index]] |= words[index]
        return list(zip(nodes, words, strict=True))

    def spans(self) -> list[Constituent]:
        """List the label, the first word and the end of each block of each constituent, from the outside in, left to
        right. Blocks are nested, even if constituents are discontinuous."""
        spans = [
            (node.label, start, end)
            for node, words in self.yields()
            if not node.is_preterminal
            for start, end in find_blocks(words)
        ]
        return sorted(spans, key=lambda span: (span[1], -span[2]))

    @property
    def is_continuous(self) -> bool:
        """Whether no constituent has a gap."""
        return all(count_blocks(words) <= 1 for _, words in self.yields())

    def __str__(self) -> str:
        """Format the tree in brackets, on one line; with indexed words if it is discontinuous."""
        return format_tree(self, indexed=not self.is_continuous)

    def __repr__(self) -> str:
        return f"<Tree {format_tree(self, indexed=True)}>"

    def __eq__(self, other: object) -> bool:
        # Not recursive, unlike the method of a dataclass; likewise for the other special methods.
        if not isinstance(other, Tree):
            return NotImplemented
        return self is other or self._values() == other._values()

    def __hash__(self) -> int:
        return hash(tuple(self._values()))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self._values(),)

    def _values(self) -> list[tuple[object, ...]]:
        return [
            (node.label, len(node.children), node.word, node.head, node.index, node.function, node.lemma, node.morph)
            for node in self.nodes()
        ]


def _rebuild(values: Sequence[Any]) -> Tree:
    # Complete nodes, from right to left.
    done: list[Tree] = []
    for label, n_children, *others in reversed(values):
        children = tuple([done.pop() for _ in range(n_children)])
        done.append(Tree(label, children, *others))
    return done[0]


Rule = Callable[[Tree, tuple[Tree, ...]], Sequence[Tree]]


def find_blocks(words: int) -> list[Block]:
    """Find the first word and the end of each run of adjacent words of a yield, left to right."""
    blocks = []
    while words:
        first = words & -words
        # The sum clears the run, and sets the bit after it.
        end = (words + first) & ~words
        blocks.append((first.bit_length() - 1, end.bit_length() - 1))
        words &= words + first
    return blocks


def count_blocks(words: int) -> int:
    """Count the blocks of a yield, its fan-out. The gap degree is one less."""
    return (words & ~(words << 1)).bit_count()


def flatten(tree: Tree) -> tuple[list[Tree], list[int]]:
    """List the nodes of a tree in preorder, and the place of the parent of each; -1 for the root. See `assemble`."""
    nodes: list[Tree] = []
    parents: list[int] = []
    pending = [(tree, -1)]
    while pending:
        node, parent = pending.pop()
        index = len(nodes)
        nodes.append(node)
        parents.append(parent)
        pending.extend((child, index) for child in reversed(node.children))
    return nodes, parents


def list_children(parents: Sequence[int]) -> list[list[int]]:
    """List the places of the children of each node, given the place of the parent of each; the root comes first."""
    children: list[list[int]] = [[] for _ in parents]
    for index, parent in enumerate(parents[1:], start=1):
        children[parent].append(index)
    return children


def assemble(nodes: Sequence[Tree], parents: Sequence[int]) -> Tree | None:
    """Join nodes into a tree, given the place of the parent of each. The root comes first, other nodes in any order;
    their own children are ignored. The tree has no marked heads, children ordered by first words, and words numbered
    from 0. Constituents without words are left out; None if there are no words."""
    below = list_children(parents)
    from_the_root = [0]
    for index in from_the_root:
        from_the_root.extend(below[index])
    words = [index for index in from_the_root if nodes[index].is_preterminal]
    ranks = {index: rank for rank, index in enumerate(sorted(words, key=lambda index: (nodes[index].index, index)))}
    done: dict[int, tuple[int, Tree]] = {}
    first = itemgetter(0)
    for index in reversed(from_the_root):
        node = nodes[index]
        if index in ranks:
            done[index] = ranks[index], node.at(ranks[index])
            continue
        children = [done.pop(child) for child in below[index] if child in done]
        if children:
            children.sort(key=first)
            done[index] = children[0][0], node.with_children(tuple([child for _, child in children]))
    return done[0][1] if done else None


def nest(root: Tree, constituents: Sequence[tuple[Tree, Sequence[Block]]], words: Sequence[Tree]) -> Tree:
    """Build a tree from its root, all other constituents with their blocks, and its preterminals in order, all without
    children. Constituents with the same words are ordered from the top down; none may cross (J335)."""
    # Larger ones first, so that a constituent follows all that contain it.
    ordered = sorted(constituents, key=lambda constituent: sum(start - end for start, end in constituent[1]))
    nodes, parents = [root], [-1]
    # The innermost constituent of each word so far.
    owners = [0] * len(words)
    for node, blocks in ordered:
        parent = owners[blocks[0][0]]
        for start, end in blocks:
            if owners[start:end].count(parent) != end - start:
                text = " ".join(word.word or "" for word in words[start:end])
                raise JointValueError(Errors.J335, label=node.label, start=start, end=end, words=text[:80])
            owners[start:end] = [len(nodes)] * (end - start)
        nodes.append(node)
        parents.append(parent)
    nodes += [word.at(index) for index, word in enumerate(words)]
    return assemble(nodes, parents + owners) or root


def rewrite(tree: Tree, rule: Rule) -> Sequence[Tree]:
    """Rewrite a tree bottom-up, without changing the order of nodes: the rule replaces each node, given its rewritten
    children. Returns the replacement of the root."""
    nodes, parents = flatten(tree)
    # The replacements of the children of each node, from right to left.
    below: list[list[Tree]] = [[] for _ in nodes]
    for index in range(len(nodes) - 1, 0, -1):
        below[parents[index]] += reversed(rule(nodes[index], tuple(reversed(below[index]))))
    return rule(tree, tuple(reversed(below[0])))


def find_outermost(constituents: Iterable[Constituent]) -> list[Constituent]:
    """Find the constituents that are not inside others, given constituents ordered as by `Tree.spans`."""
    found: list[Constituent] = []
    last = 0
    for constituent in constituents:
        if constituent[1] >= last:
            found.append(constituent)
            last = constituent[2]
    return found


def escape(word: str) -> str:
    """Escape a word for bracket notation: remove whitespace, and replace brackets by names; "_" if nothing is left."""
    return "".join(word.split()).translate(ESCAPES) or "_"


def format_tree(tree: Tree, *, indexed: bool = False) -> str:
    """Format a tree in brackets, on one line; `indexed` writes positions, as in `(NN 0=cat)`. Without them, the words
    of a discontinuous tree are not in the order of the sentence."""
    parts: list[str] = []
    pending: list[Tree | str] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        label = "".join(node.label.split()).translate(LABEL_ESCAPES)
        if node.word is not None:
            index = f"{node.index}=" if indexed else ""
            parts.append(f" ({label or '_'} {index}{escape(node.word)})")
        else:
            parts.append(f" ({label}")
            pending.append(")")
            pending.extend(reversed(node.children))
    return "".join(parts)[1:]


def read_trees(path: Path, *, indexed: bool = False) -> Iterator[Tree]:
    """Read the trees of a file, one after the other: see `parse_trees`. RAISES FileNotFoundError: If there is no such
    file (J101). RAISES ValueError: As `parse_trees`, or if the file is not UTF-8 (J403)."""
    if not path.is_file():
        raise JointFileNotFoundError(Errors.J101, path=path, suffix=".mrg")
    with path.open("rb") as source:
        yield from _parse_lines(read_lines(source, path), str(path), indexed)


def parse_trees(text: str, *, indexed: bool = False) -> Iterator[Tree]:
    """Read trees in brackets.

    text (str): Any number of trees, with any whitespace between and within them.
    indexed (bool): Whether words are preceded by their positions, as in `(NN 0=cat)`.
    RAISES ValueError: If its brackets (J131, J132) or its positions (J550, J551) are wrong.
    """
    return _parse_lines(text.split("\n"), "the text", indexed)


def _parse_lines(lines: Iterable[str], source: str, indexed: bool) -> Iterator[Tree]:
    # The nodes of the current tree, the place of the parent of each, and the places and lines of the open brackets.
    nodes: list[Tree] = []
    parents: list[int] = []
    opened: list[tuple[int, int]] = []
    seen: set[int] = set()
    after_bracket = False
    for number, line in enumerate(lines, start=1):
        for token in TOKEN.findall(line):
            # Whether the innermost open bracket is empty.
            is_empty = bool(opened) and opened[-1][0] == len(nodes) - 1 and not nodes[-1].is_preterminal
            if token == "(":
                if opened and nodes[opened[-1][0]].is_preterminal:
                    raise JointValueError(Errors.J131, file=source, line=number, found="bracket after a word")
                parents.append(opened[-1][0] if opened else -1)
                opened.append((len(nodes), number))
                nodes.append(Tree(""))
            elif token == ")":
                if not opened:
                    raise JointValueError(Errors.J131, file=source, line=number, found="closing bracket")
                if is_empty:
                    raise JointValueError(Errors.J131, file=source, line=number, found="bracket without a word")
                opened.pop()
                if not opened:
                    tree = assemble(nodes, parents)
                    assert tree is not None
                    yield tree
                    nodes, parents, seen = [], [], set()
            elif after_bracket:
                nodes[-1] = Tree(token)
            elif not is_empty:
                raise JointValueError(Errors.J131, file=source, line=number, found=f"word {token!r}")
            else:
                index, word = len(seen), token
                if indexed:
                    match = INDEXED.fullmatch(token)
                    if match is None:
                        raise JointValueError(Errors.J550, file=source, line=number, found=token)
                    index, word = int(match[1]), match[2]
                if index in seen:
                    raise JointValueError(Errors.J551, file=source, line=number, found=index)
                seen.add(index)
                nodes[-1] = Tree(nodes[-1].label, word=word, index=index)
            after_bracket = token == "("
    if opened:
        raise JointValueError(Errors.J132, file=source, line=opened[-1][1])
