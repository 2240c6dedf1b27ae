"""Constituency trees, continuous and discontinuous, as immutable values, and bracket notation.

`( (S (NP (NNP Kim)) (VP (VBZ sleeps))) )` and `(ROOT ...)` can both be read. Labels and words are kept as written, with
function tags, traces and `-LRB-`. Brackets with indexed words, as in `(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John))`, are
disco-dop's discbracket notation. This module does not interpret heads or labels. Traversals are iterative, so the depth
of a tree is limited only by memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from ..errors import Errors, JointFileNotFoundError, JointValueError
from ..files.reading import read_lines

SUFFIX = ".mrg"
# The label of the root.
ROOT = "ROOT"
TOKEN = re.compile(r"[()]|[^\s()]+")
INDEXED = re.compile(r"([0-9]{1,9})=(.+)", re.ASCII)
# What bracket notation cannot represent in words; it cannot represent whitespace either.
ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"})
# The same in labels: NeGra's tag `$(` is written `$[` by others, too.
LABEL_ESCAPES = str.maketrans("()", "[]")

Constituent = tuple[str, int, int]
"""The label, the first word and the end (the position after the last word)."""
Block = tuple[int, int]
"""The first word and the end of a maximal run of adjacent words of a constituent."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tree:
    """A node and everything below it. Its words need not be adjacent: such a constituent is discontinuous.

    label: The category, or the tag of a preterminal. "" for the unlabelled bracket around a tree of the Treebank.
    children: The nodes below, ordered by their first words; none for a preterminal.
    word: The word of a preterminal; None for other nodes.
    head: The index of the head among the children, if it is marked.
    index: The position of the word of a preterminal in its sentence, from 0; 0 for other nodes.
    function: The grammatical function in the parent, called edge label or relation by some treebanks; "" if unknown.
    lemma, morph: The lemma and the morphological features of the word of a preterminal; "" if unknown.
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
        """The node with other children and another mark of the head. Faster than `replace`."""
        return Tree(self.label, children, self.word, head, self.index, self.function, self.lemma, self.morph)

    def at(self, index: int) -> Tree:
        """The preterminal at another position. Faster than `replace`."""
        if index == self.index:
            return self
        return Tree(self.label, (), self.word, None, index, self.function, self.lemma, self.morph)

    def nodes(self) -> Iterator[Tree]:
        """Iterate over all nodes in preorder, left to right."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def preterminals(self) -> list[Tree]:
        """List the tags with their words, in the order of the sentence."""
        return sorted((node for node in self.nodes() if node.is_preterminal), key=lambda node: node.index)

    def leaves(self) -> list[str]:
        """List the words, in the order of the sentence."""
        return [node.word for node in self.preterminals() if node.word is not None]

    def yields(self) -> list[tuple[Tree, int]]:
        """List all nodes in preorder, each with its yield: the set of its words, as an integer with their bits set."""
        nodes, parents = take_apart(self)
        words = [1 << node.index if node.is_preterminal else 0 for node in nodes]
        for place in range(len(nodes) - 1, 0, -1):
            words[parents[place]] |= words[place]
        return list(zip(nodes, words, strict=True))

    def spans(self) -> list[Constituent]:
        """List the label, the first word and the end (after the last word) of each block of each constituent.

        They are ordered from the outside in, left to right. Blocks are nested, also if constituents are discontinuous.
        """
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
        return all(is_continuous(words) for _, words in self.yields())

    def __str__(self) -> str:
        """The tree in brackets, on one line; with indexed words if it is discontinuous."""
        return format_tree(self, indexed=not self.is_continuous)

    def __repr__(self) -> str:
        return f"<Tree {format_tree(self, indexed=True)}>"

    def __eq__(self, other: object) -> bool:
        # Not recursive, unlike the method that a dataclass would have; likewise for `__hash__` and `__repr__`.
        if not isinstance(other, Tree):
            return NotImplemented
        return self is other or self._values() == other._values()

    def __hash__(self) -> int:
        return hash(tuple(self._values()))

    def _values(self) -> list[tuple[object, ...]]:
        return [
            (
                node.label,
                len(node.children),
                node.word,
                node.head,
                node.index,
                node.function,
                node.lemma,
                node.morph,
            )
            for node in self.nodes()
        ]


