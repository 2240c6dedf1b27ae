"""Copies of texts to learn a tokenizer from, with other dashes, symbols and spaces: `5€`, `so—not`, `« yes »`, `why ?`.
Characters that only replace others need no copies: see `pipes.spelling`.
"""

import random
from collections.abc import Iterator, Sequence

DASHES, SYMBOLS = "–—", "€$£%"
QUOTES, MARKS = frozenset('"“”„«»'), frozenset(":;?!…")
# The probabilities of an added space beside a mark, of a symbol beside a number, of that symbol before the number, and
# of a dash between words.
SPACED, SYMBOL, BEFORE, DASH = 0.3, 0.4, 0.3, 0.02


def list_added(words: Sequence[str]) -> str:
    """Lists the characters that copies may add: those that no longer word of the treebank contains."""
    inside = {character for word in words if len(word) > 1 for character in word}
    return "".join(character for character in DASHES + SYMBOLS if character not in inside)


def vary(
    text: str, words: Sequence[tuple[int, int]], added: str, rng: random.Random
) -> tuple[str, list[tuple[int, int]]]:
    """Makes a changed copy of a text; returns it and the spans of its words. `added`: see `list_added`."""
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    for space, word in _change(text, words, added, rng):
        start = length + len(space)
        length = start + len(word)
        pieces += (space, word)
        spans.append((start, length))
    return "".join(pieces), spans


def _change(text: str, words: Sequence[tuple[int, int]], added: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yields the text before each word, and the word."""
    dashes, symbols = ([each for each in kind if each in added] for kind in (DASHES, SYMBOLS))
    before = ""
    for index, (start, end) in enumerate(words):
        space, word = text[words[index - 1][1] if index else 0 : start], text[start:end]
        if space and dashes and before.isalpha() and word.isalpha() and rng.random() < DASH:
            around = rng.choice(("", " "))
            yield around, rng.choice(dashes)
            space = around
        elif not space and before and {before, word} & (QUOTES | MARKS) and rng.random() < SPACED:
            space = " "
        is_priced = symbols and word.isdecimal() and rng.random() < SYMBOL
        follows = text[end : words[index + 1][0] + 1] if index + 1 < len(words) else ""
        if is_priced and (space or not index) and rng.random() < BEFORE:
            yield space, rng.choice(symbols)
            space, is_priced = rng.choice(("", " ")), False
        yield space, word
        # Not before a letter or digit.
        if is_priced and not follows[:1].isalnum():
            yield rng.choice(("", " ")), rng.choice(symbols)
        before = word
