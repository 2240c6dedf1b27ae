"""A `Doc` as the engine's columns: which attributes of tokens there are for templates to name, and which tokens count.

Whitespace tokens are left out: systems never see them, and components decide afterwards where they belong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
from spacy.attrs import ORTH, POS, SENT_START, SPACY, TAG
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..engine.columns import Columns, affix_columns
from ..errors import Errors, JointValueError

BY_TOKEN = {"tag": TAG, "pos": POS}
# Affixes of the lower-cased word, by their lengths; suffixes are negative.
AFFIXES = {**{f"prefix{n}": n for n in range(1, 5)}, **{f"suffix{n}": -n for n in range(1, 6)}}
MOST_CLASSES = 4
CLASSES = tuple(f"class{n}" for n in range(1, MOST_CLASSES + 1))
# The same for all tokens: whether the document is written with punctuation and with capitals, see `_style`.
STYLE = "style"
# 1 for a token that follows the one before without whitespace, which hardly ever starts a sentence; 0 for others, and
# for all where tokens are given without spacing.
GLUED = "glued"
COLUMNS = ("word", "form", "shape", *BY_TOKEN, *AFFIXES, *CLASSES, STYLE, GLUED)
# A share of tokens below this is an accident: a stray mark in a chat, an "OK" in a transcript.
LEAST_SHARE = 0.02
# What is known of words is forgotten beyond this many, so that a server's memory stays bounded (some 200 bytes each).
MAX_WORDS = 1 << 17
# So many tokens at the start of a document tell how it is written, so that an endless one tells soon.
STYLE_TOKENS = 100


class WordClasses:
    """Classes of words by how they are used (see training/word_classes.py), at several granularities.

    words (np.ndarray): uint64, the hashes of the lower-cased words, ascending.
    classes (np.ndarray): uint16, words x granularities; 0: none.
    """

    def __init__(self, words: np.ndarray, classes: np.ndarray) -> None:
        self.words = words
        self.classes = classes

    @classmethod
    def from_dict(cls, classes: Mapping[str, Sequence[int]]) -> WordClasses:
        """Makes the table from words and their classes, which count from 0.

        RAISES ValueError: If there are more granularities than columns, or words differ in their number.
        """
        sizes = {len(numbers) for numbers in classes.values()} or {0}
        if len(sizes) != 1 or max(sizes) > MOST_CLASSES:
            raise JointValueError(Errors.J074, sizes=sorted(sizes), most=MOST_CLASSES)
        pairs = sorted((get_string_id(word), numbers) for word, numbers in classes.items())
        words = np.array([word for word, _ in pairs], dtype=np.uint64)
        numbers = np.array([numbers for _, numbers in pairs], dtype=np.uint16).reshape(len(pairs), sizes.pop())
        return cls(words, numbers + 1)

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The table as one-dimensional arrays."""
        return {"words": self.words, "classes": self.classes.reshape(-1)}

    def from_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Takes what `to_arrays` gave.

        RAISES ValueError: If it is something else.
        """
        try:
            words = arrays["words"]
            classes = arrays["classes"].reshape(len(words), -1 if len(words) else 0)
            if words.dtype != np.uint64 or classes.dtype != np.uint16 or classes.shape[1] > MOST_CLASSES:
                raise TypeError
        except (KeyError, TypeError, ValueError) as error:
            raise JointValueError(Errors.J050, source="the file of word classes") from error
        self.words, self.classes = words, classes

    def look_up(self, words: np.ndarray) -> np.ndarray:
        """The classes of words, by their hashes (uint64, words x MOST_CLASSES; 0: unknown)."""
        found = np.zeros((len(words), MOST_CLASSES), dtype=np.uint64)
        if len(self.words):
            places = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
            known = self.words[places] == words
            found[known, : self.classes.shape[1]] = self.classes[places[known]]
        return found


# Whether words are whitespace, by their hashes, which mean the same in every vocabulary.
_is_space: dict[int, bool] = {}


def find_whitespace(doc: Doc) -> np.ndarray:
    """Which tokens are whitespace (bool, one per token)."""
    global _is_space
    is_space = _is_space
    words = doc.to_array([ORTH])
    distinct = set(words.tolist())
    # Not `Token.is_space`: it is always False with a vocabulary that has no language.
    for word in distinct.difference(is_space):
        is_space[word] = doc.vocab.strings[word].isspace()
    spaces = [word for word in distinct if is_space[word]]
    if len(is_space) > MAX_WORDS:
        _is_space = {}
    return np.isin(words, spaces) if spaces else np.zeros(len(words), dtype=bool)


def find_after_blank_lines(doc: Doc) -> np.ndarray:
    """Which tokens follow a blank line: whitespace with two line breaks or more (bool a token, and one for what may
    follow the document). None of them is whitespace."""
    after = np.zeros(len(doc) + 1, dtype=bool)
    is_space = find_whitespace(doc)
    for token in np.flatnonzero(is_space).tolist():
        after[token + 1] = after[token] or doc[token].text.count("\n") > 1
    after[:-1] &= ~is_space
    return after


def move_off_whitespace(starts: np.ndarray, doc: Doc) -> np.ndarray:
    """Sentence starts (bool a token), those on whitespace moved to the next token that is none."""
    moved = starts.copy()
    for token in np.flatnonzero(starts).tolist():
        while token < len(doc) and doc[token].text.isspace():
            moved[token] = False
            token += 1
            moved[token : token + 1] = True
    return moved


def read_starts(doc: Doc) -> np.ndarray:
    """What a document says of sentence starts (int8 per token): 1 starts one, -1 starts none, 0 is open.

    A sentence that was to start with whitespace starts with what comes after it.
    """
    starts = doc.to_array([SENT_START]).astype(np.int8).reshape(len(doc))
    starts[move_off_whitespace(starts == 1, doc)] = 1
    return starts


def keep_right_starts(constraints: np.ndarray, starts: np.ndarray | None) -> np.ndarray:
    """Constraints as `read_starts` gives them, without those that contradict the reference, as nothing right can be
    learnt from them.

    starts (np.ndarray | None): Which tokens start a sentence in the reference (bool per token); None: it does not say.
    """
    kept = constraints.copy()
    if starts is not None:
        kept[(kept != 0) & ((kept > 0) != starts)] = 0
    return kept


def has_same_tokens(example: Example) -> bool:
    """Whether the predicted and the reference document have the same tokens."""
    predicted, reference = example.predicted, example.reference
    return len(predicted) == len(reference) and bool(
        np.array_equal(predicted.to_array([ORTH]), reference.to_array([ORTH]))
    )


def find_reference_starts(example: Example) -> np.ndarray | None:
    """Where sentences of the reference start among the predicted tokens (bool a token); None if it does not say.

    A sentence that starts with whitespace, or with tokens that have no counterpart, starts with the first that does.
    """
    if not example.reference.has_annotation("SENT_START"):
        return None
    if has_same_tokens(example):
        starts = example.reference.to_array([SENT_START]).reshape(-1) == 1
        return move_off_whitespace(starts, example.reference)
    starts = np.zeros(len(example.predicted), dtype=bool)
    starts[:1] = True
    # Not `Example.get_aligned_sent_starts`: it fails where a sentence starts with a token that has no counterpart.
    counterparts = example.alignment.y2x
    for sentence in example.reference.sents:
        for token in sentence:
            places = counterparts[token.i]
            if len(places):
                starts[int(places[0])] = True
                break
    return move_off_whitespace(starts, example.predicted)


class WordColumns:
    """The columns that depend on the word alone, made once a word: documents repeat their words, and each other's.

    names (Sequence[str]): The columns wanted, of COLUMNS; those that depend on the token are 0 here.
    word_classes (WordClasses): For the columns class1, class2, ...
    """

    def __init__(self, names: Sequence[str], word_classes: WordClasses) -> None:
        self.names = tuple(names)
        self.word_classes = word_classes
        self.by_word = [(i, name) for i, name in enumerate(names) if name not in (*BY_TOKEN, STYLE, GLUED)]
        self.style = self.names.index(STYLE) if STYLE in names else None
        self.glued = self.names.index(GLUED) if GLUED in names else None
        self.by_token = [(i, BY_TOKEN[name]) for i, name in enumerate(names) if name in BY_TOKEN]
        # Several threads may predict at once.
        self.lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self.rows: dict[int, int] = {}
        self.values = np.zeros((1024, len(self.names)), dtype=np.uint64)
        self.is_space = np.zeros(1024, dtype=bool)
        self.is_mark = np.zeros(1024, dtype=bool)
        self.has_capital = np.zeros(1024, dtype=bool)

    def __reduce__(self) -> tuple[Any, ...]:
        return (WordColumns, (self.names, self.word_classes))

    def columns_of(self, doc: Doc, constraints: np.ndarray | None = None) -> tuple[Columns, np.ndarray]:
        """The columns of a document.

        doc (Doc): The document.
        constraints (np.ndarray | None): int8 a token of the document, see `Columns`.
        RETURNS (tuple[Columns, np.ndarray]): The columns, and the tokens that are their rows.
        """
        values, tokens = self.values_of(doc)
        return Columns(self.names, values, None if constraints is None else constraints[tokens]), tokens

    def values_of(self, doc: Doc) -> tuple[np.ndarray, np.ndarray]:
        """The values of the columns (uint64, rows x columns), and the tokens that are the rows."""
        attributes = [ORTH, *(attribute for _, attribute in self.by_token), SPACY]
        by_token = doc.to_array(attributes).reshape(len(doc), len(attributes))
        words = by_token[:, 0].tolist()
        with self.lock:
            if len(self.rows) > MAX_WORDS:
                self._forget()
            new = set(words).difference(self.rows)
            if new:
                self._add(list(new), doc.vocab)
            rows = np.fromiter(map(self.rows.__getitem__, words), dtype=np.intp, count=len(words))
            values = self.values.take(rows, axis=0)
            is_space = self.is_space.take(rows)
            has_space = bool(is_space.any())
            style = self._style((rows[~is_space] if has_space else rows)[:STYLE_TOKENS])
        for column, (i, _) in enumerate(self.by_token, start=1):
            values[:, i] = by_token[:, column]
        if self.style is not None:
            values[:, self.style] = style
        if self.glued is not None:
            values[1:, self.glued] = (by_token[:-1, -1] == 0) & ~is_space[:-1]
        if not has_space:
            return values, np.arange(len(words))
        kept = np.flatnonzero(~is_space)
        return values[kept], kept

    def _style(self, rows: np.ndarray) -> int:
        """1 to 4: with neither marks nor capitals, with capitals only, with marks only, with both.

        A model of edited text and of transcripts has to know which it reads: where no token is a mark, no mark means
        nothing.
        """
        if not len(rows):
            return 1
        marks = np.count_nonzero(self.is_mark[rows]) / len(rows)
        capitals = np.count_nonzero(self.has_capital[rows]) / len(rows)
        return 1 + 2 * int(marks > LEAST_SHARE) + int(capitals > LEAST_SHARE)

    def _add(self, words: list[int], vocab: Vocab) -> None:
        lexemes = [vocab[word] for word in words]
        first, end = len(self.rows), len(self.rows) + len(words)
        if end > len(self.values):
            size = 2 * end
            self.values = np.concatenate([self.values, np.zeros((size - len(self.values), len(self.names)), np.uint64)])
            self.is_space = np.concatenate([self.is_space, np.zeros(size - len(self.is_space), dtype=bool)])
            self.is_mark = np.concatenate([self.is_mark, np.zeros(size - len(self.is_mark), dtype=bool)])
            self.has_capital = np.concatenate([self.has_capital, np.zeros(size - len(self.has_capital), dtype=bool)])
        lengths = [AFFIXES[name] for _, name in self.by_word if name in AFFIXES]
        affixes = iter(affix_columns([lexeme.lower_ for lexeme in lexemes], lengths).T)
        lower = np.array([lexeme.lower for lexeme in lexemes], dtype=np.uint64)
        classes = self.word_classes.look_up(lower)
        for i, name in self.by_word:
            if name in AFFIXES:
                column = next(affixes)
            elif name in CLASSES:
                column = classes[:, CLASSES.index(name)]
            elif name == "word":
                column = lower
            elif name == "form":
                column = words
            else:
                column = [lexeme.shape for lexeme in lexemes]
            self.values[first:end, i] = column
        # Not `is_space`: it is always False with a vocabulary that has no language.
        self.is_space[first:end] = [lexeme.text.isspace() for lexeme in lexemes]
        self.is_mark[first:end] = [not any(map(str.isalnum, lexeme.text)) for lexeme in lexemes]
        self.has_capital[first:end] = [lexeme.text != lexeme.lower_ for lexeme in lexemes]
        self.rows.update(zip(words, range(first, end), strict=True))
