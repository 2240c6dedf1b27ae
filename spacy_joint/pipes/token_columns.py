"""Makes columns of the engine from a `Doc`: the token attributes that templates can read, without whitespace, which
components attach afterwards."""

from collections.abc import Sequence
from typing import Any
from unicodedata import normalize

import numpy as np
from spacy.attrs import MORPH, ORTH, POS, SENT_START, SPACY, TAG
from spacy.lang.lex_attrs import word_shape
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..engine.columns import affix_columns
from ..trees.constituency_trees import Constituent
from .arrays import find_runs
from .custom_columns import CustomColumns
from .joined_docs import JoinedDocs, JoinedWords
from .marks import IN_QUOTES, UNMARKED, WORD, attach_quotes, find_ending, has_capital, read_before
from .spelling import DEFAULT_SPELLING, Spelling
from .word_classes import MAX_CLASSES, WordClasses
from .word_table import WordTable

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
# The minimum number of tokens in stretches without a mark, without a capital, without a lower-case word, and without a
# word that begins with a lower-case letter. Shorter stretches occur in any text: a long sentence, names, the lines of
# an address.
MIN_UNPUNCTUATED, MIN_LOWER_CASE, MIN_CAPITALS, MIN_TITLE_CASE = 80, 80, 6, 32
# The maximum number of tokens before a token on which its values depend.
CONTEXT = max(MIN_UNPUNCTUATED, MIN_LOWER_CASE, MIN_CAPITALS, MIN_TITLE_CASE)
# The columns that depend on the case of a word.
CASED = ("form", "shape")
# Properties of each word besides its columns: whether it is whitespace, with how many line breaks (at most 2), whether
# it is a mark, how it can end a sentence (`find_ending`), whether it has a capital, and whether it has, and begins
# with, a lower-case letter. The last two are 0 if a character is not a letter: clitics such as "n't" do not follow the
# case of the text.
WORD_PROPERTIES = ("is_space", "n_breaks", "is_mark", "ending", "has_capital", "has_lower", "begins_lower")
IS_SPACE, N_BREAKS, IS_MARK, ENDING, HAS_CAPITAL, HAS_LOWER, BEGINS_LOWER = range(len(WORD_PROPERTIES))
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


# Not `Token.is_space`, which is always False if the vocabulary has no language.
_are_space = WordTable(lambda words: [[word.isspace()] for word in words], 1, np.bool_)


def find_whitespace(doc: Doc) -> np.ndarray:
    """Finds the tokens that are whitespace (bool, one per token)."""
    return _are_space.look_up(doc.to_array([ORTH]), doc.vocab.strings)[:, 0]


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
    indices = np.searchsorted(words, np.flatnonzero(starts))
    moved = np.zeros(len(doc), dtype=bool)
    moved[words[indices[indices < len(words)]]] = True
    return moved


def find_styles(
    has_capital: np.ndarray, is_mark: np.ndarray, bounds: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, int]:
    """Finds the words in stretches without marks (bool); those in other stretches without capitals (bool), where lower
    case is not informative; and the number of words at the end for which later ones can change this. `bounds`: see
    `find_runs`."""
    is_unmarked, n_unmarked = find_runs(is_mark, MIN_UNPUNCTUATED, bounds=bounds)
    in_lower_case, n_lower_case = find_runs(has_capital, MIN_LOWER_CASE, False, bounds)
    end = len(is_mark) if bounds is None else bounds[-1, 1]
    n_open = n_unmarked if is_unmarked[:end][-1:].any() else max(n_unmarked, n_lower_case)
    return is_unmarked, in_lower_case & ~is_unmarked, n_open


