"""Reading and validating the sentences of a CoNLL-U file one by one, independently of spaCy documents.

The format is https://universaldependencies.org/format.html. The tokens of a sentence spell its text. A multiword token
is cut into its words where they are its letters, as `don't` is `do` and `n't`; otherwise it is one token, annotated as
its main word (see `annotation.multiword_tokens`). Empty nodes, enhanced dependencies and MISC other than SpaceAfter are
in `lines` only.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, NoReturn

from spacy.parts_of_speech import IDS as UPOS_IDS

from ..annotation.dependency_trees import cut_subtype, find_cycle
from ..annotation.multiword_tokens import Word, find_main_word, number_heads
from ..errors import Errors, JointValueError, Message
from ..files.reading import read_lines

N_COLUMNS = 10
UPOS = frozenset(name for name in UPOS_IDS if name)
FEATURES = re.compile(r"[^=|]+=[^=|]+(\|[^=|]+=[^=|]+)*")


@dataclass
class Sentence:
    """One sentence; the lists have one item per token, "" where the file has `_`.

    line: The line number of its first word, from 1.
    lines: Its lines, comments included.
    opens_document: Whether a `# newdoc` comment precedes it.
    opens_paragraph: Whether a `# newpar` comment precedes it.
    sent_id: From the comment of that name, or "".
    text: From the comment of that name, or "".
    heads: Positions in the sentence; a root is its own head. Empty if the file has `_` for all words.
    joined: Whether the token is in the same multiword token as the one before it.
    multiword: The words of the tokens that are several words, by position.
    """

    line: int = 0
    lines: list[str] = field(default_factory=list)
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
    joined: list[bool] = field(default_factory=list)
    multiword: dict[int, list[Word]] = field(default_factory=dict)


def read_sentences(file: Path, *, subtypes: bool = True) -> Iterator[Sentence]:
    """Read the sentences of one file.

    subtypes: Whether relations keep their subtypes: if not, `nsubj:pass` is `nsubj`.
    Raises ValueError (J103-J109, J112-J114, J403), with file and line, for invalid content.
    """
    reader = SentenceReader(file, subtypes=subtypes)
    lines: list[tuple[int, str]] = []
    has_rows, empty = False, True
    for number, line in _read_lines(file):
        if line:
            lines.append((number, line))
            has_rows = has_rows or line[0] != "#"
        elif has_rows:
            yield reader.read(lines)
            # A new list: comments before an empty line belong to the next sentence.
            lines, has_rows, empty = [], False, False
    if has_rows:
        yield reader.read(lines)
    elif empty:
        raise JointValueError(Errors.J112, file=file)


def _read_lines(file: Path) -> Iterator[tuple[int, str]]:
    with file.open("rb") as source:
        for number, line in enumerate(read_lines(source, file), start=1):
            yield number, line.rstrip("\r\n")


class _SurfaceToken(NamedTuple):
    """The form of a token of the text, and the positions of its words."""

    form: str
    words: range


class SentenceReader:
    """Turns the lines of a sentence into a Sentence. Caches the features that it has validated, since they repeat.

    file: What errors call the source.
    subtypes: See `read_sentences`.
    """

    def __init__(self, file: Path | str, *, subtypes: bool = True):
        self.file = file
        self.subtypes = subtypes
        self.checked_features = {"_"}

    def _fail(self, message: Message, line: int, **values: object) -> NoReturn:
        raise JointValueError(message, file=self.file, line=line, **values)

    def read(self, numbered_lines: list[tuple[int, str]]) -> Sentence:
        """Read the numbered lines of a sentence, without the empty line after it."""
        rows = [(number, line.split("\t")) for number, line in numbered_lines if line[0] != "#"]
        sentence = Sentence(line=rows[0][0], lines=[line for _, line in numbered_lines])
        self._read_comments(sentence)
        heads: list[str] = []
        lines: list[int] = []
        surface: list[_SurfaceToken] = []
        inside_until = 0  # the number of the last word of the current multiword token
        for line, columns in rows:
            if len(columns) != N_COLUMNS or "" in columns:
                self._fail(Errors.J103, line, found=sum(map(bool, columns)))
            id_, form, lemma, upos, xpos, feats, head, deprel, _, misc = columns
            previous = len(sentence.words)
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
            elif previous + 1 == inside_until:
                space_after = outer_space_after
            else:
                space_after = False
            if upos != "_" and upos not in UPOS:
                self._fail(Errors.J113, line, found=upos, allowed=", ".join(sorted(UPOS)))
            if feats not in self.checked_features:
                if not FEATURES.fullmatch(feats):
                    self._fail(Errors.J114, line, found=feats)
                self.checked_features.add(feats)
            upos = "" if upos == "_" else upos
            deprel = deprel if self.subtypes else cut_subtype(deprel)
            sentence.words.append(form)
            sentence.spaces.append(space_after)
            sentence.joined.append(False)
            sentence.lemmas.append("" if lemma == "_" != form else lemma)
            sentence.pos.append(upos)
            sentence.tags.append(upos if xpos == "_" else xpos)
            sentence.morphs.append("" if feats == "_" else feats)
            sentence.deps.append("ROOT" if deprel == "root" else deprel)
            heads.append(head)
            lines.append(line)
        size = len(sentence.words)
        if size < max(inside_until, 1):
            self._fail(Errors.J104, rows[-1][0], found="the end of the sentence", expected=size + 1)
        if any(head != "_" for head in heads):
            sentence.heads = self._read_heads(heads, lines)
        else:
            sentence.deps = []
        if sentence.text:
            _take_spaces_from_text(sentence, surface)
        multiword = [token for token in surface if not _cut(token, sentence)]
        if multiword:
            _merge(multiword, sentence)
        return sentence

    def _read_comments(self, sentence: Sentence) -> None:
        for comment in sentence.lines:
            if comment[0] != "#":
                continue
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

    def _read_other_id(self, id_: str, previous: int, inside_until: int, line: int) -> int:
        """Check an id other than the next word's; return the last word of a multiword token, 0 for an empty node."""
        if re.fullmatch(r"\d+\.\d+", id_) and id_.split(".")[0] == str(previous):
            return 0
        if re.fullmatch(r"\d+-\d+", id_) and previous >= inside_until:
            first, last = map(int, id_.split("-"))
            if first == previous + 1 and last >= first:
                return last
        self._fail(Errors.J104, line, found=id_, expected=previous + 1)

    def _read_heads(self, columns: list[str], lines: list[int]) -> list[int]:
        size = len(columns)
        heads = []
        root = None
        for word, (column, line) in enumerate(zip(columns, lines, strict=True)):
            if not (column.isascii() and column.isdigit()):
                self._fail(Errors.J105, line, found=column)
            head = int(column) - 1
            if head >= size:
                self._fail(Errors.J106, line, found=column, size=size)
            if head == word:
                self._fail(Errors.J109, line)
            if head == -1:
                if root is not None:
                    self._fail(Errors.J108, line)
                root = word
            heads.append(word if head == -1 else head)
        # Before cycles: a sentence without a root always has one, but the missing root is the more helpful message.
        if root is None:
            self._fail(Errors.J107, lines[0])
        cycle = find_cycle(heads)
        if cycle is not None:
            self._fail(Errors.J109, lines[cycle])
        return heads


