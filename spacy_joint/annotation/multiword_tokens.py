"""Multiword tokens: single tokens that are several syntactic words, such as German `zum`: `zu` and `dem`.

The terms are those of https://universaldependencies.org/u/overview/tokenization.html. spaCy has one analysis per
token, so a token is annotated as its *main word*, the one nearest to the root, and `Token._.ud_words` has all words. If
its letters divide into the words, as in `do` and `n't`, the words are separate tokens, and `Token._.ud_joined` is true
for all but the first.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spacy.tokens import Token

from .extensions import read_values, register

WORDS = "ud_words"
JOINED = "ud_joined"


class Word(NamedTuple):
    """One word of a multiword token. Strings are "" if unknown. The head is the number of a word of the same token,
    from 1, or 0 for the head of the token. The relation of a root is "ROOT"."""

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
    """Returns the words of a multiword token; none for other tokens."""
    return read_words([token]).get(0, [])


def read_words(tokens: Sequence[Token]) -> dict[int, list[Word]]:
    """Reads the words of multiword tokens, by their positions among the given tokens of a document. Merged tokens, such
    as `zum Beispiel`, are single words: spaCy keeps the words of the first part only."""
    read = {i: [Word(*word) for word in words] for i, words in enumerate(read_values(tokens, WORDS)) if words}
    parts = {i: tokens[i].text.split() for i in read}
    return {i: words for i, words in read.items() if len(parts[i]) == 1 or parts[i] == [word.form for word in words]}


def set_words(token: Token, words: Sequence[Word]) -> None:
    """Makes a token a multiword token."""
    token._.set(WORDS, [list(word) for word in words])


def are_joined(tokens: Sequence[Token]) -> list[bool]:
    """Returns whether each token is in the same multiword token as the one before it."""
    return list(map(bool, read_values(tokens, JOINED)))


def join(token: Token) -> None:
    """Puts a token into the same multiword token as the one before it."""
    token._.set(JOINED, True)


def find_main_word(group: Sequence[int], heads: Sequence[int]) -> int:
    """Finds the word of a group (positions in the sentence) that is nearest to the root; of several, the first. A root
    is its own head; without a tree, `heads` is empty."""
    # A group gets the head of its main word: every arc leads nearer to the root, so the result is a tree.
    return min(group, key=lambda word: _measure_depth(word, heads)) if heads else group[0]


def _measure_depth(word: int, heads: Sequence[int]) -> int:
    depth = 0
    while heads[word] != word:
        word, depth = heads[word], depth + 1
    return depth


def number_heads(group: Sequence[int], heads: Sequence[int]) -> list[int]:
    """Returns the heads of the words of a group, as in `Word`. A word is attached to the main word unless its head is
    in the group, or is the main word's head."""
    if not heads:
        return [0] * len(group)
    main = find_main_word(group, heads)
    numbers = {word: number for number, word in enumerate(group, start=1)}
    outer = {word: 0 if heads[word] == heads[main] else numbers[main] for word in group}
    return [0 if word == main else numbers.get(heads[word], outer[word]) for word in group]


def expand(tokens: Sequence[Word], words: Mapping[int, Sequence[Word]]) -> list[list[Word]]:
    """Returns the words of each token of a sentence. Heads are numbers of tokens from 1 in `tokens`, and of words in
    the result; 0 is the root. `words` has the words of multiword tokens, by position of the token.

    The main word of a multiword token, the first with head 0, takes over any annotation and the dependents of the
    token.
    """
    if not words:
        return [[token] for token in tokens]
    main = {i: next((k for k, word in enumerate(parts) if not word.head), 0) for i, parts in words.items()}
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
        parts = [word._replace(head=starts[i] + word.head - 1 if word.head else outside) for word in words[i]]
        main_word = parts[main[i]]
        combined: Any = [value or default for value, default in zip(token, main_word, strict=True)]
        parts[main[i]] = Word(*combined)._replace(form=main_word.form, head=head)
        expanded.append(parts)
    return expanded
