"""Makes columns of the engine from a `Doc`: the token attributes that templates can read, without whitespace, which
components attach afterwards."""

from collections.abc import Sequence
from typing import Any
from unicodedata import normalize

import numpy as np
from spacy.attrs import MORPH, ORTH, POS, SENT_START, SPACY, TAG
from spacy.lang.lex_attrs import word_shape
from spacy.strings import StringStore, get_string_id
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..engine.columns import affix_columns
from ..engine.threads import make_fork_lock
from ..trees.constituency_trees import Constituent
from .arrays import RowIndex, find_stretches, preceding
from .custom_columns import CustomColumns
from .marks import IN_QUOTES, UNMARKED, WORD, attach_quotes, count_breaks, find_ending, read_before
from .spelling import AS_WRITTEN, Spelling
from .word_classes import MAX_CLASSES, WordClasses

BY_TOKEN = {"tag": TAG, "pos": POS, "morph": MORPH}
# Affixes of the lower-cased word by length; lengths of suffixes are negative.
AFFIXES = {**{f"prefix{n}": n for n in range(1, 5)}, **{f"suffix{n}": -n for n in range(1, 8)}}
# Suffixes with all vowels alike, since the vowels of an ending may depend on the stem (*ev-lerden*, *kitap-lardan*);
# and three letters of these, 1 to 5 letters before the end.
OUTLINES = {f"outline{n}": -n for n in range(3, 10)}
INNER = {f"inner{n}": n for n in range(1, 6)}
CLASSES = tuple(f"class{n}" for n in range(1, MAX_CLASSES + 1))
# Whether the text around a token has punctuation: UNPUNCTUATED or PUNCTUATED.
STYLE = "style"
UNPUNCTUATED, PUNCTUATED = 1, 4
# 1 for tokens attached to the previous one without whitespace, which rarely start a sentence; 0 for other tokens, or if
# unknown.
GLUED = "glued"
# Signs of a boundary before a token: see marks.py.
BEFORE = "before"
NO_CUSTOM_COLUMNS = CustomColumns({})
COLUMNS = ("word", "form", "shape", *BY_TOKEN, *AFFIXES, *OUTLINES, *INNER, *CLASSES, STYLE, GLUED, BEFORE)
# The marks that divide text into clauses and sentences.
MARKS = frozenset(".,;:?!…،؛؟।॥、。，；：？！")  # noqa: RUF001
# The minimum number of tokens in stretches without a mark, without a lower-case word, and without a word that begins
# with a lower-case letter. Any text has shorter ones: a long sentence, names, the lines of an address.
UNPUNCTUATED_STRETCH, CAPITALS_STRETCH, TITLE_STRETCH = 80, 6, 32
# The cache of words is cleared at this size, so that memory is bounded (some 200 bytes per word).
MAX_WORDS = 1 << 17
# The maximum number of tokens before a token on which its values depend.
CONTEXT = max(UNPUNCTUATED_STRETCH, CAPITALS_STRETCH, TITLE_STRETCH)
# Guards the caches of words: several threads may predict concurrently.
_lock = make_fork_lock()
# Whether words are whitespace, by hash, which is the same in every vocabulary.
_is_space: dict[int, bool] = {}
# Vowels without diacritics, in scripts that write vowels.
VOWELS = frozenset("aeiouyıæœøαεηιουωаеиоуыэюяєіѣ")  # noqa: RUF001
ASCII_OUTLINE = str.maketrans("eiouy", "aaaaa")
# The tags of whitespace, as elsewhere in spaCy.
SPACE_TAGS = {"TAG": "_SP", "POS": "SPACE"}


def outline(word: str) -> str:
    """Replaces each vowel of a lower-cased word, with any diacritics, by "a"."""
    if word.isascii():
        return word.translate(ASCII_OUTLINE)
    return "".join("a" if normalize("NFD", letter)[:1] in VOWELS else letter for letter in word)


