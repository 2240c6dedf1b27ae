"""The NeGra export format, versions 3 and 4: reading and writing discontinuous trees.

A sentence is between the lines `#BOS` and `#EOS`. It has a line for each word (the word, its lemma in version 4, its
tag, morphology, edge label and parent) and then one for each constituent (`#500` and up, with the same fields). The
parent 0 is the root. Secondary edges and comments are skipped. See Brants (1997), The NeGra Export Format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from ..annotation.constituency_trees import ROOT, Tree, assemble, take_apart
from ..errors import Errors, JointValueError
from ..files.reading import read_lines

SUFFIXES = (".export", ".negra")
CONSTITUENT = re.compile(r"#([5-9][0-9]{2}|[1-9][0-9]{3,8})", re.ASCII)
FIRST_NUMBER = 500
MISSING = "--"
COMMENT = "%%"
# The number of fields before secondary edges.
FIELDS = {3: 5, 4: 6}


def read_negra(file: Path) -> Iterator[Tree]:
    """Read the trees of a file, without those that have no words. The number of fields tells the version.

    Raises ValueError (J403, J552 to J557) if the file is malformed.
    """
    with file.open("rb") as source:
        sentence: _Sentence | None = None
        table = ""
        begun_in = 0
        for number, line in enumerate(read_lines(source, file), start=1):
            fields = line.split()
            if not fields:
                continue
            if table:
                table = "" if fields[0] == "#EOT" else table
            elif fields[0] == "#BOS":
                if sentence is not None:
                    raise JointValueError(Errors.J554, file=file, line=begun_in)
                sentence, begun_in = _Sentence(file), number
            elif fields[0] == "#EOS":
                if sentence is None:
                    raise JointValueError(Errors.J553, file=file, line=number, found=fields[0])
                tree = sentence.build()
                sentence = None
                if tree is not None:
                    yield tree
            elif sentence is not None:
                sentence.add(fields, number)
            elif fields[0] == "#BOT":
                table = fields[0]
            elif fields[0] != "#FORMAT" and not fields[0].startswith(COMMENT):
                raise JointValueError(Errors.J553, file=file, line=number, found=fields[0][:40])
        if sentence is not None:
            raise JointValueError(Errors.J554, file=file, line=begun_in)


class _Sentence:
    """The lines of a sentence so far."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.nodes = [Tree(ROOT)]
        self.parents = [""]
        self.lines = [0]
        # The place of each constituent in `nodes`, by its number.
        self.places = {"0": 0}

    def add(self, fields: list[str], line: int) -> None:
        """Add a word or a constituent."""
        comment = next((i for i in range(1, len(fields)) if fields[i].startswith(COMMENT)), len(fields))
        fields = fields[:comment]
        # Secondary edges are pairs of fields.
        version = 3 if len(fields) % 2 else 4
        if len(fields) < FIELDS[version]:
            raise JointValueError(Errors.J552, file=self.file, line=line, n=len(fields))
        word, *lemma = fields[: FIELDS[version] - 4]
        label, morph, function, parent = fields[FIELDS[version] - 4 : FIELDS[version]]
        if match := CONSTITUENT.fullmatch(word):
            if match[1] in self.places:
                raise JointValueError(Errors.J555, file=self.file, line=line, number=match[1])
            self.places[match[1]] = len(self.nodes)
            self.nodes.append(Tree(label, function=_read_field(function)))
        else:
            self.nodes.append(
                Tree(
                    label,
                    word=word,
                    index=len(self.nodes),
                    function=_read_field(function),
                    lemma=_read_field(lemma[0]) if lemma else "",
                    morph=_read_field(morph),
                )
            )
        self.parents.append(parent)
        self.lines.append(line)

    def build(self) -> Tree | None:
        """The tree; None if there are no words."""
        parents = [0]
        for parent, line in zip(self.parents[1:], self.lines[1:], strict=True):
            if parent not in self.places:
                raise JointValueError(Errors.J556, file=self.file, line=line, found=parent[:40])
            parents.append(self.places[parent])
        # Constituents from which the root is reached.
        sound = {0}
        for number, place in self.places.items():
            path: dict[int, None] = {}
            while place not in sound:
                if place in path:
                    raise JointValueError(Errors.J557, file=self.file, line=self.lines[place], number=number)
                path[place] = None
                place = parents[place]
            sound.update(path)
        return assemble(self.nodes, parents)


def _read_field(text: str) -> str:
    return "" if text == MISSING else text


def write_negra(trees: Iterable[Tree], file: TextIO, version: int = 4) -> None:
    """Write trees. Sentences are numbered from 1, and constituents by their heights, then from left to right.

    version: 3 or 4, which has lemmas.
    Raises ValueError (J558) if the format cannot represent a word.
    """
    file.write(f"#FORMAT {version}\n")
    for number, tree in enumerate(trees, start=1):
        nodes, parents = take_apart(tree)
        heights = [0] * len(nodes)
        firsts = [node.index for node in nodes]
        for place in range(len(nodes) - 1, -1, -1):
            if not nodes[place].is_preterminal:
                # The first child is the next node.
                firsts[place] = firsts[place + 1]
            if place:
                heights[parents[place]] = max(heights[parents[place]], heights[place] + 1)
        words = sorted((i for i, node in enumerate(nodes) if node.is_preterminal), key=lambda i: nodes[i].index)
        constituents = [i for i, node in enumerate(nodes) if i and not node.is_preterminal]
        constituents.sort(key=lambda i: (heights[i], firsts[i]))
        names = {0: "0"} | {i: str(FIRST_NUMBER + rank) for rank, i in enumerate(constituents)}
        file.write(f"#BOS {number}\n")
        for place in [*words, *constituents]:
            node = nodes[place]
            name = f"#{names[place]}" if node.word is None else _write_word(node.word, number)
            lemma = [node.lemma] if version == 4 else []
            fields = [*lemma, node.label, node.morph, node.function]
            file.write("\t".join([name, *("_".join(field.split()) or MISSING for field in fields)]))
            file.write(f"\t{names[parents[place]]}\n")
        file.write(f"#EOS {number}\n")


def _write_word(word: str, number: int) -> str:
    written = "".join(word.split()) or "_"
    if CONSTITUENT.fullmatch(written) or written in ("#BOS", "#EOS") or written.startswith(COMMENT):
        raise JointValueError(Errors.J558, word=written, number=number)
    return written
