"""A table of distributional word classes: the columns class1, class2, ... training/word_classes.py learns them."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from spacy.strings import get_string_id
from typing_extensions import Self

from ..engine import model_file
from ..errors import check_value, report_damage

MAX_CLASSES = 4


class WordClasses:
    """An immutable table of classes (uint16, words x granularities; 0: none) by the hashes of words, ascending."""

    def __init__(self, words: np.ndarray, classes: np.ndarray) -> None:
        self.words = words
        self.classes = classes

    @classmethod
    def from_dict(cls, classes: Mapping[str, Sequence[int]]) -> Self:
        """Makes the table from words and their classes, which are numbered from 0.

        RAISES ValueError: If there are more granularities than columns, or their number differs between words (J030).
        """
        sizes = {len(numbers) for numbers in classes.values()} or {0}
        allowed = f"the same number for each word, at most {MAX_CLASSES}"
        check_value("The number of classes", sorted(sizes), len(sizes) == 1 and max(sizes) <= MAX_CLASSES, allowed)
        pairs = sorted((get_string_id(word), numbers) for word, numbers in classes.items())
        words = np.array([word for word, _ in pairs], dtype=np.uint64)
        numbers = np.array([numbers for _, numbers in pairs], dtype=np.uint16).reshape(len(pairs), sizes.pop())
        return cls(words, numbers + 1)

    @classmethod
    def from_bytes(cls, content: Any, source: str = "the bytes") -> Self:
        """Loads the bytes of `to_bytes`, without a copy; `source` is their name in errors.
        RAISES ValueError: If they are damaged (J050 to J052)."""
        _, arrays = model_file.unpack(content, source)
        with report_damage(source):
            words = arrays["words"]
            classes = arrays["classes"].reshape(len(words), -1 if len(words) else 0)
            if words.dtype != np.uint64 or classes.dtype != np.uint16 or classes.shape[1] > MAX_CLASSES:
                raise TypeError
        return cls(words, classes)

    def to_bytes(self) -> bytes:
        """Returns the table as a model file."""
        return model_file.pack({}, {"words": self.words, "classes": self.classes.reshape(-1)})

    @cached_property
    def digest(self) -> str | None:
        """A name for the content; None if there are no words."""
        return hashlib.sha256(self.to_bytes()).hexdigest()[:16] if len(self.words) else None

    def look_up(self, words: np.ndarray) -> np.ndarray:
        """Looks up the classes of words, given their hashes (uint64, words x MAX_CLASSES; 0: unknown)."""
        found = np.zeros((len(words), MAX_CLASSES), dtype=np.uint64)
        if len(self.words):
            indices = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
            known = self.words[indices] == words
            found[known, : self.classes.shape[1]] = self.classes[indices[known]]
        return found


NO_CLASSES = WordClasses.from_dict({})
