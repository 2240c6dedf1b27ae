"""The XML of Alpino and Lassy: reading and writing discontinuous trees, any number in a file.

Nodes are nested; words have their positions in `begin`. A node with an `index`, but neither a category nor a word, is a
secondary edge. Secondary edges are left out, with all phrases that become empty. The relation `rel` is the function;
heads have `hd`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TextIO
from xml.parsers.expat import ExpatError, ParserCreate
from xml.sax.saxutils import escape, quoteattr

from ..errors import Errors, JointError, JointValueError
from ..files.xml import NO_XML
from ..trees.constituency_trees import ROOT, Tree, assemble

SUFFIXES = (".xml",)
TOP = "top"
HEAD = "hd"
NO_RELATION = "--"
_replace_invalid = partial(NO_XML.sub, "\ufffd")


def read_alpino(file: Path) -> Iterator[Tree]:
    """Read the trees of a file (J464, J551, J561, J562), except trees without words."""
    reader = _Reader(file)
    with file.open("rb") as source:
        while chunk := source.read(1 << 16):
            yield from reader.feed(chunk)
    yield from reader.feed(b"", is_last=True)


class _Reader:
    """Builds trees from the events of an XML parser."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.trees: list[Tree] = []
        # The nodes of the current tree, the place of the parent of each, and the open nodes.
        self.nodes: list[Tree] = []
        self.parents: list[int] = []
        self.opened: list[int] = []
        self.positions: set[int] = set()
        self.parser = ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.EntityDeclHandler = self._refuse_entity

    def feed(self, text: bytes, *, is_last: bool = False) -> list[Tree]:
        """Parse a part of the file and return the trees that it completes."""
        try:
            self.parser.Parse(text, is_last)
        except JointError:
            raise
        except (ExpatError, LookupError, ValueError) as error:
            # Unknown encodings raise Python's errors, not expat's.
            line = self.parser.CurrentLineNumber
            raise JointValueError(Errors.J464, file=self.file, line=line, format="XML", reason=error) from error
        trees, self.trees = self.trees, []
        return trees

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name != "node":
            return
        line = self.parser.CurrentLineNumber
        parent = self.nodes[self.opened[-1]] if self.opened else None
        if parent is not None and (parent.is_preterminal or not parent.label):
            problem = "is below a word" if parent.is_preterminal else "is below one without a category"
            raise JointValueError(Errors.J561, file=self.file, line=line, problem=problem)
        function = attributes.get("rel", "").replace(NO_RELATION, "")
        node = Tree(attributes.get("cat", ""), function=function)
        word = attributes.get("word") if not node.label else None
        if word is not None:
            begin = attributes.get("begin", "")
            if not re.fullmatch("[0-9]{1,9}", begin, re.ASCII):
                raise JointValueError(Errors.J561, file=self.file, line=line, problem=f"has the position {begin!r}")
            if int(begin) in self.positions:
                raise JointValueError(Errors.J551, file=self.file, line=line, found=begin)
            self.positions.add(int(begin))
            node = Tree(
                attributes.get("pt") or attributes.get("pos") or "",
                word=word,
                index=int(begin),
                function=function,
                lemma=attributes.get("lemma") or attributes.get("root") or "",
                morph=attributes.get("postag", ""),
            )
            if not (node.label and word):
                problem = "is a word without a tag" if word else "has an empty word"
                raise JointValueError(Errors.J561, file=self.file, line=line, problem=problem)
        self.parents.append(self.opened[-1] if self.opened else -1)
        self.opened.append(len(self.nodes))
        self.nodes.append(node)

    def _end(self, name: str) -> None:
        if name == "node":
            self.opened.pop()
        if name != "node" or self.opened:
            return
        if tree := assemble(self.nodes, self.parents):
            is_top = tree.label == TOP
            self.trees.append(replace(tree, label=ROOT, function="") if is_top else Tree(ROOT, (tree,)))
        self.nodes, self.parents, self.positions = [], [], set()

    def _refuse_entity(self, name: str, *_: object) -> None:
        # Entities could expand without limit.
        raise JointValueError(Errors.J562, file=self.file, line=self.parser.CurrentLineNumber, name=name)


def write_alpino(trees: Iterable[Tree], file: TextIO) -> None:
    """Write trees as one XML document; sentences are numbered from 1. Marked heads have the relation `hd`."""
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n<alpino version="1.2">\n')
    for number, tree in enumerate(trees, start=1):
        file.write(f'<alpino_ds version="1.2" id="{number}">\n')
        pending: list[tuple[Tree, int, str] | int] = [(tree, 1, TOP)]
        n_nodes = 0
        edges = {id(node): (words & -words, words) for node, words in tree.yields()}
        while pending:
            opened = pending.pop()
            if isinstance(opened, int):
                file.write(f"{'  ' * opened}</node>\n")
                continue
            node, depth, relation = opened
            first, words = edges[id(node)]
            attributes = {"begin": str(first.bit_length() - 1), "end": str(words.bit_length())}
            attributes |= {"id": str(n_nodes), "rel": relation}
            if node.word is None:
                attributes["cat"] = TOP if node is tree else node.label
            else:
                optional = {"lemma": node.lemma, "postag": node.morph}
                attributes |= {"pos": node.label, "word": node.word} | {k: v for k, v in optional.items() if v}
            n_nodes += 1
            written = " ".join(f"{key}={quoteattr(_replace_invalid(value))}" for key, value in attributes.items())
            file.write(f"{'  ' * depth}<node {written}{'/' if node.is_preterminal else ''}>\n")
            if not node.is_preterminal:
                pending.append(depth)
                for index, child in reversed([*enumerate(node.children)]):
                    relation = child.function or (HEAD if index == node.head else NO_RELATION)
                    pending.append((child, depth + 1, relation))
        text = escape(_replace_invalid(" ".join(tree.leaves())))
        file.write(f"  <sentence>{text}</sentence>\n</alpino_ds>\n")
    file.write("</alpino>\n")
