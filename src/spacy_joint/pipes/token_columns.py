"""A `Doc` as columns of the engine: the token attributes available to templates, and the tokens that count.

Whitespace tokens are left out: systems never see them, and components attach them afterwards.
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
from .arrays import RowIndex, find_stretches
from .custom_columns import CustomColumns

BY_TOKEN = {"tag": TAG, "pos": POS}
# Affixes of the lower-cased word by length; lengths of suffixes are negative.
AFFIXES = {**{f"prefix{n}": n for n in range(1, 5)}, **{f"suffix{n}": -n for n in range(1, 6)}}
MAX_CLASSES = 4
CLASSES = tuple(f"class{n}" for n in range(1, MAX_CLASSES + 1))
# Whether the text around a token has punctuation: UNPUNCTUATED or PUNCTUATED.
STYLE = "style"
UNPUNCTUATED, PUNCTUATED = 1, 4
# 1 for tokens attached to the previous one without whitespace, which rarely start a sentence, else 0; 0 for all tokens
# if there is no information about spacing.
GLUED = "glued"
# No columns that users bring.
NO_CUSTOM_COLUMNS = CustomColumns({})
COLUMNS = ("word", "form", "shape", *BY_TOKEN, *AFFIXES, *CLASSES, STYLE, GLUED)
# The marks that divide text into clauses and sentences. Brackets, quotation marks and emoticons say less.
MARKS = frozenset(".,;:?!…،؛؟।॥、。，；：？！")  # noqa: RUF001
# Stretches without a mark, without a lower-case word, and without a word that begins with a lower-case letter, of at
# least so many tokens. Shorter ones are found in any text: a long sentence, names, the lines of an address.
UNPUNCTUATED_STRETCH = 80
CAPITALS_STRETCH = 6
TITLE_STRETCH = 32
# The cache of words is cleared at this size, so that memory is bounded (some 200 bytes per word).
MAX_WORDS = 1 << 17
# The values of a token depend on so many tokens before it at most.
CONTEXT = max(UNPUNCTUATED_STRETCH, CAPITALS_STRETCH, TITLE_STRETCH)


class WordClasses:
    """Distributional word classes (see training/word_classes.py), at several granularities.

    words (np.ndarray): The hashes of the lower-cased words (uint64), ascending.
    classes (np.ndarray): The classes (uint16, words x granularities); 0: none.
    """

    def __init__(self, words: np.ndarray, classes: np.ndarray) -> None:
        self.words = words
        self.classes = classes

    @classmethod
    def from_dict(cls, classes: Mapping[str, Sequence[int]]) -> WordClasses:
        """Makes the table from words and their classes, which are numbered from 0.

        RAISES ValueError: If there are more granularities than columns, or if their number differs between words.
        """
        sizes = {len(numbers) for numbers in classes.values()} or {0}
        if len(sizes) != 1 or max(sizes) > MAX_CLASSES:
            raise JointValueError(Errors.J074, sizes=sorted(sizes), most=MAX_CLASSES)
        pairs = sorted((get_string_id(word), numbers) for word, numbers in classes.items())
        words = np.array([word for word, _ in pairs], dtype=np.uint64)
        numbers = np.array([numbers for _, numbers in pairs], dtype=np.uint16).reshape(len(pairs), sizes.pop())
        return cls(words, numbers + 1)

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The table as one-dimensional arrays."""
        return {"words": self.words, "classes": self.classes.reshape(-1)}

    def from_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Loads the arrays of `to_arrays`.

        RAISES ValueError: If they are invalid.
        """
        try:
            words = arrays["words"]
            classes = arrays["classes"].reshape(len(words), -1 if len(words) else 0)
            if words.dtype != np.uint64 or classes.dtype != np.uint16 or classes.shape[1] > MAX_CLASSES:
                raise TypeError
        except (KeyError, TypeError, ValueError) as error:
            raise JointValueError(Errors.J050, source="the file of word classes") from error
        self.words, self.classes = words, classes

    def look_up(self, words: np.ndarray) -> np.ndarray:
        """The classes of words, given their hashes (uint64, words x MAX_CLASSES; 0: unknown)."""
        found = np.zeros((len(words), MAX_CLASSES), dtype=np.uint64)
        if len(self.words):
            places = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
            known = self.words[places] == words
            found[known, : self.classes.shape[1]] = self.classes[places[known]]
        return found


# Whether words are whitespace, by hash, which is the same in every vocabulary.
_is_space: dict[int, bool] = {}


def find_whitespace(doc: Doc) -> np.ndarray:
    """Which tokens are whitespace (bool, one per token)."""
    global _is_space
    is_space = _is_space
    words = doc.to_array([ORTH])
    distinct = set(words.tolist())
    # Not `Token.is_space`, which is always False if the vocabulary has no language.
    for word in distinct.difference(is_space):
        is_space[word] = doc.vocab.strings[word].isspace()
    spaces = [word for word in distinct if is_space[word]]
    if len(is_space) > MAX_WORDS:
        _is_space = {}
    return np.isin(words, spaces) if spaces else np.zeros(len(words), dtype=bool)


def find_after_blank_lines(doc: Doc) -> np.ndarray:
    """Which tokens follow a blank line, i.e. whitespace with at least two line breaks (bool, one per token, and one for
    a token that may follow the document). Whitespace tokens are False."""
    after = np.zeros(len(doc) + 1, dtype=bool)
    is_space = find_whitespace(doc)
    for token in np.flatnonzero(is_space).tolist():
        after[token + 1] = after[token] or doc[token].text.count("\n") > 1
    after[:-1] &= ~is_space
    return after


def move_off_whitespace(starts: np.ndarray, doc: Doc) -> np.ndarray:
    """Moves sentence starts (bool, one per token) from whitespace to the next other token."""
    moved = starts.copy()
    for token in np.flatnonzero(starts).tolist():
        while token < len(doc) and doc[token].text.isspace():
            moved[token] = False
            token += 1
            moved[token : token + 1] = True
    return moved


def read_starts(doc: Doc) -> np.ndarray:
    """The preset sentence starts of a document (int8, one per token): 1 is a start, -1 is not, 0 is open.

    A start on whitespace is moved to the next token.
    """
    starts = doc.to_array([SENT_START]).astype(np.int8).reshape(len(doc))
    starts[move_off_whitespace(starts == 1, doc)] = 1
    return starts


def keep_right_starts(constraints: np.ndarray, starts: np.ndarray | None) -> np.ndarray:
    """Removes constraints, as returned by `read_starts`, that contradict the reference, since no correct analysis would
    satisfy them.

    starts (np.ndarray | None): Which tokens start a sentence in the reference (bool, one per token); None if unknown.
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
    """Which predicted tokens start a sentence of the reference (bool, one per token); None if it has no boundaries.

    Whitespace and tokens without a counterpart at the start of a sentence are skipped.
    """
    if not example.reference.has_annotation("SENT_START"):
        return None
    if has_same_tokens(example):
        starts = example.reference.to_array([SENT_START]).reshape(-1) == 1
        return move_off_whitespace(starts, example.reference)
    starts = np.zeros(len(example.predicted), dtype=bool)
    starts[:1] = True
    # Not `Example.get_aligned_sent_starts`, which fails if a sentence starts with a token without a counterpart.
    counterparts = example.alignment.y2x
    for sentence in example.reference.sents:
        for token in sentence:
            places = counterparts[token.i]
            if len(places):
                starts[int(places[0])] = True
                break
    return move_off_whitespace(starts, example.predicted)


