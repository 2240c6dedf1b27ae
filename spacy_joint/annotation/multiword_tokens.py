"""Multiword tokens: tokens of the text that are several words of the syntax, as German `zum` is `zu` and `dem`.

The terms are those of https://universaldependencies.org/u/overview/tokenization.html. spaCy has one analysis per
token, so a token is annotated as its *main word*, the one nearest to the root, and `Token._.ud_words` has all words. If
its letters can be divided into the words, as `do` and `n't`, these are separate tokens, and `Token._.ud_joined` is true
for all but the first.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spacy.tokens import Token

from .extensions import read_values, register

WORDS = "ud_words"
JOINED = "ud_joined"


class Word(NamedTuple):
    """One word of a multiword token. Strings are "" if unknown. Its head is a number among the words of the token, from
    1, or 0, the head of the token. The relation of a root is "ROOT"."""

    form: str
    lemma: str
    pos: str
    tag: str
    morph: str
    head: int
    dep: str


# A list with one list per `Word`; None for tokens that are a single word.
register(Token, WORDS, default=None)
# Whether a token is in the same multiword token as the one before it.
register(Token, JOINED, default=False)


def get_words(token: Token) -> list[Word]:
    """The words of a multiword token; none for other tokens."""
    return read_words([token]).get(0, [])


def read_words(tokens: Sequence[Token]) -> dict[int, list[Word]]:
    """The words of the multiword tokens of a document, by their position among the given tokens."""
    return {i: [Word(*word) for word in words] for i, words in enumerate(read_values(tokens, WORDS)) if words}


def set_words(token: Token, words: Sequence[Word]) -> None:
    """Makes a token a multiword token."""
    token._.set(WORDS, [list(word) for word in words])


def are_joined(tokens: Sequence[Token]) -> list[bool]:
    """Whether each token is in the same multiword token as the one before it."""
    return list(map(bool, read_values(tokens, JOINED)))


def join(token: Token) -> None:
    """Puts a token into the same multiword token as the one before it."""
    token._.set(JOINED, True)


def find_main_word(group: Sequence[int], heads: Sequence[int]) -> int:
    """The word of a group (positions in the sentence) that is nearest to the root, or the first such word. A root is
    its own head; without a tree, `heads` is empty."""
    # If the head of a group is that of its main word, every arc leads nearer to the root, so the result is a tree.
    return min(group, key=lambda word: _measure_depth(word, heads)) if heads else group[0]


def _measure_depth(word: int, heads: Sequence[int]) -> int:
    depth = 0
    while heads[word] != word:
        word, depth = heads[word], depth + 1
    return depth


def number_heads(group: Sequence[int], heads: Sequence[int]) -> list[int]:
    """The heads of the words of a group, as in `Word`. A word whose head is neither in the group nor that of the main
    word is attached to the main word."""
    if not heads:
        return [0] * len(group)
    main = find_main_word(group, heads)
    numbers = {word: number for number, word in enumerate(group, start=1)}
    others = {word: 0 if heads[word] == heads[main] else numbers[main] for word in group}
    return [0 if word == main else numbers.get(heads[word], others[word]) for word in group]


def expand(tokens: Sequence[Word], words: Mapping[int, Sequence[Word]]) -> list[list[Word]]:
    """The words of each token of a sentence. Heads of tokens are numbers of tokens from 1, and those of the result
    numbers of words; 0 is the root. `words` has the words of multiword tokens, by position of the token.

    The main word of a multiword token, which is the first one with the head 0, has any annotation and the dependents of
    the token.
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
        several = [word._replace(head=starts[i] + word.head - 1 if word.head else outside) for word in words[i]]
        own = several[main[i]]
        combined: Any = [mine or its for mine, its in zip(token, own, strict=True)]
        several[main[i]] = Word(*combined)._replace(form=own.form, head=head)
        expanded.append(several)
    return expanded
