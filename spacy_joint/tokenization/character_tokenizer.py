"""A tokenizer learnt from a treebank, for any language: it decides the position of each character in a word.

Spaces are a hint like any other character, so it also splits languages without spaces. `system` defines the search,
`character_columns` the features of characters.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..engine import model_file
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..engine.perceptron import Perceptron
from ..errors import Errors, JointValueError, check_range, report_damage
from ..files.atomic import write_bytes
from ..files.reading import read_text, require_file
from ..pipes.component_files import claim_parts, uses_parts
from ..pipes.examples import read_examples
from ..pipes.spelling import Spelling, find_known_characters
from .character_columns import COLUMNS, Hashes, Lexicon, Rows, decode, encode, make_values
from .system import JOIN, SKIP, SegmentationSystem
from .variation import list_added, vary

TEMPLATES = Path(__file__).with_name("character_templates.txt")
# Training text is cut into pieces of at most PIECE_WORDS words, in PARTS parts. Each part is learnt with a lexicon of
# the other parts, so that some words are unknown in training.
PIECE_WORDS = 500
PARTS = 10
# Longer texts are split in blocks of BLOCK characters, to bound memory: a character takes some 500 bytes. Words that
# start in the last MARGIN characters of a block belong to the next block.
BLOCK = 1 << 16
MARGIN = 1 << 10

Spans = np.ndarray
"""The starts and ends of the words of a text, in characters (int64, words x 2)."""


def create_character_tokenizer(
    table_bits: int = 20, beam_width: int = 4, min_changes: int = 2
) -> Callable[[Language], CharacterTokenizer]:
    """Makes the factory of tokenizers, registered as `spacy_joint.CharacterTokenizer.v1`.

    table_bits, beam_width, min_changes (int): See `engine.linear_model.LinearModel`.
    RAISES ValueError: If a setting is out of range (J030); table_bits and min_changes when learning begins.
    """

    def make_tokenizer(nlp: Language) -> CharacterTokenizer:
        return CharacterTokenizer(nlp.vocab, table_bits=table_bits, beam_width=beam_width, min_changes=min_changes)

    return make_tokenizer


class CharacterTokenizer:
    """Splits text into words like the treebank that it was trained on.

    vocab (Vocab): The vocabulary of the documents that it makes.
    settings (int): Those of `engine.linear_model.LinearModel`.

    The text of a document is the given text. Whitespace is treated as by spaCy's own tokenizer: a space after a token
    belongs to it, and any other whitespace is a token. Threads may use a tokenizer at the same time.
    """

    def __init__(self, vocab: Vocab, **settings: int) -> None:
        self.vocab, self.settings = vocab, settings
        self._forget()

    def _forget(self) -> None:
        self.perceptron = Perceptron(
            **self.settings, update_strategy="laso", rule="perceptron", aggressiveness=1.0, n_tables=1, threads=1
        )
        self.lexicon = Lexicon.from_counts({})
        # Whether there are words with spaces.
        self.joins_spaces = False
        self.spelling = Spelling(None, self.vocab.lang)

    @uses_parts
    def __call__(self, text: str) -> Doc:
        """Makes a document of a text. RAISES ValueError: If the tokenizer has been neither initialized nor loaded
        (J060)."""
        if not self.perceptron.is_set_up:
            raise JointValueError(Errors.J060, name="The tokenizer")
        spelt, positions = self.spelling.align(text)
        words = self._find_words(encode(spelt))
        return self._make_doc(text, words if positions is None else positions[words])

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Makes documents of a stream of texts; `batch_size` has no effect."""
        return map(self, texts)

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Scores tokens as spaCy's tokenizers do."""
        return Scorer.score_tokenization(examples)

    def _find_words(self, codes: np.ndarray) -> Spans:
        """Finds the words of a text, given its code points."""
        found = [np.zeros((0, 2), dtype=np.int64)]
        start = 0
        while start < len(codes):
            rows = Rows.make(codes[start : start + BLOCK], self.spelling.lower_case)
            columns, constraints = self._make_columns(rows, self.lexicon)
            begins, ends = self.perceptron.system.build(self.perceptron.predict(columns))
            positions = rows.positions[constraints != SKIP]
            spans = np.column_stack([positions[begins], positions[ends] + 1])
            step = BLOCK
            if start + BLOCK < len(codes) and len(spans):
                spans = spans[: max(int(np.searchsorted(spans[:, 0], BLOCK - MARGIN)), 1)]
                step = int(spans[-1, 1])
            found.append(spans + start)
            start += step
        return np.concatenate(found)

    def _make_columns(self, rows: Rows, lexicon: Lexicon) -> tuple[Columns, np.ndarray]:
        """Makes the columns of a text, and its constraints: see `SegmentationSystem`."""
        constraints = np.zeros(len(rows.codes), dtype=np.int8)
        constraints[rows.is_space] = SKIP
        if self.joins_spaces:
            constraints[rows.is_single] = JOIN
        names = self.perceptron.templates.columns
        values = make_values(rows, lexicon)[:, [COLUMNS.index(name) for name in names]]
        return Columns(names, values, constraints, rows.codes.astype(np.int32).reshape(-1, 1)), constraints

    def _make_doc(self, text: str, spans: Spans) -> Doc:
        words: list[str] = []
        spaces: list[bool] = []
        before = 0
        for start, end in [*spans.tolist(), (len(text), len(text))]:
            if before < start and words and text[before] == " ":
                spaces[-1] = True
                before += 1
            # The whitespace before a word, and the word; neither at the end of the text.
            found = [part for part in (text[before:start], text[start:end]) if part]
            words += found
            spaces += [False] * len(found)
            before = end
        return Doc(self.vocab, words=words, spaces=spaces)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        epochs: int = 10,
        dropout: float = 0.1,
        spaceless: float = 0.0,
        varied: float = 0.2,
        templates: str | None = None,
        pkuseg_model: Any = None,
        pkuseg_user_dict: Any = None,
    ) -> None:
        """Learns from the reference documents of examples. These are the settings of `[initialize.tokenizer]`.

        get_examples (Callable): Returns the examples. Only references are used, but reading the corpus must not need
            this tokenizer: use `spacy_joint.ConlluCorpus.v1` or `spacy_joint.DocBinCorpus.v1`.
        epochs (int): The number of passes over the text.
        dropout (float): The share of features dropped at random, 0 to 1.
        spaceless (float): The share of the text that is also learnt without its spaces, 0 to 1.
        varied (float): The share of the text that is also learnt with other dashes, symbols and spaces, 0 to 1.
        templates (str | None): The path of a text file of feature templates. None uses those of the package.
        nlp, pkuseg_model, pkuseg_user_dict (Any): Not used; spaCy adds the last two to every Chinese pipeline.
        RAISES FileNotFoundError: If the template file does not exist (J402).
        RAISES ValueError: If no example has words (J330), or a setting is out of range (J030).
        """
        examples = read_examples(get_examples, self)
        check_range("epochs", epochs, 1)
        check_range("spaceless", spaceless, 0, 1)
        check_range("varied", varied, 0, 1)
        template_text = read_text(TEMPLATES if templates is None else templates)
        # spaCy has seeded numpy with the seed of the config; all randomness in training depends on this number.
        seed = int(np.random.randint(2**24))
        util.logger.info("tokenizer: seed %d", seed)
        references = [example.reference for example in examples]
        added = list_added([token.text for reference in references for token in reference]) if varied else ""
        spelling = Spelling("".join(sorted({*find_known_characters(examples), *added})), self.vocab.lang)
        texts = [_Text.read(reference, spelling) for reference in references]
        n_words = sum(len(text.words) for text in texts)
        if not n_words:
            raise JointValueError(Errors.J330, source="The data", what="words")
        size = min(PIECE_WORDS, ceil(n_words / PARTS))
        pieces = [piece for text in texts for piece in text.divide(size)]
        self._forget()
        self.spelling = spelling
        self.joins_spaces = any(piece.has_joined() for piece in pieces)
        self.perceptron.set_up(SegmentationSystem(), template_text, COLUMNS)
        self.perceptron.seed = seed
        order = random.Random(seed)
        counts = [
            Counter(hash for piece in pieces[part::PARTS] for hash in piece.hash_words()) for part in range(PARTS)
        ]
        total = sum(counts, Counter[int]())
        instances = []
        for number, piece in enumerate(pieces):
            lexicon = Lexicon.from_counts(total - counts[number % PARTS])
            instances.append(self._make_instance(piece, lexicon))
            if order.random() < spaceless:
                instances.append(self._make_instance(piece.remove_spaces(), lexicon))
            if order.random() < varied:
                instances.append(self._make_instance(piece.vary(added, order), lexicon))
        for _ in range(epochs):
            order.shuffle(instances)
            for instance in instances:
                self.perceptron.update([instance], dropout)
        self.lexicon = Lexicon.from_counts(total)
        # Drops data that only training needs.
        self.perceptron.from_bytes(self.perceptron.to_bytes())

    def _make_instance(self, text: _Text, lexicon: Lexicon) -> Instance:
        rows, firsts, lasts = text.find_rows()
        columns, constraints = self._make_columns(rows, lexicon)
        begins, ends = (np.zeros(len(rows.codes), dtype=bool) for _ in range(2))
        begins[firsts] = ends[lasts] = True
        # Other whitespace inside a word divides it.
        dividing = np.flatnonzero((np.cumsum(begins) > np.cumsum(ends)) & (constraints == SKIP))
        ends[dividing - 1] = begins[dividing + 1] = True
        return Instance(columns, self.perceptron.system.actions(begins, ends, constraints))

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """Saves the tokenizer, without its vocabulary, to bytes. exclude has no effect."""
        if not self.perceptron.is_set_up:
            return model_file.pack({}, {})
        model = np.frombuffer(self.perceptron.to_bytes(), dtype=np.uint8)
        arrays = {"model": model, "words": self.lexicon.words, "frequencies": self.lexicon.frequencies}
        described = {
            "templates": self.perceptron.templates.text,
            "joins_spaces": self.joins_spaces,
            "characters": self.spelling.known,
        }
        return model_file.pack(described, arrays)

    def from_bytes(self, bytes_data: bytes, *, exclude: Sequence[str] = ()) -> CharacterTokenizer:
        """Loads the bytes of `to_bytes`. exclude has no effect. RAISES ValueError: If they are damaged, or made by a
        version with other features (J050-J052, J061)."""
        return self._take(*model_file.unpack(bytes_data), "the bytes")

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        """Saves the tokenizer to a file. exclude has no effect."""
        write_bytes(Path(path), self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> CharacterTokenizer:
        """Loads the tokenizer from a file, which must exist (J402): see `from_bytes`."""
        return self._take(*model_file.unpack(require_file(path).read_bytes(), str(path)), str(path))

    def _take(self, described: dict[str, Any], arrays: dict[str, np.ndarray], source: str) -> CharacterTokenizer:
        loaded = CharacterTokenizer(self.vocab, **self.settings)
        if described:
            with report_damage(source, "an array"):
                templates, loaded.joins_spaces = described["templates"], described["joins_spaces"]
                characters = described["characters"]
                found = [type(value) for value in (templates, characters, loaded.joins_spaces)]
                if found != [str, str, bool]:
                    raise TypeError
                loaded.spelling = Spelling(characters, self.vocab.lang)
                loaded.lexicon = Lexicon(arrays["words"], arrays["frequencies"])
                loaded.perceptron.set_up(SegmentationSystem(), templates, COLUMNS)
                loaded.perceptron.from_bytes(arrays["model"])
        # Only once all parts are valid.
        with claim_parts(self):
            vars(self).update(vars(loaded))
        return self


class _Text(NamedTuple):
    """A text to learn from: its code points (uint32), the spans of its words (at least one), and its spelling."""

    codes: np.ndarray
    words: Spans
    spelling: Spelling

    def find_rows(self) -> tuple[Rows, np.ndarray, np.ndarray]:
        """Finds the rows of the text, and the first and last row of each word."""
        rows = Rows.make(self.codes, self.spelling.lower_case)
        firsts, lasts = (np.searchsorted(rows.positions, places) for places in (self.words[:, 0], self.words[:, 1] - 1))
        return rows, firsts, lasts

    @classmethod
    def read(cls, doc: Doc, spelling: Spelling) -> _Text:
        """Reads the text of a document in a spelling, and its tokens that are not whitespace."""
        words = ((token.idx + len(token) - len(token.text.lstrip()), token.text.strip()) for token in doc)
        spans = [(start, start + len(word)) for start, word in words if word]
        text, positions = spelling.align(doc.text)
        found = np.array(spans, dtype=np.int64).reshape(-1, 2)
        return cls(encode(text), found if positions is None else np.searchsorted(positions, found), spelling)

    def hash_words(self) -> list[int]:
        rows, firsts, lasts = self.find_rows()
        return Hashes(rows.lower).get(firsts, lasts + 1).tolist()

    def divide(self, size: int) -> Iterator[_Text]:
        """Divides the text into pieces of at most `size` words."""
        for first in range(0, len(self.words), size):
            words = self.words[first : first + size]
            yield self._replace(codes=self.codes[words[0, 0] : words[-1, 1]], words=words - words[0, 0])

    def remove_spaces(self) -> _Text:
        rows = Rows.make(self.codes)
        kept = np.ones(len(self.codes), dtype=bool)
        kept[rows.positions[rows.is_space]] = False
        return self._replace(codes=self.codes[kept], words=np.append(0, np.cumsum(kept))[self.words])

    def vary(self, added: str, rng: random.Random) -> _Text:
        text, words = vary(decode(self.codes), self.words.tolist(), added, rng)
        return self._replace(codes=encode(text), words=np.array(words, dtype=np.int64))

    def has_joined(self) -> bool:
        """Returns whether there is a space inside a word."""
        rows, firsts, lasts = self.find_rows()
        spaces = np.append(0, np.cumsum(rows.is_single))
        return bool((spaces[lasts + 1] > spaces[firsts]).any())
