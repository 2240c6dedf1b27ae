"""Reading and validating the sentences of a CoNLL-U file one by one, independently of spaCy documents.

The format is https://universaldependencies.org/format.html. Words are syntactic words. Multiword tokens only determine
spaces; empty nodes, enhanced dependencies and MISC other than SpaceAfter are ignored.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from spacy.parts_of_speech import IDS as UPOS_IDS

from ..annotation.dependency_trees import find_cycle
from ..errors import Errors, JointValueError, Message
from ..files.reading import read_lines

N_COLUMNS = 10
UPOS = frozenset(name for name in UPOS_IDS if name)
FEATURES = re.compile(r"[^=|]+=[^=|]+(\|[^=|]+=[^=|]+)*")


@dataclass
class Sentence:
    """One sentence; the lists have one item per syntactic word, "" where the file has `_`.

    line: The line number of its first word, from 1.
    opens_document: Whether a `# newdoc` comment precedes it.
    opens_paragraph: Whether a `# newpar` comment precedes it.
    sent_id: From the comment of that name, or "".
    text: From the comment of that name, or "".
    heads: Positions in the sentence; a root is its own head. Empty if the file has `_` for all words.
    """

    line: int = 0
    opens_document: bool = False
    opens_paragraph: bool = False
    sent_id: str = ""
    text: str = ""
    words: list[str] = field(default_factory=list)
    spaces: list[bool] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    pos: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    morphs: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    deps: list[str] = field(default_factory=list)


def read_sentences(file: Path) -> Iterator[Sentence]:
    """Read the sentences of one file.

    Raises ValueError (J103-J109, J112-J114, J403), with file and line, for invalid content.
    """
    reader = _SentenceReader(file)
    comments: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    empty = True
    for number, line in _read_lines(file):
        if line and line[0] != "#":
            rows.append((number, line.split("\t")))
        elif line:
            comments.append(line)
        elif rows:
            yield reader.read(comments, rows)
            empty = False
            # New lists: comments before an empty line belong to the next sentence.
            comments, rows = [], []
    if rows:
        yield reader.read(comments, rows)
        empty = False
    if empty:
        raise JointValueError(Errors.J112, file=file)


def _read_lines(file: Path) -> Iterator[tuple[int, str]]:
    with file.open("rb") as source:
        for number, line in enumerate(read_lines(source, file), start=1):
            yield number, line.rstrip("\r\n")


class _SentenceReader:
    """Turns the lines of a sentence into a Sentence. Caches the features that it has validated, since they repeat."""

    def __init__(self, file: Path):
        self.file = file
        self.checked_features = {"_"}

    def fail(self, message: Message, line: int, **values: object) -> NoReturn:
        raise JointValueError(message, file=self.file, line=line, **values)

    def read(self, comments: list[str], rows: list[tuple[int, list[str]]]) -> Sentence:
        sentence = Sentence(line=rows[0][0])
        self.read_comments(comments, sentence)
        heads: list[str] = []
        lines: list[int] = []
        surface: list[tuple[str, int]] = []  # surface forms, each with the number of words up to its end
        inside_until = 0  # the number of the last word of the current multiword token
        for line, columns in rows:
            if len(columns) != N_COLUMNS or "" in columns:
                self.fail(Errors.J103, line, found=sum(map(bool, columns)))
            id_, form, lemma, upos, xpos, feats, head, deprel, _, misc = columns
            previous = len(sentence.words)
            space_after = misc == "_" or "SpaceAfter=No" not in misc.split("|")
            if id_ != str(previous + 1):
                last = self.read_other_id(id_, previous, inside_until, line)
                if last:
                    inside_until = last
                    surface.append((form, last))
                    outer_space_after = space_after
                continue
            if previous >= inside_until:
                surface.append((form, previous + 1))
            elif previous + 1 == inside_until:
                space_after = outer_space_after
            else:
                space_after = False
            if upos != "_" and upos not in UPOS:
                self.fail(Errors.J113, line, found=upos, allowed=", ".join(sorted(UPOS)))
            if feats not in self.checked_features:
                if not FEATURES.fullmatch(feats):
                    self.fail(Errors.J114, line, found=feats)
                self.checked_features.add(feats)
            upos = "" if upos == "_" else upos
            sentence.words.append(form)
            sentence.spaces.append(space_after)
            sentence.lemmas.append("" if lemma == "_" != form else lemma)
            sentence.pos.append(upos)
            sentence.tags.append(upos if xpos == "_" else xpos)
            sentence.morphs.append("" if feats == "_" else feats)
            sentence.deps.append("ROOT" if deprel == "root" else deprel)
            heads.append(head)
            lines.append(line)
        size = len(sentence.words)
        if size < max(inside_until, 1):
            self.fail(Errors.J104, rows[-1][0], found="the end of the sentence", expected=size + 1)
        if any(head != "_" for head in heads):
            sentence.heads = self.read_heads(heads, lines)
        else:
            sentence.deps = []
        if sentence.text:
            _take_spaces_from_text(sentence, surface)
        return sentence

    def read_comments(self, comments: list[str], sentence: Sentence) -> None:
        for comment in comments:
            key, _, value = comment[1:].strip().partition("=")
            key = key.strip()
            if key in ("newdoc", "newdoc id"):
                sentence.opens_document = True
            elif key in ("newpar", "newpar id"):
                sentence.opens_paragraph = True
            elif key == "sent_id":
                sentence.sent_id = value.strip()
            elif key == "text":
                sentence.text = value.strip()

    def read_other_id(self, id_: str, previous: int, inside_until: int, line: int) -> int:
        """Check an id other than the next word's; return the last word of a multiword token, 0 for an empty node."""
        if re.fullmatch(r"\d+\.\d+", id_) and id_.split(".")[0] == str(previous):
            return 0
        if re.fullmatch(r"\d+-\d+", id_) and previous >= inside_until:
            first, last = map(int, id_.split("-"))
            if first == previous + 1 and last >= first:
                return last
        self.fail(Errors.J104, line, found=id_, expected=previous + 1)

    def read_heads(self, columns: list[str], lines: list[int]) -> list[int]:
        size = len(columns)
        heads = []
        root = None
        for word, (column, line) in enumerate(zip(columns, lines, strict=True)):
            if not (column.isascii() and column.isdigit()):
                self.fail(Errors.J105, line, found=column)
            head = int(column) - 1
            if head >= size:
                self.fail(Errors.J106, line, found=column, size=size)
            if head == word:
                self.fail(Errors.J109, line)
            if head == -1:
                if root is not None:
                    self.fail(Errors.J108, line)
                root = word
            heads.append(word if head == -1 else head)
        # Before cycles: a sentence without a root always has one, but the missing root is the more helpful message.
        if root is None:
            self.fail(Errors.J107, lines[0])
        cycle = find_cycle(heads)
        if cycle is not None:
            self.fail(Errors.J109, lines[cycle])
        return heads


def _take_spaces_from_text(sentence: Sentence, surface: list[tuple[str, int]]) -> None:
    """Use the `# text` comment if no word has SpaceAfter: some treebanks come without MISC."""
    ends = [end - 1 for _, end in surface[:-1]]
    if not all(sentence.spaces[end] for end in ends):
        return
    if sentence.text == " ".join(form for form, _ in surface):
        return
    spaces = []
    rest = sentence.text
    for form, _ in surface[:-1]:
        if not rest.startswith(form):
            return
        rest = rest[len(form) :]
        spaces.append(rest[:1].isspace())
        rest = rest.lstrip()
    if rest == surface[-1][0]:
        for end, space in zip(ends, spaces, strict=True):
            sentence.spaces[end] = space
