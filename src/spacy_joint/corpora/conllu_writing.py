"""Writing annotated documents as CoNLL-U.

A sentence that was read from CoNLL-U is written as it was, line by line, except for values that have changed since (see
`conllu_lines`). Any other sentence is written from its `Doc` alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TextIO

import numpy as np
from spacy.tokens import Doc, Token

from ..annotation.dependency_trees import cut_subtype, prune
from ..annotation.multiword_tokens import Word, are_joined, expand, read_words
from ..annotation.speech import describe_speech
from ..errors import Errors, JointValueError
from .conllu_lines import KeptSentence, count_characters, get_sentences
from .conllu_sentences import Sentence, quote

LINE_BREAKING = re.compile(r"[\t\r\n]+")
"""Column and line separators, which values cannot contain."""

DIVISION = re.compile(r"#\s*new(doc|par)\b")
"""Comments on the division of the text, which do not depend on sentences."""

ID, FORM, HEAD, DEPREL, DEPS = 0, 1, 6, 7, 8
"""Columns. Those from FORM to HEAD are the first fields of `Word`."""


def write_conllu(docs: Iterable[Doc], file: TextIO, *, are_parts: bool = False) -> None:
    """Write documents with sentence boundaries as CoNLL-U.

    The words of multiword tokens (`Token._.ud_words`) are written with the range of their ids. Whitespace tokens are
    left out: their dependents are attached to their nearest ancestor. Missing values, including trees, become `_`.

    Sentences whose lines were kept by `read_conllu`, and whose tokens are the same, keep all of them. Columns are
    replaced where the annotation is not what was read. If the tree is another one, apart from subtypes of relations,
    enhanced dependencies and empty nodes are left out.

    Other sentences have the comments `# sent_id`, with the numbers of document and sentence (`1-1`, `1-2`, ...),
    `# text`, and speakers and times of transcripts. Documents get `# newdoc id` with their number.

    file: A text file open for writing, in UTF-8.
    are_parts: Whether the documents are consecutive parts of a single one, as those of a stream.
    Raises ValueError for a document without boundaries (J118), and for a sentence whose heads are not a tree (J119).
    """
    number = index = 0
    for doc in docs:
        if not len(doc):
            continue
        if not (are_parts and number):
            number, index = number + 1, 0
        for lines in format_sentences(doc, number, index):
            file.write("\n".join(lines) + "\n\n")
            index += 1


def format_sentences(doc: Doc, number: int | str = 1, index: int = 0) -> Iterator[list[str]]:
    """The lines of each sentence of a document that is not empty.

    number: The number of the document, or another name of it.
    index: The number of its sentences that came before, in other parts of it.
    Raises ValueError (J118, J119): see `write_conllu`.
    """
    if not doc.has_annotation("SENT_START"):
        raise JointValueError(Errors.J118, document=number)
    kept = get_sentences(doc)
    for start, sentence in _list_sentences(doc):
        found = sentence.find_fault()
        if found:
            quoted = quote([token.text for token in sentence.tokens])
            raise JointValueError(Errors.J119, sentence=index + 1, document=number, words=quoted, found=found)
        before = kept.get(start)
        if before is not None and before.sentence.words == [token.text for token in sentence.tokens]:
            lines = _update_lines(before, sentence)
        else:
            division = [] if index else [f"# newdoc id = {number}"]
            if before is not None:
                division = [line for line in before.lines if DIVISION.match(line)]
            lines = [*division, f"# sent_id = {number}-{index + 1}", *_format_anew(sentence)]
        yield lines
        index += 1


class _DocSentence(NamedTuple):
    """A sentence of a `Doc` without whitespace tokens.

    tokens: Its tokens.
    heads: The position of the head of each token in the sentence; a root is its own head. Empty without a tree.
    labels: The label of each token.
    multiword: The words of multiword tokens, by position.
    """

    tokens: list[Token]
    heads: list[int]
    labels: list[str]
    multiword: dict[int, list[Word]]

    def find_fault(self) -> str:
        """What keeps the heads from being a tree with one root."""
        if not self.heads:
            return ""
        if any(not 0 <= head < len(self.heads) for head in self.heads):
            return "a head is outside the sentence"
        roots = sum(head == token for token, head in enumerate(self.heads))
        return "" if roots == 1 else f"it has {roots} roots"

    def expand(self) -> list[list[Word]]:
        """The words of each token."""
        rows = [(token.text, token.lemma_, token.pos_, token.tag_, str(token.morph)) for token in self.tokens]
        return expand(_make_words(rows, self.heads, self.labels), self.multiword)


def _list_sentences(doc: Doc) -> Iterator[tuple[int, _DocSentence]]:
    """The sentences that are not empty, and the number of non-whitespace characters before each."""
    kept = np.array([not token.text.isspace() for token in doc])
    heads = np.arange(len(doc)) + doc.to_array("HEAD").astype(np.int64)
    pruned = prune(heads, kept)
    labelled = doc.has_annotation("DEP")
    start = characters = 0
    for sentence in doc.sents:
        tokens = [token for token in sentence if not token.text.isspace()]
        if not tokens:
            continue
        span = slice(start, start + len(tokens))
        if labelled:
            labels = [token.dep_ for token in tokens]
            for offset in range(len(tokens)):
                if pruned.promoted[start + offset]:
                    labels[offset] = "ROOT"
                elif pruned.adopted[start + offset]:
                    labels[offset] = "parataxis"
            yield characters, _DocSentence(tokens, (pruned.heads[span] - start).tolist(), labels, read_words(tokens))
        else:
            yield characters, _DocSentence(tokens, [], [], read_words(tokens))
        start = span.stop
        characters += sum(count_characters(token.text) for token in tokens)


def _make_words(rows: Sequence[tuple[str, str, str, str, str]], heads: list[int], labels: list[str]) -> list[Word]:
    """Tokens as words, without heads and labels if there is no tree."""
    numbers = [0 if head == token else head + 1 for token, head in enumerate(heads)] or [0] * len(rows)
    values = zip(rows, numbers, labels or [""] * len(rows), strict=True)
    return [Word(*row, head, label) for row, head, label in values]


def _expand_kept(sentence: Sentence) -> list[list[Word]]:
    columns = (sentence.words, sentence.lemmas, sentence.pos, sentence.tags, sentence.morphs)
    return expand(_make_words(list(zip(*columns, strict=True)), sentence.heads, sentence.deps), sentence.multiword)


def _update_lines(kept: KeptSentence, sentence: _DocSentence) -> list[str]:
    """The kept lines of a sentence, with what has changed."""
    before, now = _expand_kept(kept.sentence), sentence.expand()
    if list(map(len, before)) != list(map(len, now)):
        comments = [line for line in kept.lines if line.startswith("#")]
        return [*comments, *_format_words(sentence, now)]
    pairs = list(zip(_concatenate(before), _concatenate(now), strict=True))
    same_tree = all((old.head, cut_subtype(old.dep)) == (new.head, cut_subtype(new.dep)) for old, new in pairs)
    lines = []
    for line in kept.lines:
        columns = line.split("\t")
        if line.startswith("#") or "-" in columns[ID]:
            lines.append(line)
        elif "." in columns[ID]:
            if same_tree:
                lines.append(line)
        else:
            old, new = pairs[int(columns[ID]) - 1]
            formatted = _format_word(new, bool(sentence.heads))
            for column in range(FORM, HEAD):
                if old[column - FORM] != new[column - FORM]:
                    columns[column] = formatted[column - FORM]
            if (old.head, old.dep) != (new.head, new.dep):
                columns[HEAD], columns[DEPREL] = formatted[-2:]
            if not same_tree:
                columns[DEPS] = "_"
            lines.append("\t".join(columns))
    return lines


def _concatenate(words: list[list[Word]]) -> list[Word]:
    return [word for several in words for word in several]


def _format_anew(sentence: _DocSentence) -> list[str]:
    """The lines of a sentence, without the comments that identify it."""
    comments = [
        f"# {name} = {LINE_BREAKING.sub(' ', str(value))}" for name, value in describe_speech(sentence.tokens).items()
    ]
    text = "".join(token.text + " " * _is_followed_by_space(token) for token in sentence.tokens)
    comments.append(f"# text = {LINE_BREAKING.sub(' ', text).rstrip()}")
    return [*comments, *_format_words(sentence, sentence.expand())]


def _format_words(sentence: _DocSentence, expanded: list[list[Word]]) -> list[str]:
    lines = []
    id_ = 1
    for group in _group_tokens(sentence.tokens):
        tokens = [sentence.tokens[position] for position in group]
        words = [word for position in group for word in expanded[position]]
        misc = "_" if _is_followed_by_space(tokens[-1]) else "SpaceAfter=No"
        if len(tokens) > 1 or group[0] in sentence.multiword:
            form = _clean("".join(token.text for token in tokens))
            lines.append("\t".join([f"{id_}-{id_ + len(words) - 1}", form, *["_"] * 7, misc]))
            misc = "_"
        for word in words:
            lines.append("\t".join([str(id_), *_format_word(word, bool(sentence.heads)), "_", misc]))
            id_ += 1
    return lines


def _group_tokens(tokens: list[Token]) -> list[list[int]]:
    """The positions of the tokens of each token of the text."""
    groups: list[list[int]] = []
    for position, joined in enumerate(are_joined(tokens)):
        if position and joined and not _is_followed_by_space(tokens[position - 1]):
            groups[-1].append(position)
        else:
            groups.append([position])
    return groups


def _format_word(word: Word, has_tree: bool) -> list[str]:
    """The columns from FORM to DEPREL."""
    values = [_clean(value) or "_" for value in word[:5]]
    head = str(word.head) if has_tree else "_"
    deprel = "root" if word.dep == "ROOT" else _clean(word.dep)
    return [*values, head, deprel or "_"]


# The same values come again and again.
@lru_cache(maxsize=1 << 16)
def _clean(value: str) -> str:
    """A value without column and line separators."""
    return LINE_BREAKING.sub(" ", value)


def _is_followed_by_space(token: Token) -> bool:
    following = token.i + 1
    return bool(token.whitespace_) or (following < len(token.doc) and token.doc[following].text.isspace())
