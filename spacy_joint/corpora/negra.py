"""The NeGra export format, versions 3 and 4: reading and writing discontinuous trees.

A sentence is between the lines `#BOS` and `#EOS`. It has a line for each word (the word, its lemma in version 4, its
tag, morphology, edge label and parent) and then one for each constituent (`#500` and up, with the same fields). The
parent 0 is the root. Secondary edges and comments are skipped. See Brants (1997), The NeGra Export Format.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import TextIO

from ..annotation.dependency_trees import find_cycle
from ..errors import Errors, JointValueError
from ..files.reading import read_lines
from ..trees.constituency_trees import ROOT, Tree, assemble, flatten

SUFFIXES = (".export", ".negra")
CONSTITUENT = re.compile(r"#([5-9][0-9]{2}|[1-9][0-9]{3,8})", re.ASCII)
FIRST_NUMBER = 500
MISSING = "--"
COMMENT = "%%"
INSIDE = "between #BOS and #EOS"
# Fields with a meaning in the format, and their escaped forms.
RESERVED = re.compile(rf"\\*(#(BOS|EOS)|{CONSTITUENT.pattern}|{COMMENT}.*)", re.ASCII | re.DOTALL)


def read_negra(file: Path) -> Iterator[Tree]:
    """Read the trees of a file (J142, J403, J552 to J557), except trees without words."""
    with file.open("rb") as source:
        sentence: _Sentence | None = None
        in_table = False
        begun_in = 0
        for number, line in enumerate(read_lines(source, file), start=1):
            fields = line.split()
            if not fields:
                continue
            if in_table:
                in_table = fields[0] != "#EOT"
            elif fields[0] == "#BOS":
                if sentence is not None:
                    raise JointValueError(Errors.J554, file=file, line=begun_in)
                sentence, begun_in = _Sentence(file), number
            elif fields[0] == "#EOS":
                if sentence is None:
                    raise JointValueError(Errors.J142, file=file, line=number, found=fields[0], expected=INSIDE)
                if tree := sentence.build():
                    yield tree
                sentence = None
            elif sentence is not None:
                sentence.add(fields, number)
            elif fields[0] == "#BOT":
                in_table = True
            elif fields[0] != "#FORMAT" and not fields[0].startswith(COMMENT):
                raise JointValueError(Errors.J142, file=file, line=number, found=fields[0][:40], expected=INSIDE)
        if sentence is not None:
            raise JointValueError(Errors.J554, file=file, line=begun_in)


class _Sentence:
    """The lines of a sentence so far."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.nodes = [Tree(ROOT)]
        self.parents = ["0"]
        self.lines = [0]
        # The place of each constituent in `nodes`, by its number.
        self.indices = {"0": 0}

    def add(self, fields: list[str], line: int) -> None:
        """Add a word or a constituent."""
        fields = [fields[0], *takewhile(lambda field: not field.startswith(COMMENT), fields[1:])]
        n = len(fields)
        # Secondary edges are pairs of fields, so version 3, without lemmas, has an odd number of fields.
        if n % 2:
            fields.insert(1, "")
        if len(fields) < 6:
            raise JointValueError(Errors.J552, file=self.file, line=line, n=n)
        match = CONSTITUENT.fullmatch(fields[0])
        word, lemma, label, morph, function, parent = map(_unescape, fields[:6])
        lemma, morph, function = ("" if field == MISSING else field for field in (lemma, morph, function))
        if match:
            if match[1] in self.indices:
                raise JointValueError(Errors.J555, file=self.file, line=line, number=match[1])
            if match[1] == parent:
                raise JointValueError(Errors.J557, file=self.file, line=line, number=parent)
            self.indices[match[1]] = len(self.nodes)
            self.nodes.append(Tree(label, function=function))
        else:
            index = len(self.nodes)
            self.nodes.append(Tree(label, word=word, index=index, function=function, lemma=lemma, morph=morph))
        self.parents.append(parent)
        self.lines.append(line)

    def build(self) -> Tree | None:
        """Build the tree; return None if there are no words."""
        for parent, line in zip(self.parents, self.lines, strict=True):
            if parent not in self.indices:
                expected = "0 or the number of a constituent of this sentence"
                raise JointValueError(Errors.J142, file=self.file, line=line, found=parent[:40], expected=expected)
        parents = [self.indices[parent] for parent in self.parents]
        if (index := find_cycle(parents)) is not None:
            number = next(number for number, known in self.indices.items() if known == index)
            raise JointValueError(Errors.J557, file=self.file, line=self.lines[index], number=number)
        return assemble(self.nodes, parents)


def write_negra(trees: Iterable[Tree], file: TextIO, version: int = 4) -> None:
    """Write trees in version 3, or 4, which adds lemmas. Reserved words are escaped with a backslash: `\\#500`.
    Sentences are numbered from 1; constituents by height, then from left to right."""
    file.write(f"#FORMAT {version}\n")
    for number, tree in enumerate(trees, start=1):
        nodes, parents = flatten(tree)
        firsts = [words & -words for _, words in tree.yields()]
        heights = [0] * len(nodes)
        for index in range(len(nodes) - 1, 0, -1):
            heights[parents[index]] = max(heights[parents[index]], heights[index] + 1)
        words = sorted((i for i, node in enumerate(nodes) if node.is_preterminal), key=lambda i: nodes[i].index)
        constituents = [i for i, node in enumerate(nodes) if i and not node.is_preterminal]
        constituents.sort(key=lambda i: (heights[i], firsts[i]))
        names = {0: "0"} | {i: str(FIRST_NUMBER + rank) for rank, i in enumerate(constituents)}
        file.write(f"#BOS {number}\n")
        for index in [*words, *constituents]:
            node = nodes[index]
            name = f"#{names[index]}" if node.word is None else _escape("".join(node.word.split())) or "_"
            fields = [*[node.lemma] * (version == 4), node.label, node.morph, node.function]
            written = [_escape("_".join(field.split())) or MISSING for field in fields]
            file.write("\t".join([name, *written, names[parents[index]]]) + "\n")
        file.write(f"#EOS {number}\n")


def _escape(field: str) -> str:
    return f"\\{field}" if RESERVED.fullmatch(field) else field


def _unescape(field: str) -> str:
    return field[1:] if field.startswith("\\") and RESERVED.fullmatch(field) else field