Rule = Callable[[Tree, tuple[Tree, ...], int], Sequence[Tree]]


def find_blocks(words: int) -> list[Block]:
    """Find the first word and the end of each run of adjacent words of a yield, left to right."""
    blocks = []
    start = 0
    while words:
        gap = (words & -words).bit_length() - 1
        words >>= gap
        size = (~words & (words + 1)).bit_length() - 1
        words >>= size
        blocks.append((start + gap, start + gap + size))
        start += gap + size
    return blocks


def count_blocks(words: int) -> int:
    """Count the blocks of a yield, its fan-out. The gap degree is one less."""
    return (words & ~(words << 1)).bit_count()


def is_continuous(words: int) -> bool:
    """Whether the words of a yield are adjacent."""
    return count_blocks(words) <= 1


def take_apart(tree: Tree) -> tuple[list[Tree], list[int]]:
    """List the nodes of a tree in preorder, and the place of the parent of each in this list, which is -1 for the root.

    Change parents or nodes and call `assemble` to transform a tree.
    """
    nodes: list[Tree] = []
    parents: list[int] = []
    pending = [(tree, -1)]
    while pending:
        node, parent = pending.pop()
        place = len(nodes)
        nodes.append(node)
        parents.append(parent)
        pending.extend((child, place) for child in reversed(node.children))
    return nodes, parents


def assemble(nodes: Sequence[Tree], parents: Sequence[int]) -> Tree | None:
    """Join nodes into a tree, in which children are ordered by their first words and words are numbered from 0.

    Constituents without words are left out. Heads are not marked in the result.

    nodes: The root, and all other nodes in any order; their own children are ignored.
    parents: The place of the parent of each node, from which the root must be reached; that of the root is ignored.
    RETURNS: The tree; None if there are no words.
    """
    below: list[list[int]] = [[] for _ in nodes]
    for place in range(1, len(nodes)):
        below[parents[place]].append(place)
    from_the_root = [0]
    for place in from_the_root:
        from_the_root.extend(below[place])
    words = [place for place in from_the_root if nodes[place].is_preterminal]
    ranks = {place: rank for rank, place in enumerate(sorted(words, key=lambda place: (nodes[place].index, place)))}
    done: dict[int, tuple[int, Tree]] = {}
    first = itemgetter(0)
    for place in reversed(from_the_root):
        node = nodes[place]
        if place in ranks:
            done[place] = ranks[place], node.at(ranks[place])
            continue
        children = [done.pop(child) for child in below[place] if child in done]
        if children:
            children.sort(key=first)
            done[place] = children[0][0], node.with_children(tuple([child for _, child in children]))
    return done[0][1] if done else None


def nest(root: Tree, constituents: Sequence[tuple[Tree, Sequence[Block]]], words: Sequence[Tree]) -> Tree:
    """Build a tree from its constituents and their extents.

    root: The root, without children.
    constituents: All other constituents, without children, with their blocks. Those with the same words are ordered
        from the top down.
    words: The preterminals, in the order of the sentence, at least one.
    Raises ValueError (J335) if two constituents cross.
    """
    # Larger ones first: whatever contains a constituent comes before it.
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
    tree = assemble(nodes, parents + owners)
    assert tree is not None
    return tree


def build_tree(label: str, constituents: Sequence[Constituent], words: Sequence[tuple[str, str]]) -> Tree:
    """Build a continuous tree from the constituents below its root: the inverse of `Tree.spans`.

    label: The label of the root.
    constituents: All other constituents, nested; those over the same words are ordered from the top down.
    words: The tag and the word of each token.
    """
    if not words:
        return Tree(label)
    nested = [(Tree(below), [(start, end)]) for below, start, end in constituents]
    return nest(Tree(label), nested, [Tree(tag, word=word) for tag, word in words])