class WordColumns:
    """Builds columns, with a cache of those that only depend on the word, since words recur.

    Capitals that do not distinguish words, in stretches in capitals or in title case, are read as lower case.

    names (Sequence[str]): The names of the columns, from COLUMNS and custom ones.
    word_classes (WordClasses): The classes for the columns class1, class2, ...
    as_written (bool): Whether capitals are read as they are, wherever they stand.
    custom (CustomColumns): The columns that components and users bring.
    """

    def __init__(
        self,
        names: Sequence[str],
        word_classes: WordClasses,
        as_written: bool = False,
        custom: CustomColumns = NO_CUSTOM_COLUMNS,
    ) -> None:
        self.names = tuple(names)
        self.word_classes = word_classes
        self.as_written = as_written
        self.custom = custom
        self.brought = [(i, name) for i, name in enumerate(names) if name in custom.names]
        others = (*BY_TOKEN, STYLE, GLUED, *custom.names)
        self.by_word = [(i, name) for i, name in enumerate(names) if name not in others]
        self.style = self.names.index(STYLE) if STYLE in names else None
        self.glued = self.names.index(GLUED) if GLUED in names else None
        self.reads_case = not as_written and bool({"form", "shape"}.intersection(names))
        self.by_token = [(i, BY_TOKEN[name]) for i, name in enumerate(names) if name in BY_TOKEN]
        # Several threads may predict concurrently.
        self.lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self.index = RowIndex()
        self.values = np.zeros((1024, len(self.names)), dtype=np.uint64)
        self.is_space = np.zeros(1024, dtype=bool)
        self.is_mark = np.zeros(1024, dtype=bool)
        # Whether a word has a lower-case letter, and whether it begins with one; False unless all are letters, because
        # clitics such as "n't" do not follow the case of the text.
        self.has_lower = np.zeros(1024, dtype=bool)
        self.begins_lower = np.zeros(1024, dtype=bool)
        # The row of the lower-cased word.
        self.lowered = np.zeros(1024, dtype=np.intp)

    def __reduce__(self) -> tuple[Any, ...]:
        return (WordColumns, (self.names, self.word_classes, self.as_written, self.custom))

    def columns_of(self, doc: Doc, constraints: np.ndarray | None = None) -> tuple[Columns, np.ndarray]:
        """The columns of a document.

        doc (Doc): The document.
        constraints (np.ndarray | None): Constraints (int8, one per token of the document), see `Columns`.
        RETURNS (tuple[Columns, np.ndarray]): The columns, and the tokens of their rows.
        """
        values, tokens = self.values_of(doc)
        return Columns(self.names, values, None if constraints is None else constraints[tokens]), tokens

    def values_of(self, doc: Doc, more_follows: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The values of the columns (uint64, rows x columns), and the tokens of the rows.

        more_follows (bool): Whether the document goes on. If so, tokens at the end are left out whose values depend on
            what follows.
        """
        attributes = [ORTH, *(attribute for _, attribute in self.by_token), SPACY]
        # Not float64, as its stub says.
        by_token: Any = doc.to_array(attributes).reshape(len(doc), len(attributes))
        words = by_token[:, 0]
        with self.lock:
            if len(self.index) > MAX_WORDS:
                self._forget()
            rows, new = self.index.find(words)
            if new:
                self._add(new, doc.vocab)
                rows, _ = self.index.find(words)
            is_space = self.is_space.take(rows)
            tokens = np.flatnonzero(~is_space)
            rows, style, n_open = self._read_stretches(rows[tokens])
            values = self.values.take(rows, axis=0)
        for column, (i, _) in enumerate(self.by_token, start=1):
            values[:, i] = by_token[tokens, column]
        for i, name in self.brought:
            values[:, i] = self.custom.read(doc, name)[tokens]
        if self.style is not None:
            values[:, self.style] = style
        if self.glued is not None:
            is_glued = np.append(False, (by_token[:-1, -1] == 0) & ~is_space[:-1])
            values[:, self.glued] = is_glued[tokens]
        end = len(tokens) - n_open if more_follows else len(tokens)
        return values[:end], tokens[:end]

    def _read_stretches(self, rows: np.ndarray) -> tuple[np.ndarray, Any, int]:
        """Where capitals say nothing, the rows of lower-cased words instead; the style; and how many tokens at the end
        depend on what follows.

        A model for edited text and transcripts must distinguish the two: if no token is a mark, the absence of marks is
        not informative.
        """
        style, n_open = None, 0
        if self.style is not None:
            is_unpunctuated, n_open = find_stretches(self.is_mark.take(rows), UNPUNCTUATED_STRETCH)
            style = np.where(is_unpunctuated, UNPUNCTUATED, PUNCTUATED)
        if self.reads_case:
            in_capitals, n_capitals = find_stretches(self.has_lower.take(rows), CAPITALS_STRETCH)
            in_title_case, n_title = find_stretches(self.begins_lower.take(rows), TITLE_STRETCH, whole=False)
            rows = np.where(in_capitals | in_title_case, self.lowered.take(rows), rows)
            n_open = max(n_open, n_capitals, n_title)
        return rows, style, n_open

    def _add(self, words: list[int], vocab: Vocab) -> None:
        # Lower-cased words are words, too; without a language, a vocabulary has none.
        lowered = np.array([vocab[word].lower or word for word in words], dtype=np.uint64)
        rows_of_lowered, others = self.index.find(lowered)
        first = len(self.index)
        rows = {word: row for row, word in enumerate(dict.fromkeys([*words, *others]), start=first)}
        words = list(rows)
        lexemes = [vocab[word] for word in words]
        end = first + len(words)
        if end > len(self.values):
            self._grow(2 * end)
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
        texts = [lexeme.text for lexeme in lexemes]
        # Not `is_space`, which is always False if the vocabulary has no language.
        self.is_space[first:end] = [text.isspace() for text in texts]
        self.is_mark[first:end] = [MARKS.issuperset(text) for text in texts]
        self.has_lower[first:end] = [text.isalpha() and not text.isupper() for text in texts]
        self.begins_lower[first:end] = [text.isalpha() and text[0].islower() for text in texts]
        n_given = len(lowered)
        self.lowered[first : first + n_given] = [
            rows.get(word, row) for word, row in zip(lowered.tolist(), rows_of_lowered.tolist(), strict=True)
        ]
        self.lowered[first + n_given : end] = range(first + n_given, end)
        # Last: if anything above fails or is interrupted, the words stay unknown.
        self.index.add(np.array(words, dtype=np.uint64))

    def _grow(self, size: int) -> None:
        more = size - len(self.values)
        self.values = np.concatenate([self.values, np.zeros((more, len(self.names)), np.uint64)])
        for name in ("is_space", "is_mark", "has_lower", "begins_lower", "lowered"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros(more, dtype=array.dtype)]))