def find_whitespace(doc: Doc) -> np.ndarray:
    """Finds the tokens that are whitespace (bool, one per token)."""
    global _is_space
    is_space = _is_space
    words = doc.to_array([ORTH])
    distinct = set(words.tolist())
    # Not `Token.is_space`, which is always False if the vocabulary has no language.
    is_space.update((word, doc.vocab.strings[word].isspace()) for word in distinct.difference(is_space))
    spaces = [word for word in distinct if is_space[word]]
    if len(is_space) > MAX_WORDS:
        _is_space = {}
    return np.isin(words, spaces) if spaces else np.zeros(len(words), dtype=bool)


def make_doc(rows: np.ndarray, attributes: Sequence[int], vocab: Vocab) -> Doc:
    """Makes a document from rows of ORTH, SPACY and these attributes, one per token."""
    # Doc also accepts the hashes of words, which is three times as fast.
    words: Any = rows[:, 0].tolist()
    doc = Doc(vocab, words=words, spaces=rows[:, 1].astype(bool).tolist())
    if len(rows):
        doc.from_array(list(attributes), rows[:, 2:])  # type: ignore[arg-type]  # wrong in its stub
    return doc


def move_off_whitespace(starts: np.ndarray, doc: Doc) -> np.ndarray:
    """Moves sentence starts (bool, one per token) from whitespace to the next other token."""
    words = np.flatnonzero(~find_whitespace(doc))
    places = np.searchsorted(words, np.flatnonzero(starts))
    moved = np.zeros(len(doc), dtype=bool)
    moved[words[places[places < len(words)]]] = True
    return moved


def read_starts(doc: Doc) -> np.ndarray:
    """Reads the preset sentence starts (int8, one per token): 1 is a start, -1 is not, 0 is open. A start on whitespace
    moves to the next token."""
    starts = doc.to_array([SENT_START]).astype(np.int8).reshape(len(doc))
    starts[move_off_whitespace(starts == 1, doc)] = 1
    return starts


def find_line_starts(doc: Doc) -> np.ndarray:
    """Finds the tokens that are the first words of lines (bool, one per token)."""
    starts = np.zeros(len(doc), dtype=bool)
    breaks = [token for token in np.flatnonzero(find_whitespace(doc)).tolist() if "\n" in doc[token].text]
    starts[[token + 1 for token in breaks if token + 1 < len(doc)]] = True
    return move_off_whitespace(starts, doc)


def drop_wrong_starts(constraints: np.ndarray, starts: np.ndarray | None) -> np.ndarray:
    """Removes constraints of `read_starts` that contradict the starts of the reference (bool, one per token; None if
    unknown), since no correct analysis would satisfy them."""
    return constraints if starts is None else np.where((constraints > 0) == starts, constraints, np.int8(0))


def has_same_tokens(example: Example) -> bool:
    """Returns whether the predicted and the reference document have the same tokens."""
    return np.array_equal(example.predicted.to_array([ORTH]), example.reference.to_array([ORTH]))


def project_spans(example: Example, constituents: list[Constituent]) -> list[Constituent]:
    """Projects constituents onto the predicted tokens, without those that have an edge inside a token."""
    counterparts, back = example.alignment.y2x, example.alignment.x2y
    projected = []
    for label, start, end in constituents:
        firsts, lasts = counterparts[start], counterparts[end - 1]
        if len(firsts) and len(lasts):
            first, last = int(firsts[0]), int(lasts[-1])
            if int(back[first][0]) == start and int(back[last][-1]) == end - 1:
                projected.append((label, first, last + 1))
    return projected


