"""Copies of texts to learn a tokenizer from, with the dashes, symbols and spaces that other people type: `5€` for `5 %`,
`so—not` for `so - not`, `« yes »` for `"yes"`. Characters that only replace others need no copies: see `pipes.spelling`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

DASHES, SYMBOLS = "-–—", "%€$£°"  # noqa: RUF001
QUOTES, MARKS = frozenset("\"“”„«»"), frozenset(":;?!…")
# The characters that copies have, whatever the text has.
VARIED = DASHES + SYMBOLS
# The probability of each change where it is possible.
RATE = 0.5


def vary(text: str, words: Sequence[tuple[int, int]], rng: random.Random) -> tuple[str, list[tuple[int, int]]]:
    """A changed copy of a text and of the spans of its words."""
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    for space, word in _change(text, words, rng):
        start = length + len(space)
        length = start + len(word)
        pieces += (space, word)
        spans.append((start, length))
    return "".join(pieces), spans


def _change(text: str, words: Sequence[tuple[int, int]], rng: random.Random) -> Iterator[tuple[str, str]]:
    """What is before each word, and the word."""
    end, follows, is_digit = 0, None, False
    for place, (start, next_end) in enumerate(words):
        space, word = text[end:start], text[start:next_end]
        is_last = place + 1 == len(words)
        has_space = not is_last and words[place + 1][0] > next_end
        if follows is not None:
            space, follows = follows, None
        elif word in QUOTES or word in MARKS:
            # Before a closing mark, or after an opening one.
            if end and not space and rng.random() < RATE:
                space = " "
            elif space and not is_last and not has_space and rng.random() < RATE:
                follows = " "
        elif word in DASHES:
            if space and has_space and rng.random() < RATE:
                word = rng.choice(DASHES[1:])
                if rng.random() < RATE:
                    space = follows = ""
        elif word in SYMBOLS and is_digit and rng.random() < RATE:
            space, word = rng.choice(("", " ")), rng.choice(SYMBOLS)
        yield space, word
        end, is_digit = next_end, word[-1].isdigit()
