"""`sequence_lemmatizer`: lemmas of tagged tokens, as a spaCy component. A label is an edit script. The templates only
read the token itself, so tokens with the same word and columns have the same lemma, which is cached."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from spacy.attrs import LEMMA, MORPH, ORTH, POS, TAG
from spacy.tokens import Doc
from spacy.training import Example

from ..engine.columns import Columns
from ..errors import Errors, JointValueError
from ..pipes.token_columns import BEFORE, COLUMNS, GLUED, STYLE, WordColumns, read_aligned
from .edit_scripts import apply_script, make_script
from .sequence_labeller import SequenceLabeller, TokenLabels

# An atom of a template that reads another token.
OTHER_TOKEN = re.compile(r"^[^#\n]*\bw[+-]\d+\.\w+", re.MULTILINE)
# The attributes that lemmas depend on.
KEYS = [ORTH, TAG, POS, MORPH]
# Odd numbers, so that a product loses no bit of its other factor (Steele and Vigna 2021).
MULTIPLIERS = np.array(
    [0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xAF251AF3B0F025B5, 0xF1357AEA2E62A9C5], dtype=np.uint64
)
# Other scripts of a single word rarer than this are not learnt: they come from typos, addresses and names.
PLAIN, RARE = re.compile(r"(Aa|AA|);(=[^\W\d_]+|\d+>[^\W\d_]{0,3}\|\d+>[^\W\d_]{0,3})|=?;(\d+>\|\d+>|-.)"), 5
# The cache of lemmas is cleared above this size, so that memory is bounded.
MAX_REMEMBERED = 1 << 17


class SequenceLemmatizer(SequenceLabeller):
    """Gives tokens lemmas."""

    label_kind = "lemmas"
    default_templates = Path(__file__).parent / "lemma_templates.txt"
    # All columns that do not depend on surrounding tokens.
    columns = tuple(name for name in COLUMNS if name not in (BEFORE, GLUED, STYLE))

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns that templates can read."""
        return self.columns

    def forget_predictions(self) -> None:
        """Drops the lemmas of words seen so far."""
        # By a digest of KEYS.
        self._lemmas: dict[int, str] = {}

    def _set_up(self, labels: Any, templates: str) -> None:
        if other := OTHER_TOKEN.search(templates):
            raise JointValueError(Errors.J360, line=other[0])
        super()._set_up(labels, templates)

    def read_labels(self, example: Example) -> list[str | None]:
        """Makes the scripts of the lemmas of the reference; None for tokens without a lemma."""
        lemmas = read_aligned(example, "LEMMA")
        spell = self.spelling.spell
        return [
            make_script(spell(token.text), lemma) if lemma and not token.text.isspace() else None
            for token, lemma in zip(example.predicted, lemmas, strict=True)
        ]

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """Collects the scripts that are plain, or make lemmas of several words or of one that is not rare, sorted."""
        words: dict[str, Counter[str]] = defaultdict(Counter)
        for example in examples:
            for token, script in zip(example.predicted, self.read_labels(example), strict=True):
                if script is not None:
                    words[script][token.lower_] += 1
        return sorted(
            script
            for script, found in words.items()
            if PLAIN.fullmatch(script) or len(found) > 1 or found.total() >= RARE
        )

    def make_word_columns(self) -> WordColumns:
        """Makes the object that builds the columns, which do not depend on the context of a word."""
        names = self.perceptron.templates.columns
        return WordColumns(names, self.word_classes, preserve_case=True, spelling=self.spelling)

    def predict_all(self, docs: Sequence[Doc]) -> list[TokenLabels]:
        """Predicts the lemmas of documents; that of whitespace is the whitespace, as in spaCy."""
        return list(map(self._find_lemmas, docs))

    def _find_lemmas(self, doc: Doc) -> TokenLabels:
        if len(self._lemmas) > MAX_REMEMBERED:
            self.forget_predictions()
        remembered = self._lemmas
        digests = (doc.to_array(KEYS).reshape(len(doc), len(KEYS)) * MULTIPLIERS).sum(axis=1).tolist()
        if not remembered.keys() >= set(digests):
            new = {digest: token for token, digest in enumerate(digests) if digest not in remembered}
            values, tokens = self.get_values(doc)
            rows = np.flatnonzero(np.isin(tokens, list(new.values())))
            actions = self.perceptron.predict(Columns(self.perceptron.templates.columns, values[rows]))
            scripts = dict(zip(tokens[rows].tolist(), self.build(tokens[rows], actions).labels, strict=True))
            spell = self.spelling.spell
            for digest, token in new.items():
                word = spell(doc[token].text)
                remembered[digest] = apply_script(scripts[token], word) if token in scripts else word
        return TokenLabels(np.arange(len(doc)), [remembered[digest] for digest in digests])

    def annotate(self, doc: Doc, prediction: TokenLabels) -> None:
        """Writes `token.lemma`."""
        ids = self.get_label_ids(doc, prediction.labels)
        lemmas = np.array([ids[lemma] for lemma in prediction.labels], dtype=np.uint64)
        doc.from_array([LEMMA], lemmas)  # type: ignore[arg-type]  # wrong in its stub
