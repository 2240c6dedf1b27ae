"""A tokenizer learnt from a treebank, for any language: it decides at each character where it is in a word.

Spaces are a hint like any other character, so it also splits languages without spaces. `system` has the search,
`character_columns` what is known of each character.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab

from ..engine import model_file
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..engine.perceptron import Perceptron
from ..errors import Errors, JointFileNotFoundError, JointValueError
from ..pipes.structured_pipe import report_damage
from .character_columns import COLUMNS, Lexicon, Rows, encode, hash_substrings, make_values
from .system import JOIN, SKIP, SegmentationSystem

TEMPLATES = Path(__file__).with_name("character_templates.txt")
# A text is learnt from in pieces of at most so many words, in so many parts. A part is learnt from with the lexicon of
# the others: otherwise, no word would be unknown in training.
PIECE_WORDS = 500
PARTS = 10
# Longer texts are split in blocks of so many characters, which bounds memory: a character takes some 500 bytes. Words
# that start in the last ones of a block are left to the next.
BLOCK = 1 << 16
MARGIN = 1 << 10

Spans = np.ndarray
"""The starts and ends of the words of a text, in characters (int64, words x 2)."""


def create_character_tokenizer(
    table_bits: int = 20, beam_width: int = 4, min_changes: int = 2
) -> Callable[[Language], CharacterTokenizer]:
    """Make the factory of tokenizers, registered as `spacy_joint.CharacterTokenizer.v1`.

    table_bits, beam_width, min_changes: See `engine.linear_model.LinearModel`.
    Raises ValueError (J020, J025, J030) if a setting is out of range; table_bits and min_changes when learning begins.
    """

    def make_tokenizer(nlp: Language) -> CharacterTokenizer:
        return CharacterTokenizer(nlp.vocab, table_bits=table_bits, beam_width=beam_width, min_changes=min_changes)

    return make_tokenizer


class CharacterTokenizer:
    """Splits text into words as the treebank does that it has learnt from.

    vocab: The vocabulary of the documents that it makes.
    settings: Those of `engine.linear_model.LinearModel`.

    The text of a document is the given text. Whitespace is treated as by spaCy's own tokenizer: a space after a token
    belongs to it, and any other whitespace is a token. Threads may use a tokenizer at the same time.
    """

    def __init__(self, vocab: Vocab, **settings: int) -> None:
        self.vocab = vocab
        self.settings = settings
        self._forget()

    def _forget(self) -> None:
        self.perceptron = Perceptron(
            **self.settings, strategy="laso", rule="perceptron", aggressiveness=1.0, n_tables=1, threads=1
        )
        self.lexicon = Lexicon.from_counts({})
        # Whether there are words with spaces.
        self.joins_spaces = False

    def __call__(self, text: str) -> Doc:
        """Make a document of a text.

        Raises ValueError (J500) if the tokenizer has been neither initialized nor loaded.
        """
        if not self.perceptron.is_set_up:
            raise JointValueError(Errors.J500)
        return self._make_doc(text, self._find_words(encode(text)))

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Make documents of a stream of texts. batch_size has no effect."""
        yield from map(self, texts)

    def _find_words(self, codes: np.ndarray) -> Spans:
        """The words of a text, given its code points."""
        found = [np.zeros((0, 2), dtype=np.int64)]
        start = 0
        while start < len(codes):
            spans = self._segment(codes[start : start + BLOCK])
            step = BLOCK
            if start + BLOCK < len(codes) and len(spans):
                spans = spans[: max(int(np.searchsorted(spans[:, 0], BLOCK - MARGIN)), 1)]
                step = int(spans[-1, 1])
            found.append(spans + start)
            start += step
        return np.concatenate(found)

    def _segment(self, codes: np.ndarray) -> Spans:
        rows = Rows.make(codes)
        constraints = self._constrain(rows)
        actions = self.perceptron.predict(self._make_columns(rows, self.lexicon, constraints))
        begins, ends = self.perceptron.system.build(actions)
        positions = rows.positions[constraints != SKIP]
        return np.column_stack([positions[begins], positions[ends] + 1])

    def _constrain(self, rows: Rows) -> np.ndarray:
        """The constraints of `SegmentationSystem`."""
        constraints = np.zeros(len(rows.codes), dtype=np.int8)
        constraints[rows.is_space] = SKIP
        if self.joins_spaces:
            constraints[rows.is_single] = JOIN
        return constraints

    def _make_columns(self, rows: Rows, lexicon: Lexicon, constraints: np.ndarray) -> Columns:
        names = self.perceptron.templates.columns
        values = make_values(rows, lexicon)[:, [COLUMNS.index(name) for name in names]]
        return Columns(names, values, constraints, rows.codes.astype(np.int32).reshape(-1, 1))

    def _make_doc(self, text: str, spans: Spans) -> Doc:
        words: list[str] = []
        spaces: list[bool] = []

        def add_whitespace(start: int, end: int) -> None:
            if start < end and words and text[start] == " ":
                spaces[-1] = True
                start += 1
            if start < end:
                words.append(text[start:end])
                spaces.append(False)

        before = 0
        for start, end in spans.tolist():
            add_whitespace(before, start)
            words.append(text[start:end])
            spaces.append(False)
            before = end
        add_whitespace(before, len(text))
        return Doc(self.vocab, words=words, spaces=spaces)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        epochs: int = 10,
        dropout: float = 0.1,
        spaceless: float = 0.0,
        templates: str | None = None,
        pkuseg_model: Any = None,
        pkuseg_user_dict: Any = None,
    ) -> None:
        """Learn from the reference documents of examples. These are the settings of `[initialize.tokenizer]`.

        get_examples: Returns the examples. Their predicted side is not used, but this tokenizer cannot make it either:
            `spacy_joint.ConlluCorpus.v1` and `spacy_joint.DocBinCorpus.v1` do not need a tokenizer.
        nlp: The pipeline; not used.
        epochs: The number of passes over the text.
        dropout: The share of features dropped at random, 0 to 1.
        spaceless: The share of the text that is also learnt from without its spaces, 0 to 1.
        templates: The path of a text file of feature templates. None uses those of the package.
        pkuseg_model, pkuseg_user_dict: Not used; spaCy adds these settings to every Chinese pipeline.
        Raises ValueError if no example has words (J501), a setting is out of range (J503, J504, J044), or there is no
        such file (J072).
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        if epochs < 1:
            raise JointValueError(Errors.J503, value=epochs)
        if not 0 <= spaceless <= 1:
            raise JointValueError(Errors.J504, value=spaceless)
        path = TEMPLATES if templates is None else Path(templates)
        if not path.is_file():
            raise JointValueError(Errors.J072, path=path)
        # spaCy has seeded numpy with the seed of the config; all randomness in training depends on this number.
        seed = int(np.random.randint(2**24))
        util.logger.info("tokenizer: seed %d", seed)
        texts = [_read_words(example.reference) for example in get_examples()]
        n_words = sum(len(text.words) for text in texts)
        if not n_words:
            raise JointValueError(Errors.J501)
        size = min(PIECE_WORDS, -(-n_words // PARTS))
        pieces = [piece for text in texts for piece in _divide(text, size)]
        self._forget()
        self.joins_spaces = any(_find_joined(piece).any() for piece in pieces)
        self.perceptron.set_up(SegmentationSystem(), path.read_text(encoding="utf8"), COLUMNS)
        self.perceptron.seed = seed
        order = random.Random(seed)
        counts = [Counter[int]() for _ in range(PARTS)]
        for number, piece in enumerate(pieces):
            counts[number % PARTS].update(_count_words(piece))
        total = sum(counts, Counter[int]())
        instances = []
        for number, piece in enumerate(pieces):
            lexicon = Lexicon.from_counts(total - counts[number % PARTS])
            instances.append(self._make_instance(piece, lexicon))
            if order.random() < spaceless:
                instances.append(self._make_instance(_remove_spaces(piece), lexicon))
        for _ in range(epochs):
            order.shuffle(instances)
            for instance in instances:
                self.perceptron.update([instance], dropout)
        self.lexicon = Lexicon.from_counts(total)
        # What only training needs is not kept.
        self.perceptron.from_bytes(self.perceptron.to_bytes())

    def _make_instance(self, text: _Text, lexicon: Lexicon) -> Instance:
        rows = Rows.make(text.codes)
        constraints = self._constrain(rows)
        firsts, lasts = _find_rows(rows, text.words)
        begins, ends = (np.zeros(len(rows.codes), dtype=bool) for _ in range(2))
        begins[firsts] = ends[lasts] = True
        # Other whitespace inside a word divides it.
        dividing = np.flatnonzero((np.cumsum(begins) > np.cumsum(ends)) & (constraints == SKIP))
        ends[dividing - 1] = begins[dividing + 1] = True
        columns = self._make_columns(rows, lexicon, constraints)
        return Instance(columns, self.perceptron.system.actions(begins, ends, constraints))

    # Serialisation: one file, which can be mapped into memory. The vocabulary is not part of it.

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """Save the tokenizer to bytes. exclude has no effect."""
        if not self.perceptron.is_set_up:
            return model_file.pack({}, {})
        arrays = {
            "model": np.frombuffer(self.perceptron.to_bytes(), dtype=np.uint8),
            "words": self.lexicon.words,
            "frequencies": self.lexicon.frequencies,
        }
        described = {"templates": self.perceptron.templates.text, "joins_spaces": self.joins_spaces}
        return model_file.pack(described, arrays)

    def from_bytes(self, bytes_data: bytes, *, exclude: Sequence[str] = ()) -> CharacterTokenizer:
        """Load the bytes of `to_bytes`. exclude has no effect.

        Raises ValueError (J050-J052, J061) if they are damaged, or made by a version with other features.
        """
        self._take(*model_file.unpack(bytes_data), "the bytes")
        return self

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        """Save the tokenizer to a file. exclude has no effect."""
        model_file.write(Path(path), self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> CharacterTokenizer:
        """Load the tokenizer from a file, which is mapped into memory. exclude has no effect.

        Raises FileNotFoundError (J502) if there is none, and ValueError as `from_bytes`.
        """
        path = Path(path)
        if not path.is_file():
            raise JointFileNotFoundError(Errors.J502, path=path)
        self._take(*model_file.read(path), str(path))
        return self

    def _take(self, described: dict[str, Any], arrays: dict[str, np.ndarray], source: str) -> None:
        loaded = CharacterTokenizer(self.vocab, **self.settings)
        if described:
            with report_damage(source, "an array"):
                templates, loaded.joins_spaces = described["templates"], described["joins_spaces"]
                if not isinstance(templates, str) or not isinstance(loaded.joins_spaces, bool):
                    raise TypeError
                loaded.lexicon = Lexicon(arrays["words"], arrays["frequencies"])
                loaded.perceptron.set_up(SegmentationSystem(), templates, COLUMNS)
                loaded.perceptron.from_bytes(arrays["model"])
        # Only once all of it is valid.
        self.perceptron, self.lexicon, self.joins_spaces = loaded.perceptron, loaded.lexicon, loaded.joins_spaces


class _Text(NamedTuple):
    """A text to learn from: its code points (uint32), and the spans of its words, of which there is at least one."""

    codes: np.ndarray
    words: Spans


def _read_words(doc: Doc) -> _Text:
    spans = []
    for token in doc:
        word = token.text.strip()
        if word:
            start = token.idx + len(token) - len(token.text.lstrip())
            spans.append((start, start + len(word)))
    return _Text(encode(doc.text), np.array(spans, dtype=np.int64).reshape(-1, 2))


def _divide(text: _Text, size: int) -> Iterator[_Text]:
    """Divide a text in pieces of at most so many words."""
    for first in range(0, len(text.words), size):
        words = text.words[first : first + size]
        yield _Text(text.codes[words[0, 0] : words[-1, 1]], words - words[0, 0])


def _remove_spaces(text: _Text) -> _Text:
    rows = Rows.make(text.codes)
    kept = np.ones(len(text.codes), dtype=bool)
    kept[rows.positions[rows.is_space]] = False
    return _Text(text.codes[kept], np.append(0, np.cumsum(kept))[text.words])


def _find_rows(rows: Rows, words: Spans) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last rows of words."""
    return np.searchsorted(rows.positions, words[:, 0]), np.searchsorted(rows.positions, words[:, 1] - 1)


def _find_joined(text: _Text) -> np.ndarray:
    """Which rows are a space inside a word (bool)."""
    rows = Rows.make(text.codes)
    firsts, lasts = _find_rows(rows, text.words)
    changes = np.zeros(len(rows.codes) + 1, dtype=np.int8)
    changes[firsts] += 1
    changes[lasts + 1] -= 1
    return rows.is_single & (np.cumsum(changes)[:-1] > 0)


def _count_words(text: _Text) -> Counter[int]:
    """Count the words of a text by hash."""
    rows = Rows.make(text.codes)
    firsts, lasts = _find_rows(rows, text.words)
    return Counter(hash_substrings(rows, firsts, lasts + 1).tolist())