def rewrite(tree: Tree, rule: Rule) -> Sequence[Tree]:
    """Rewrite a tree bottom-up, without changing the order of nodes.

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


def escape(word: str) -> str:
    """The word as bracket notation can represent it: without whitespace, and with names instead of brackets."""
    return "".join(word.split()).translate(ESCAPES) or "_"


def _escape_label(label: str) -> str:
    return "".join(label.split()).translate(LABEL_ESCAPES)


def format_tree(tree: Tree, *, indexed: bool = False) -> str:
    """Format a tree in brackets, on one line.

    indexed: Whether words are preceded by their positions, as in `(NN 0=cat)`. Without them, words in brackets are not
        in the order of the sentence if the tree is discontinuous.
    """
    parts: list[str] = []
    pending: list[Tree | str] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            parts.append(node)
        elif node.word is not None:
            index = f"{node.index}=" if indexed else ""
            parts.append(f" ({_escape_label(node.label) or '_'} {index}{escape(node.word)})")
        else:
            parts.append(f" ({_escape_label(node.label)}")
            pending.append(")")
            pending.extend(reversed(node.children))
    return "".join(parts)[1:]


def read_trees(path: Path, *, indexed: bool = False) -> Iterator[Tree]:
    """Read the trees of a file, one after the other: see `parse_trees`.

    Raises FileNotFoundError (J101) if there is no such file, and ValueError if it is not UTF-8 (J403) or its
    brackets are wrong (J131, J132, J550, J551).
    """
    if not path.is_file():
        raise JointFileNotFoundError(Errors.J101, path=path, suffix=SUFFIX)
    return _read_trees(path, indexed)


def _read_trees(path: Path, indexed: bool) -> Iterator[Tree]:
    with path.open("rb") as source:
        yield from _parse_lines(read_lines(source, path), str(path), indexed)


def parse_trees(text: str, source: str = "the text", *, indexed: bool = False) -> Iterator[Tree]:
    """Read trees in brackets.

    text: Any number of trees, with any whitespace between and within them.
    source: What to call the text in errors.
    indexed: Whether words are preceded by their positions, as in `(NN 0=cat)`.
    Raises ValueError if its brackets (J131, J132) or its positions (J550, J551) are wrong.
    """
    return _parse_lines(text.split("\n"), source, indexed)


def _parse_lines(lines: Iterable[str], source: str, indexed: bool) -> Iterator[Tree]:
    # The nodes of the current tree, the place of the parent of each, and the places and lines of the open brackets.
    nodes: list[Tree] = []
    parents: list[int] = []
    opened: list[int] = []
    opened_in: list[int] = []
    is_empty: list[bool] = []
    seen: set[int] = set()
    after_bracket = False
    for number, line in enumerate(lines, start=1):
        for token in TOKEN.findall(line):
            if token == "(":
                if opened and nodes[opened[-1]].is_preterminal:
                    raise JointValueError(Errors.J131, file=source, line=number, found="bracket after a word")
                if opened:
                    is_empty[-1] = False
                parents.append(opened[-1] if opened else -1)
                opened.append(len(nodes))
                opened_in.append(number)
                is_empty.append(True)
                nodes.append(Tree(""))
            elif token == ")":
                if not opened:
                    raise JointValueError(Errors.J131, file=source, line=number, found="closing bracket")
                if is_empty.pop():
                    raise JointValueError(Errors.J131, file=source, line=number, found="bracket without a word")
                opened.pop()
                opened_in.pop()
                if not opened:
                    tree = assemble(nodes, parents)
                    assert tree is not None
                    yield tree
                    nodes, parents, seen = [], [], set()
            elif after_bracket:
                nodes[-1] = Tree(token)
            elif not opened or not is_empty[-1]:
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
                is_empty[-1] = False
            after_bracket = token == "("
    if opened:
        raise JointValueError(Errors.J132, file=source, line=opened_in[-1])
