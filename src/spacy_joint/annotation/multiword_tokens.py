"""Multiword tokens: tokens of the text that are several words of the syntax, as German `zum` is `zu` and `dem`.

The terms are those of https://universaldependencies.org/u/overview/tokenization.html. spaCy has one analysis per
token. So a token is annotated as its *main word*, the one nearest to the root, and `Token._.ud_words` has all its
words. Where the words can be cut from the letters of the token, as `do` and `n't`, they are tokens of their own, and
`Token._.ud_joined` is true for all but the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spacy.tokens import Token

from .extensions import read_values

WORDS = "ud_words"
JOINED = "ud_joined"


class Word(NamedTuple):
    """One word of a multiword token. All strings are "" if unknown.

    head: The number of its head among the words of the token, from 1; 0 is the head of the token.
    dep: Its relation; "ROOT" is that of a root.
    """

    form: str
    lemma: str
    pos: str
    tag: str
    morph: str
    head: int
    dep: str


def register_extensions() -> None:
    """Registers `Token._.ud_words` and `Token._.ud_joined`, unless there are attributes of these names.

    The former is a list with one item per word, `[form, lemma, pos, tag, morph, head, dep]` as in `Word`, and None for
    tokens that are a single word. The latter says whether a token is in the same multiword token as the one before it.
    """
    for name, default in ((WORDS, None), (JOINED, False)):
        if not Token.has_extension(name):
            Token.set_extension(name, default=default)


def get_words(token: Token) -> list[Word]:
    """The words of a multiword token; none for other tokens."""
    return read_words([token]).get(0, [])


def read_words(tokens: Sequence[Token]) -> dict[int, list[Word]]:
    """The words of the multiword tokens of a document, by their position among the given tokens."""
    register_extensions()
    return {i: [Word(*word) for word in words] for i, words in enumerate(read_values(tokens, WORDS)) if words}


def set_words(token: Token, words: Sequence[Word]) -> None:
    """Makes a token a multiword token."""
    register_extensions()
    token._.set(WORDS, [list(word) for word in words])


def are_joined(tokens: Sequence[Token]) -> list[bool]:
    """Whether each token is in the same multiword token as the one before it."""
    register_extensions()
    return list(map(bool, read_values(tokens, JOINED)))


def join(token: Token) -> None:
    """Puts a token into the same multiword token as the one before it."""
    register_extensions()
    token._.set(JOINED, True)


def find_main_word(group: Sequence[int], heads: Sequence[int]) -> int:
    """The word of a group that is nearest to the root; the first one if there are several.

    If each group of a tree is replaced by a single word with the head of its main word, the result is a tree: every arc
    leads to a word or group that is nearer to the root.

    group: Positions in the sentence.
    heads: The head of each word of the sentence, a root is its own head. Empty if there is no tree.
    """
    return min(group, key=lambda word: _measure_depth(word, heads)) if heads else group[0]


def _measure_depth(word: int, heads: Sequence[int]) -> int:
    depth = 0
    while heads[word] != word:
        word, depth = heads[word], depth + 1
    return depth


def number_heads(group: Sequence[int], heads: Sequence[int]) -> list[int]:
    """The heads of the words of a group, as in `Word`.

    A word whose head is neither in the group nor the head of the main word is attached to the main word.
    """
    if not heads:
        return [0] * len(group)
    main = find_main_word(group, heads)
    numbers = {word: number for number, word in enumerate(group, start=1)}
    others = {word: 0 if heads[word] == heads[main] else numbers[main] for word in group}
    return [0 if word == main else numbers.get(heads[word], others[word]) for word in group]


def expand(tokens: Sequence[Word], words: Mapping[int, Sequence[Word]]) -> list[list[Word]]:
    """The words of each token of a sentence, with heads in the sentence.

    The main word of a multiword token, which is the first one with the head 0, has the annotation of the token where
    there is any. Dependents of the token are dependents of its main word.

    tokens: The tokens, whose heads are numbers of tokens from 1; 0 is the root.
    words: The words of multiword tokens, by position of the token.
    Returns words whose heads are numbers of words in the sentence, from 1; 0 is the root.
    """
    if not words:
        return [[token] for token in tokens]
    main = {i: next((k for k, word in enumerate(several) if not word.head), 0) for i, several in words.items()}
    starts = [1]
    for i in range(len(tokens)):
        starts.append(starts[-1] + (len(words[i]) if i in words else 1))
    expanded = []
    for i, token in enumerate(tokens):
        head = starts[token.head - 1] + main.get(token.head - 1, 0) if token.head else 0
        if i not in words:
            expanded.append([token._replace(head=head)])
            continue
        # A sentence has one root.
        outside = head or starts[i] + main[i]
        expanded.append(
            [
                _combine(token, word, head)
                if k == main[i]
                else word._replace(head=starts[i] + word.head - 1 if word.head else outside)
                for k, word in enumerate(words[i])
            ]
        )
    return expanded


def _combine(token: Word, word: Word, head: int) -> Word:
    """The main word of a token: the form is its own."""
    found = [mine or own for mine, own in zip(token, word, strict=True)]
    return Word(*found)._replace(form=word.form, head=head)  # type: ignore[arg-type]  # a list of str and int