def _cut(token: _SurfaceToken, sentence: Sentence) -> bool:
    """Cut a token into its words, if they are its letters, in whatever case; return whether they are."""
    words = slice(token.words.start, token.words.stop)
    forms = sentence.words[words]
    joined = "".join(forms)
    if len(joined) != len(token.form) or joined.lower() != token.form.lower():
        return False
    ends = list(accumulate(map(len, forms)))
    sentence.words[words] = [token.form[end - len(form) : end] for form, end in zip(forms, ends, strict=True)]
    sentence.joined[words] = [False, *[True] * (len(forms) - 1)]
    return True


def _merge(multiword: list[_SurfaceToken], sentence: Sentence) -> None:
    """Make one token of the words of each multiword token."""
    heads = sentence.heads
    main = list(range(len(sentence.words)))  # the main word of the token of each word
    for token in multiword:
        main[token.words.start : token.words.stop] = [find_main_word(token.words, heads)] * len(token.words)
    kept = [word for word, its_main in enumerate(main) if word == its_main]
    numbers = {word: number for number, word in enumerate(kept)}
    for token in multiword:
        inner = zip(token.words, number_heads(token.words, heads), strict=True)
        position = numbers[main[token.words[0]]]
        sentence.multiword[position] = [_describe_word(sentence, word, head) for word, head in inner]
    for token in multiword:
        word = main[token.words[0]]
        sentence.words[word] = token.form
        sentence.spaces[word] = sentence.spaces[token.words[-1]]
    sentence.heads = [numbers[main[heads[word]]] for word in kept] if heads else []
    for column in (sentence.lemmas, sentence.pos, sentence.tags, sentence.morphs, sentence.deps):
        column[:] = [column[word] for word in kept] if column else []
    sentence.words = [sentence.words[word] for word in kept]
    sentence.spaces = [sentence.spaces[word] for word in kept]
    sentence.joined = [sentence.joined[word] for word in kept]


def _describe_word(sentence: Sentence, word: int, head: int) -> Word:
    return Word(
        form=sentence.words[word],
        lemma=sentence.lemmas[word],
        pos=sentence.pos[word],
        tag=sentence.tags[word],
        morph=sentence.morphs[word],
        head=head,
        dep=sentence.deps[word] if sentence.deps else "",
    )


def quote(words: Sequence[str]) -> str:
    """The beginning of a sentence, for messages."""
    return repr(" ".join(words[:8]) + (" ..." if len(words) > 8 else ""))


def _take_spaces_from_text(sentence: Sentence, surface: list[_SurfaceToken]) -> None:
    """Use the `# text` comment if no word has SpaceAfter: some treebanks come without MISC."""
    lasts = [token.words[-1] for token in surface[:-1]]
    if not all(sentence.spaces[last] for last in lasts):
        return
    if sentence.text == " ".join(token.form for token in surface):
        return
    spaces = []
    rest = sentence.text
    for token in surface[:-1]:
        if not rest.startswith(token.form):
            return
        rest = rest[len(token.form) :]
        spaces.append(rest[:1].isspace())
        rest = rest.lstrip()
    if rest == surface[-1].form:
        for last, space in zip(lasts, spaces, strict=True):
            sentence.spaces[last] = space