def read_starts(doc: Doc) -> np.ndarray:
    """Reads the preset sentence starts (int8, one per token): 1 is a start, -1 is not, 0 is open. A start on whitespace
    moves to the next token."""
    starts = doc.to_array([SENT_START]).astype(np.int8).reshape(len(doc))
    is_start = starts == 1
    # The first word of a document always starts a sentence.
    if is_start[1:].any() and _are_space.look_up(doc.to_array([ORTH])[is_start], doc.vocab.strings).any():
        starts[move_off_whitespace(is_start, doc)] = 1
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


def read_aligned(example: Example, attribute: str) -> list[str | None]:
    """Reads an attribute of the reference for the predicted tokens, like `Example.get_aligned`, which is ten times
    slower if both sides have the same tokens."""
    if not has_same_tokens(example):
        return example.get_aligned(attribute, as_string=True)
    strings = example.reference.vocab.strings
    ids = example.reference.to_array([attribute]).reshape(-1).tolist()
    values = {key: strings[int(key)] for key in set(ids)}
    return [values[key] for key in ids]


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
        indices = counterparts[sentence.start : sentence.end]
        if len(indices):
            starts[indices[0]] = True
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
        spelling: Spelling = DEFAULT_SPELLING,
    ) -> None:
        self.names = tuple(names)
        self.word_classes = word_classes
        self.preserve_case = preserve_case
        self.custom = custom
        self.spelling = spelling
        self.custom_names = [(i, name) for i, name in enumerate(names) if name in custom.names]
        indices = {name: i for i, name in enumerate(names)}
        self.style, self.glued, self.before = map(indices.get, (STYLE, GLUED, BEFORE))
        self.by_token = [(i, BY_TOKEN[name]) for i, name in enumerate(names) if name in BY_TOKEN]
        self.cased = [] if preserve_case else [(i, name) for i, name in enumerate(names) if name in CASED]
        # Properties, the columns that depend on the word alone, and zeros for others; `cased` columns in lower case.
        self.known = (*WORD_PROPERTIES, *names, *(f"lower_{name}" for _, name in self.cased))
        self.table = WordTable(self._describe, len(self.known), np.uint64)

    def __reduce__(self) -> tuple[Any, ...]:
        return (WordColumns, (self.names, self.word_classes, self.preserve_case, self.custom, self.spelling))

    def make_values(self, doc: Doc, more_follows: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Returns the values of the columns (uint64, rows x columns), and the tokens of the rows: without whitespace,
        and if more of the document follows, without tokens at the end whose values depend on it."""
        ((values, tokens),), n_open = self._make_values([doc])
        end = len(tokens) - n_open if more_follows else len(tokens)
        return values[:end], tokens[:end]

    def list_values(self, docs: Sequence[Doc]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Returns the result of `make_values` for each of the documents, which have one vocabulary."""
        return self._make_values(docs)[0]

    def _make_values(self, docs: Sequence[Doc]) -> tuple[list[tuple[np.ndarray, np.ndarray]], int]:
        """Returns the values and tokens of documents, and the number of tokens at the end that depend on later ones."""
        joined = JoinedDocs(docs, [ORTH, *(attribute for _, attribute in self.by_token), SPACY], self.table)
        words = JoinedWords(joined, joined.properties[:, IS_SPACE] > 0, joined.properties[:, N_BREAKS])
        found = joined.properties.take(words.rows, axis=0)
        endings, begins_lower = found[:, ENDING].astype(np.uint8), found[:, BEGINS_LOWER] > 0
        values, style, in_lower_case, n_open = self._find_style(found, words.bounds)
        for column, (i, _) in enumerate(self.by_token, start=1):
            values[:, i] = joined.values[words.rows, column]
        if self.style is not None:
            values[:, self.style] = style
        is_glued = attach_quotes(endings, words.is_glued, words.n_breaks)
        if self.glued is not None:
            values[:, self.glued] = is_glued
        if self.before is not None:
            before = read_before(endings, is_glued, begins_lower & ~in_lower_case, words.n_breaks).astype(np.uint64)
            is_unmarked = (style == UNPUNCTUATED) & (before % IN_QUOTES == WORD)
            values[:, self.before] = np.where(is_unmarked, before + UNMARKED, before)
        parts = words.list_parts()
        for i, name in self.custom_names:
            for doc, (part, tokens) in zip(docs, parts, strict=True):
                values[part, i] = self.custom.read(doc, name)[tokens]
        return [(values[part], tokens) for part, tokens in parts], n_open

    def _find_style(self, found: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, Any, Any, int]:
        """Returns the values of the rows of words, those of lower-cased words where case is not informative; the style,
        since the absence of marks is not informative in transcripts; where lower case is not informative, either; and
        the number of tokens at the end of the last document that depend on later ones."""
        style, in_lower_case, n_open = None, None, 0
        _, values, lowered = np.hsplit(found, [len(WORD_PROPERTIES), len(WORD_PROPERTIES) + len(self.names)])
        if self.style is not None or self.before is not None:
            is_unpunctuated, in_lower_case, n_open = find_styles(found[:, HAS_CAPITAL], found[:, IS_MARK], bounds)
            style = np.where(is_unpunctuated, UNPUNCTUATED, PUNCTUATED)
        if self.cased:
            in_capitals, n_capitals = find_runs(found[:, HAS_LOWER], MIN_CAPITALS, bounds=bounds)
            in_title_case, n_title = find_runs(found[:, BEGINS_LOWER], MIN_TITLE_CASE, False, bounds)
            for (i, _), column in zip(self.cased, lowered.T, strict=True):
                values[:, i] = np.where(in_capitals | in_title_case, column, values[:, i])
            n_open = max(n_open, n_capitals, n_title)
        return values, style, in_lower_case, n_open

    def _describe(self, words: list[str]) -> np.ndarray:
        """Makes the rows of words: see `known`."""
        # All values come from the text, since the lexemes of a vocabulary without a language have no attributes.
        texts = list(map(self.spelling.spell, words))
        lowered = list(map(self.spelling.lower, texts))
        lower = np.array(list(map(get_string_id, lowered)), dtype=np.uint64)
        columns: dict[str, Any] = {
            "is_space": [text.isspace() for text in texts],
            "n_breaks": [min(text.count("\n"), 2) if text.isspace() else 0 for text in texts],
            "is_mark": [MARKS.issuperset(text) for text in texts],
            "ending": list(map(find_ending, texts)),
            "has_capital": list(map(has_capital, texts)),
            "has_lower": [text.isalpha() and not text.isupper() for text in texts],
            "begins_lower": [text.isalpha() and text[0].islower() for text in texts],
            "form": list(map(get_string_id, texts)),
            **dict.fromkeys(("word", "lower_form"), lower),
            **dict(zip(CLASSES, self.word_classes.look_up(lower).T, strict=True)),
            **self._make_affixes(lowered),
        }
        for name, spelt in ("shape", texts), ("lower_shape", lowered):
            if name in self.known:
                columns[name] = [get_string_id(word_shape(text)) for text in spelt]
        rows = np.zeros((len(words), len(self.known)), dtype=np.uint64)
        for i, name in enumerate(self.known):
            rows[:, i] = columns.get(name, 0)
        return rows

    def _make_affixes(self, words: list[str]) -> dict[str, np.ndarray]:
        """Makes the columns of parts of lower-cased words that the templates read."""
        names = set(self.names)
        outlines = list(map(outline, words)) if names.intersection((*OUTLINES, *INNER)) else []
        columns: dict[str, np.ndarray] = {}
        for lengths, texts in ((AFFIXES, words), (OUTLINES, outlines)):
            read = [name for name in lengths if name in names]
            columns |= zip(read, affix_columns(texts, [lengths[name] for name in read]).T, strict=True) if read else ()
        for name in names.intersection(INNER):
            ends = [text[: len(text) - INNER[name]] for text in outlines]
            columns[name] = affix_columns(ends, [-3])[:, 0]
        return columns
