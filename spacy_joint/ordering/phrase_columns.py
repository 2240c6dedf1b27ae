"""The columns of a phrase, which templates can read of its modifiers and its head.

They describe the form of a word in more detail than the columns of documents, since the form of a modifier predicts
its place: derivational endings, length, hyphens, and the last part of hyphenated words. Words are case-insensitive.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np
from spacy.strings import get_string_id

from ..engine.columns import Columns
from ..pipes.token_columns import CLASSES
from ..pipes.word_classes import WordClasses
from .phrases import Phrase, Word, identity

# Longest first: the longest matching ending is used.
ENDINGS = (
    *("able", "ible", "ical", "less", "like", "ment", "ness", "some", "ward"),
    *("ant", "ary", "ble", "ent", "ese", "est", "ful", "ian", "ing", "ion", "ish", "ist", "ity", "ive", "ory", "ous"),
    *("al", "an", "ed", "en", "er", "ic", "ly", "or", "s", "y"),
)
LENGTHS = (1, 2, 3, 4, 6, 8, 12)


def _ending(word: str) -> str:
    return next((ending for ending in ENDINGS if word.endswith(ending) and len(word) > len(ending) + 1), "none")


def _shape(text: str) -> str:
    kinds = ("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in text)
    return "".join(kind for kind, _ in groupby(kinds))


def _form(text: str) -> str:
    """Returns whether a word has a hyphen, an initial capital, only capitals, or a digit."""
    only_capitals, digit = len(text) > 1 and text.isupper(), any(map(str.isdigit, text))
    return "form " + "-" * ("-" in text) + "C" * text[:1].isupper() + "A" * only_capitals + "d" * digit


BY_WORD: dict[str, Callable[[str, str], str]] = {
    "word": lambda text, word: word,
    "suffix2": lambda text, word: word[-2:],
    "suffix3": lambda text, word: word[-3:],
    "ending": lambda text, word: _ending(word),
    "shape": lambda text, word: _shape(text),
    "form": lambda text, word: _form(text),
    "length": lambda text, word: f"length {bisect_left(LENGTHS, len(text))}",
    "part": lambda text, word: word.rpartition("-")[2] or word,
}
TAG = "tag"
COLUMNS = (*BY_WORD, *CLASSES, TAG)


class PhraseColumns:
    """Makes the columns of phrases, with names from COLUMNS, and caches the values of words."""

    # Clears the cache at this size, to bound memory.
    max_words = 1 << 16

    def __init__(self, names: Sequence[str], word_classes: WordClasses) -> None:
        self.names = tuple(names)
        self.word_classes = word_classes
        self._rows: dict[Word, list[int]] = {}

    def make_columns(self, phrase: Phrase) -> Columns:
        """Makes a row for each modifier, and a last row for the head, which is all zeros if the head is unknown."""
        head = [0] * len(self.names) if phrase.head is None else self._row(phrase.head)
        values = [*map(self._row, phrase.modifiers), head]
        return Columns(self.names, np.array(values, dtype=np.uint64).reshape(len(values), len(self.names)))

    def _row(self, word: Word) -> list[int]:
        row = self._rows.get(word)
        if row is None:
            if len(self._rows) >= self.max_words:
                self._rows = {}
            row = self._rows[word] = self._make_row(word)
        return row

    def _make_row(self, word: Word) -> list[int]:
        known = identity(word.text)
        # An unknown hyphenated word has the classes of its last part.
        keys = np.array([get_string_id(known), get_string_id(BY_WORD["part"](word.text, known))], dtype=np.uint64)
        found = self.word_classes.look_up(keys)
        classes = found[0] if found[0].any() else found[1]
        row = {name: get_string_id(make(word.text, known)) for name, make in BY_WORD.items()}
        row |= {**dict(zip(CLASSES, classes.tolist(), strict=True)), TAG: get_string_id(word.tag) if word.tag else 0}
        return [row[name] for name in self.names]
