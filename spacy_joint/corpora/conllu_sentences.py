"""Reading and validating the sentences of a CoNLL-U file one by one, independently of spaCy documents.

The format is https://universaldependencies.org/format.html. The tokens of a sentence spell its text. A multiword token
is cut into its words if their forms spell it, as `do` and `n't` spell `don't`; otherwise it is one token, annotated as
its main word (see `annotation.multiword_tokens`). Empty nodes, enhanced dependencies and MISC other than SpaceAfter are
kept only in `lines`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple, NoReturn

from spacy.parts_of_speech import IDS as UPOS_IDS

from ..annotation.dependency_trees import cut_subtype, find_cycle
from ..annotation.multiword_tokens import Word, find_main_word, number_heads
from ..errors import Errors, JointValueError, Message
from ..files.reading import read_lines

# The number of columns, and some of them. Those from FORM to HEAD are the first fields of `Word`.
N_COLUMNS = 10
ID, FORM, HEAD, DEPREL, DEPS = 0, 1, 6, 7, 8
UPOS = frozenset(name for name in UPOS_IDS if name)
FEATURES = re.compile(r"[^=|]+=[^=|]+(\|[^=|]+=[^=|]+)*")


@dataclass
class Sentence:
    """One sentence; missing comments are ""."""

    line: int  # of its first word, from 1
    lines: list[str]  # comments included
    opens_document: bool = False
    opens_paragraph: bool = False
    sent_id: str = ""
    text: str = ""
    # Heads are numbers of tokens, from 1; 0 for a root, and for all tokens without a tree.
    tokens: list[Word] = field(default_factory=list)
    has_tree: bool = False
    spaces: list[bool] = field(default_factory=list)  # whether a space follows each token
    joined: list[bool] = field(default_factory=list)  # whether each token continues a multiword token
    multiword: dict[int, list[Word]] = field(default_factory=dict)  # the words of tokens with several, by position

    @property
    def words(self) -> list[str]:
        """The forms of its tokens."""
        return [token.form for token in self.tokens]


def read_sentences(file: Path, *, subtypes: bool = True) -> Iterator[Sentence]:
    """Read the sentences of one file, with or without the subtypes of relations (J103-J114, J403, J413)."""
    reader = SentenceReader(file, subtypes=subtypes)
    lines: list[tuple[int, str]] = []
    has_rows, empty = False, True
    with file.open("rb") as source:
        for number, line in enumerate(chain(read_lines(source, file), [""]), start=1):
            line = line.rstrip("\r\n")
            if line:
                lines.append((number, line))
                has_rows = has_rows or line[0] != "#"
            elif has_rows:
                yield reader.read(lines)
                # A new list: comments before an empty line belong to the next sentence.
                lines, has_rows, empty = [], False, False
    if empty:
        raise JointValueError(Errors.J413, source=file, what="sentences")


class _SurfaceToken(NamedTuple):
    """The form of a token of the text, and the positions of its words."""

    form: str
    words: range


class SentenceReader:
    """Turns the lines of a sentence into a Sentence; `file` names the source in errors."""

    def __init__(self, file: Path | str, *, subtypes: bool = True):
        self.file = file
        self.subtypes = subtypes
        # Most values occur many times.
        self.checked_features = {"_"}

    def _fail(self, message: Message, line: int, **values: object) -> NoReturn:
        raise JointValueError(message, file=self.file, line=line, **values)

    def read(self, numbered_lines: list[tuple[int, str]]) -> Sentence:
        """Read the numbered lines of a sentence, without the empty line after it."""
        rows = [(number, line.split("\t")) for number, line in numbered_lines if line[0] != "#"]
        sentence = Sentence(line=rows[0][0], lines=[line for _, line in numbered_lines])
        self._read_comments(sentence)
        heads: list[tuple[str, int]] = []  # columns and their lines
        surface: list[_SurfaceToken] = []
        inside_until = 0  # the number of the last word of the current multiword token
        for line, columns in rows:
            if len(columns) != N_COLUMNS or "" in columns:
                self._fail(Errors.J103, line, found=sum(map(bool, columns)))
            id_, form, *_, misc = columns
            previous = len(heads)
            space_after = misc == "_" or "SpaceAfter=No" not in misc.split("|")
            if id_ != str(previous + 1):
                last = self._read_other_id(id_, previous, inside_until, line)
                if last:
                    inside_until = last
                    surface.append(_SurfaceToken(form, range(previous, last)))
                    outer_space_after = space_after
                continue
            if previous >= inside_until:
                surface.append(_SurfaceToken(form, range(previous, previous + 1)))
            else:
                space_after = outer_space_after and previous + 1 == inside_until
            sentence.tokens.append(self._read_word(columns, line))
            sentence.spaces.append(space_after)
            heads.append((columns[HEAD], line))
        size = len(heads)
        if size < max(inside_until, 1):
            self._fail(Errors.J104, rows[-1][0], found="the end of the sentence", expected=size + 1)
        sentence.joined = [False] * size
        sentence.has_tree = any(head != "_" for head, _ in heads)
        positions = self._read_heads(heads) if sentence.has_tree else []
        if not sentence.has_tree:
            sentence.tokens = [token._replace(dep="") for token in sentence.tokens]
        if sentence.text:
            _take_spaces_from_text(sentence, surface)
        multiword = [token for token in surface if not _cut(token, sentence)]
        if multiword:
            _merge(multiword, sentence, positions)
        return sentence

    def _read_word(self, columns: list[str], line: int) -> Word:
        """Read the columns of a word; its head, which is checked later, is 0 if it is not a number."""
        _, form, lemma, upos, xpos, feats, head, deprel, _, _ = columns
        if upos != "_" and upos not in UPOS:
            self._fail(Errors.J113, line, found=upos, allowed=", ".join(sorted(UPOS)))
        if feats not in self.checked_features:
            if not FEATURES.fullmatch(feats):
                self._fail(Errors.J114, line, found=feats)
            self.checked_features.add(feats)
        lemma = "" if lemma == "_" != form else lemma
        upos, feats = ("" if value == "_" else value for value in (upos, feats))
        xpos = upos if xpos == "_" else xpos
        deprel = deprel if self.subtypes else cut_subtype(deprel)
        deprel = "ROOT" if deprel == "root" else deprel
        number = int(head) if head.isascii() and head.isdigit() else 0
        return Word(form, lemma, upos, xpos, feats, number, deprel)

    def _read_comments(self, sentence: Sentence) -> None:
        for comment in sentence.lines:
            if comment[0] != "#":
                continue
            key, _, value = map(str.strip, comment[1:].partition("="))
            key = key.replace("_id", " id") if key.startswith("new") else key
            if key in ("newdoc", "newdoc id"):
                sentence.opens_document = True
            elif key in ("newpar", "newpar id"):
                sentence.opens_paragraph = True
            elif key in ("sent_id", "text"):
                setattr(sentence, key, value)

    def _read_other_id(self, id_: str, previous: int, inside_until: int, line: int) -> int:
        """Check an id other than the next word's; return the last word of a multiword token, 0 for an empty node."""
        if re.fullmatch(r"\d+\.\d+", id_) and id_.split(".")[0] == str(previous):
            return 0
        if re.fullmatch(r"\d+-\d+", id_) and previous >= inside_until:
            first, last = map(int, id_.split("-"))
            if first == previous + 1 and last >= first:
                return last
        self._fail(Errors.J104, line, found=id_, expected=previous + 1)

    def _read_heads(self, columns: list[tuple[str, int]]) -> list[int]:
        size = len(columns)
        heads: list[int] = []
        has_root = False
        for word, (column, line) in enumerate(columns):
            if not (column.isascii() and column.isdigit()) or int(column) > size:
                self._fail(Errors.J105, line, found=column, size=size)
            head = int(column) - 1
            if head == word:
                self._fail(Errors.J109, line)
            if head == -1 and has_root:
                self._fail(Errors.J108, line)
            has_root = has_root or head == -1
            heads.append(word if head == -1 else head)
        # Before cycles: a sentence without a root always has one, but the missing root is the more helpful message.
        if not has_root:
            self._fail(Errors.J107, columns[0][1])
        cycle = find_cycle(heads)
        if cycle is not None:
            self._fail(Errors.J109, columns[cycle][1])
        return heads