def find_reference_starts(example: Example) -> np.ndarray | None:
    """Finds the predicted tokens that start a sentence of the reference (bool, one per token); None if it has no
    boundaries.

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
        places = counterparts[sentence.start : sentence.end]
        if len(places):
            starts[places[0]] = True
    return move_off_whitespace(starts, example.predicted)


class WordColumns:
    """Builds columns of COLUMNS and custom ones, with a cache of those that depend only on the word. Stretches in
    capitals or in title case, where case is not informative, are read as lower case, unless `preserve_case`."""

    def __init__(
        self,
        names: Sequence[str],
        word_classes: WordClasses,
        preserve_case: bool = False,
        custom: CustomColumns = NO_CUSTOM_COLUMNS,
        spelling: Spelling = AS_WRITTEN,
    ) -> None:
        self.names = tuple(names)
        self.word_classes = word_classes
        self.preserve_case = preserve_case
        self.custom = custom
        self.spelling = spelling
        self.custom_names = [(i, name) for i, name in enumerate(names) if name in custom.names]
        others = (*BY_TOKEN, STYLE, GLUED, BEFORE, *custom.names)
        self.by_word = [(i, name) for i, name in enumerate(names) if name not in others]
        places = {name: i for i, name in enumerate(names)}
        self.style, self.glued, self.before = map(places.get, (STYLE, GLUED, BEFORE))
        self.reads_case = not preserve_case and bool({"form", "shape"}.intersection(names))
        self.by_token = [(i, BY_TOKEN[name]) for i, name in enumerate(names) if name in BY_TOKEN]
        self._forget()

    def _forget(self) -> None:
        self.index = RowIndex()
        self.values = np.zeros((1024, len(self.names)), dtype=np.uint64)
        # The last two are False unless all characters are letters: clitics such as "n't" do not follow the case of the
        # text.
        self.is_space, self.is_mark, self.has_lower, self.begins_lower = np.zeros((4, 1024), dtype=bool)
        # The row of the lower-cased word.
        self.lowered = np.zeros(1024, dtype=np.intp)
        # The result of `find_ending`, and the line breaks of whitespace.
        self.ending, self.n_breaks = np.zeros((2, 1024), dtype=np.uint8)

    def __reduce__(self) -> tuple[Any, ...]:
        return (WordColumns, (self.names, self.word_classes, self.preserve_case, self.custom, self.spelling))

    def values_of(self, doc: Doc, more_follows: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Returns the values of the columns (uint64, rows x columns), and the tokens of the rows: without whitespace,
        and if more of the document follows, without tokens at the end whose values depend on it."""
        attributes = [ORTH, *(attribute for _, attribute in self.by_token), SPACY]
        # Not float64, as its stub says.
        by_token: Any = doc.to_array(attributes).reshape(len(doc), len(attributes))
        words = by_token[:, 0]
        with _lock:
            if len(self.index) > MAX_WORDS:
                self._forget()
            rows, new = self.index.find(words)
            if new:
                self._add(new, doc.vocab.strings)
                rows, _ = self.index.find(words)
            is_space = self.is_space.take(rows)
            tokens = np.flatnonzero(~is_space)
            n_breaks = self.n_breaks.take(rows)
            endings, begins_lower = self.ending.take(rows[tokens]), self.begins_lower.take(rows[tokens])
            rows, style, n_open = self._read_stretches(rows[tokens])
            values = self.values.take(rows, axis=0)
        for column, (i, _) in enumerate(self.by_token, start=1):
            values[:, i] = by_token[tokens, column]
        for i, name in self.custom_names:
            values[:, i] = self.custom.read(doc, name)[tokens]
        is_glued = preceding((by_token[:, -1] == 0) & ~is_space)[tokens]
        if self.style is not None:
            values[:, self.style] = style
        lines = count_breaks(n_breaks, tokens)
        is_glued = attach_quotes(endings, is_glued, lines)
        if self.glued is not None:
            values[:, self.glued] = is_glued
        if self.before is not None:
            before = read_before(endings, is_glued, begins_lower, lines).astype(np.uint64)
            is_unmarked = (style == UNPUNCTUATED) & (before % IN_QUOTES == WORD)
            values[:, self.before] = np.where(is_unmarked, before + UNMARKED, before)
        end = len(tokens) - n_open if more_follows else len(tokens)
        return values[:end], tokens[:end]

    def _read_stretches(self, rows: np.ndarray) -> tuple[np.ndarray, Any, int]:
        """Replaces rows by those of lower-cased words where case is not informative. Returns the rows; the style, since
        the absence of marks is not informative in transcripts; and the number of tokens at the end that depend on later
        ones."""
        style, n_open = None, 0
        if self.style is not None or self.before is not None:
            is_unpunctuated, n_open = find_stretches(self.is_mark.take(rows), UNPUNCTUATED_STRETCH)
            style = np.where(is_unpunctuated, UNPUNCTUATED, PUNCTUATED)
        if self.reads_case:
            in_capitals, n_capitals = find_stretches(self.has_lower.take(rows), CAPITALS_STRETCH)
            in_title_case, n_title = find_stretches(self.begins_lower.take(rows), TITLE_STRETCH, whole=False)
            rows = np.where(in_capitals | in_title_case, self.lowered.take(rows), rows)
            n_open = max(n_open, n_capitals, n_title)
        return rows, style, n_open

    def _add(self, words: list[int], strings: StringStore) -> None:
        # All values come from the text, since the lexemes of a vocabulary without a language have no attributes.
        texts = {word: self.spelling.spell(strings[word]) for word in words}
        # Lower-cased words also get rows.
        texts |= {get_string_id(lower): lower for lower in map(self.spelling.lower, [*texts.values()])}
        _, words = self.index.find(np.array([*texts], dtype=np.uint64))
        texts = {word: texts[word] for word in words}
        first, end = len(self.index), len(self.index) + len(words)
        if end > len(self.values):
            self._grow(2 * end)
        lower_texts = list(map(self.spelling.lower, texts.values()))
        lower = np.array([get_string_id(text) for text in lower_texts], dtype=np.uint64)
        columns: dict[str, Any] = {"word": lower, "form": list(map(get_string_id, texts.values()))}
        columns |= zip(CLASSES, self.word_classes.look_up(lower).T, strict=True)
        columns |= self._make_affixes(lower_texts)
        for i, name in self.by_word:
            if name == "shape":
                columns[name] = [get_string_id(word_shape(text)) for text in texts.values()]
            self.values[first:end, i] = columns[name]
        self.is_space[first:end] = [text.isspace() for text in texts.values()]
        self.is_mark[first:end] = [MARKS.issuperset(text) for text in texts.values()]
        self.ending[first:end] = [find_ending(text) for text in texts.values()]
        self.n_breaks[first:end] = [min(text.count("\n"), 2) if text.isspace() else 0 for text in texts.values()]
        self.has_lower[first:end] = [text.isalpha() and not text.isupper() for text in texts.values()]
        self.begins_lower[first:end] = [text.isalpha() and text[0].islower() for text in texts.values()]
        rows = {word: row for row, word in enumerate(words, start=first)}
        known, _ = self.index.find(lower)
        self.lowered[first:end] = [
            rows.get(word, row) for word, row in zip(lower.tolist(), known.tolist(), strict=True)
        ]
        # Last: if anything above fails or is interrupted, the words stay unknown.
        self.index.add(np.array(words, dtype=np.uint64))

    def _make_affixes(self, words: list[str]) -> dict[str, np.ndarray]:
        """Makes the columns of parts of lower-cased words that the templates read."""
        names = {name for _, name in self.by_word}
        outlines = list(map(outline, words)) if names.intersection((*OUTLINES, *INNER)) else []
        columns: dict[str, np.ndarray] = {}
        for lengths, texts in ((AFFIXES, words), (OUTLINES, outlines)):
            read = [name for name in lengths if name in names]
            columns |= zip(read, affix_columns(texts, [lengths[name] for name in read]).T, strict=True) if read else ()
        for name in names.intersection(INNER):
            ends = [text[: len(text) - INNER[name]] for text in outlines]
            columns[name] = affix_columns(ends, [-3])[:, 0]
        return columns

    def _grow(self, size: int) -> None:
        for name in ("values", "is_space", "is_mark", "has_lower", "begins_lower", "lowered", "ending", "n_breaks"):
            array = getattr(self, name)
            added = np.zeros((size - len(array), *array.shape[1:]), dtype=array.dtype)
            setattr(self, name, np.concatenate([array, added]))
