"""A `Doc` as the engine's columns: which attributes of tokens there are for templates to name, and which tokens count.

Whitespace tokens are left out: systems never see them, and components decide afterwards where they belong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from spacy.attrs import LOWER, ORTH, POS, SHAPE, TAG
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.training import Example

from .engine.columns import Columns, affix_columns
from .errors import Errors

ATTRIBUTES = {"word": LOWER, "form": ORTH, "shape": SHAPE, "tag": TAG, "pos": POS}
# Affixes of the lower-cased word, by their lengths; suffixes are negative.
AFFIXES = {**{f"prefix{n}": n for n in range(1, 5)}, **{f"suffix{n}": -n for n in range(1, 6)}}
MOST_CLASSES = 4
CLASSES = tuple(f"class{n}" for n in range(1, MOST_CLASSES + 1))
COLUMNS = (*ATTRIBUTES, *AFFIXES, *CLASSES)


class WordClasses:
    """Classes of words by how they are used (see corpora/word_classes.py), at several granularities.

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
            raise ValueError(Errors.J074.format(sizes=sorted(sizes), most=MOST_CLASSES))
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
            self.words, self.classes = words, arrays["classes"].reshape(len(words), -1 if len(words) else 0)
        except (KeyError, ValueError) as error:
            raise ValueError(Errors.J050.format(source="the file of word classes")) from error

    def look_up(self, words: np.ndarray) -> np.ndarray:
        """The classes of words, by their hashes (uint64, words x MOST_CLASSES; 0: unknown)."""
        found = np.zeros((len(words), MOST_CLASSES), dtype=np.uint64)
        if len(self.words):
            places = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
            known = self.words[places] == words
            found[known, : self.classes.shape[1]] = self.classes[places[known]]
        return found


def find_whitespace(doc: Doc) -> np.ndarray:
    """Which tokens are whitespace (bool a token)."""
    # Not `is_space`: it is always False with a vocabulary that has no language.
    return np.array([token.text.isspace() for token in doc], dtype=bool)


def move_off_whitespace(starts: np.ndarray, doc: Doc) -> np.ndarray:
    """Sentence starts (bool a token), those on whitespace moved to the next token that is none."""
    moved = starts.copy()
    for token in np.flatnonzero(find_whitespace(doc)):
        if moved[token]:
            moved[token] = False
            moved[token + 1 : token + 2] = True
    return moved


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
        starts = np.array([bool(token.is_sent_start) for token in example.reference], dtype=bool)
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


def token_columns(
    doc: Doc, names: Sequence[str], word_classes: WordClasses, constraints: np.ndarray | None = None
) -> tuple[Columns, np.ndarray]:
    """The columns of a document.

    doc (Doc): The document.
    names (Sequence[str]): The columns wanted, of COLUMNS.
    word_classes (WordClasses): For the columns class1, class2, ...
    constraints (np.ndarray | None): int8 a token of the document, see `Columns`.
    RETURNS (tuple[Columns, np.ndarray]): The columns, and the tokens that are their rows.
    """
    kept = np.flatnonzero(~find_whitespace(doc))
    attributes = [LOWER, *(ATTRIBUTES[name] for name in names if name in ATTRIBUTES)]
    values = doc.to_array(attributes).reshape(len(doc), len(attributes))[kept]
    unique, first, inverse = np.unique(values[:, 0], return_index=True, return_inverse=True)
    affixes = [name for name in names if name in AFFIXES]
    words = [doc[int(token)].lower_ for token in kept[first]]
    by_word = np.concatenate(
        [affix_columns(words, [AFFIXES[name] for name in affixes]), word_classes.look_up(unique)], axis=1
    )[inverse]
    sources = {name: values[:, i + 1] for i, name in enumerate(name for name in names if name in ATTRIBUTES)}
    sources |= {name: by_word[:, i] for i, name in enumerate([*affixes, *CLASSES])}
    table = np.empty((len(kept), len(names)), dtype=np.uint64)
    for i, name in enumerate(names):
        table[:, i] = sources[name]
    return Columns(names, table, None if constraints is None else constraints[kept]), kept
