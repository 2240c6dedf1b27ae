"""Tables of properties of words, computed once per word. Words are found by their hashes, which are the same in every
vocabulary."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from spacy.strings import StringStore

from ..engine.threads import make_fork_lock
from .arrays import RowIndex

# A table is cleared at this number of words, so that memory is bounded (some 300 bytes per word).
MAX_WORDS = 1 << 17
# Guards all tables: several threads may predict concurrently.
_lock = make_fork_lock()


class WordTable:
    """A table with a row for each word. `describe` makes the rows of words, given their texts. The row of the hash 0,
    which is no word, has zeros."""

    def __init__(self, describe: Callable[[list[str]], ArrayLike], width: int, dtype: type = np.uint8) -> None:
        self.describe = describe
        self._rows: np.ndarray = np.zeros((1024, width), dtype=dtype)
        self._clear()

    def _clear(self) -> None:
        self._index = RowIndex()
        self._index.add(np.zeros(1, dtype=np.uint64))

    def look_up(self, words: np.ndarray, strings: StringStore) -> np.ndarray:
        """Looks up the rows of words, given their hashes (words x width)."""
        with _lock:
            if len(self._index) > MAX_WORDS:
                self._clear()
            rows, new = self._index.find(words)
            if new:
                first, end = len(self._index), len(self._index) + len(new)
                if end > len(self._rows):
                    self._rows = np.resize(self._rows, (2 * end, self._rows.shape[1]))
                self._rows[first:end] = self.describe([strings[word] for word in new])
                # Last, so the words stay unknown if anything above fails or is interrupted.
                self._index.add(np.array(new, dtype=np.uint64))
                rows, _ = self._index.find(words)
            return self._rows.take(rows, axis=0)