def _cut(token: _SurfaceToken, sentence: Sentence) -> bool:
    """Cut a token into its words if they spell it, ignoring case; return whether they do."""
    forms = [sentence.tokens[word].form for word in token.words]
    joined = "".join(forms)
    if len(joined) != len(token.form) or joined.lower() != token.form.lower():
        return False
    if joined != token.form:
        for word, form, end in zip(token.words, forms, accumulate(map(len, forms)), strict=True):
            sentence.tokens[word] = sentence.tokens[word]._replace(form=token.form[end - len(form) : end])
    for word in token.words[1:]:
        sentence.joined[word] = True
    return True


def _merge(multiword: list[_SurfaceToken], sentence: Sentence, heads: list[int]) -> None:
    """Merge the words of each multiword token into one. A root is its own head; without a tree, `heads` is empty."""
    words = sentence.tokens
    main = list(range(len(words)))  # the main word of the token of each word
    for token in multiword:
        main[token.words.start : token.words.stop] = [find_main_word(token.words, heads)] * len(token.words)
    kept = [word for word, main_word in enumerate(main) if word == main_word]
    numbers = {word: number for number, word in enumerate(kept)}
    for token in multiword:
        inner = zip(token.words, number_heads(token.words, heads), strict=True)
        main_word = main[token.words[0]]
        sentence.multiword[numbers[main_word]] = [words[word]._replace(head=head) for word, head in inner]
        words[main_word] = words[main_word]._replace(form=token.form)
        sentence.spaces[main_word] = sentence.spaces[token.words[-1]]
    sentence.tokens = [
        word._replace(head=numbers[main[word.head - 1]] + 1) if word.head else word
        for word in map(words.__getitem__, kept)
    ]
    sentence.spaces = [sentence.spaces[word] for word in kept]
    sentence.joined = [sentence.joined[word] for word in kept]


def quote(words: Sequence[str]) -> str:
    """Quote the beginning of a sentence, for messages."""
    return repr(" ".join(words[:8]) + (" ..." if len(words) > 8 else ""))


def _take_spaces_from_text(sentence: Sentence, surface: list[_SurfaceToken]) -> None:
    """Take spaces from the `# text` comment if no word has SpaceAfter: some treebanks come without MISC."""
    lasts = [token.words[-1] for token in surface[:-1]]
    if not all(sentence.spaces[last] for last in lasts):
        return
    spaces = []
    rest = sentence.text
    for token in surface:
        if not rest.startswith(token.form):
            return
        rest = rest[len(token.form) :]
        spaces.append(rest[:1].isspace())
        rest = rest.lstrip()
    if not rest:
        for last, space in zip(lasts, spaces, strict=False):
            sentence.spaces[last] = space
