"""The tokens of several documents in one sequence, so that array operations apply to all of them: a call takes a
microsecond, however short its arrays."""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from spacy.tokens import Doc

from .arrays import following, preceding
from .marks import count_breaks
from .word_table import WordTable

# Operations see up to this many words around a word.
GAP = 3


class JoinedDocs:
    """The tokens of documents with one vocabulary, as rows of arrays. GAP empty rows, which count as words, follow each
    document, so that no word of another document is near.

    docs (Sequence[Doc]): The documents, at least one.
    attributes (Sequence[int]): Attributes of tokens: ORTH first, SPACY last.
    table (WordTable): Properties of words.
    """

    def __init__(self, docs: Sequence[Doc], attributes: Sequence[int], table: WordTable) -> None:
        self.docs = docs
        starts = np.cumsum([0, *(len(doc) + GAP for doc in docs)])
        # The rows of each document, without the gaps.
        self.parts = [slice(start, start + len(doc)) for doc, start in zip(docs, starts.tolist(), strict=False)]
        self.values = np.zeros((starts[-1], len(attributes)), dtype=np.uint64)
        self.is_gap = np.ones(starts[-1], dtype=bool)
        for doc, part in zip(docs, self.parts, strict=True):
            self.values[part] = doc.to_array(list(attributes)).reshape(len(doc), len(attributes))
            self.is_gap[part] = False
        self.properties = table.look_up(self.values[:, 0], docs[0].vocab.strings)


class JoinedWords:
    """The words of joined documents, that is, rows other than whitespace, as items of arrays. Gaps are words, too.

    joined (JoinedDocs): The documents.
    is_space, n_breaks (np.ndarray): Whether each row is whitespace, and the number of its line breaks.
    """

    def __init__(self, joined: JoinedDocs, is_space: np.ndarray, n_breaks: np.ndarray) -> None:
        self.docs = joined.docs
        self.starts = [part.start for part in joined.parts]
        self.rows = np.flatnonzero(~is_space)
        self.is_gap = joined.is_gap[self.rows]
        # Line breaks before each word, and whether it follows the word before it without a space.
        self.n_breaks = count_breaks(n_breaks, self.rows)
        is_joined = (joined.values[:, -1] == 0) & ~(is_space | joined.is_gap | following(joined.is_gap))
        self.is_glued = preceding(is_joined)[self.rows]
        ends = np.flatnonzero(self.is_gap)[GAP - 1 :: GAP] + 1
        starts = preceding(ends)
        # The first word and the end of each document; the number of each word in its document, and of all words there.
        self.bounds = np.stack([starts, ends - GAP], axis=1)
        self.numbers, self.sizes = np.repeat([-starts, ends - GAP - starts], ends - starts, axis=1)
        self.numbers += np.arange(len(self.rows))

    def locate(self, word: int) -> tuple[Doc, int]:
        """Finds the document and the token of a word."""
        row = int(self.rows[word])
        number = bisect_right(self.starts, row) - 1
        return self.docs[number], row - self.starts[number]

    def list_parts(self) -> list[tuple[slice, np.ndarray]]:
        """Returns the words of each document, and their tokens."""
        parts = [slice(begin, end) for begin, end in self.bounds.tolist()]
        return [(part, self.rows[part] - start) for part, start in zip(parts, self.starts, strict=True)]
