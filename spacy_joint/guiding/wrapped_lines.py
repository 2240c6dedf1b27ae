"""Line breaks of wrapped text. Encoders that read other line breaks, which often end sentences, skip these."""

import numpy as np
from spacy.tokens import Doc

from ..pipes.marks import MAY_WRAP, WRAPPED_LENGTHS, find_ending
from ..pipes.token_columns import find_whitespace

# After a line that continues in the next one in lower case, breaks after long lines without a final mark are those of
# wrapped text for this number of words.
REACH = 64


class WrappedLines:
    """Finds the line breaks of wrapped text in a document that arrives in parts; they depend on earlier words only."""

    def __init__(self) -> None:
        self.n_breaks = 0  # since the last word
        self.n_words = 0  # in the line
        self.n_since = REACH  # words since a line continued in lower case
        self.ending = 0

    def find(self, doc: Doc) -> np.ndarray:
        """Finds the tokens of the next part that are such breaks (bool)."""
        found = np.zeros(len(doc), dtype=bool)
        start = 0
        for index in [*np.flatnonzero(find_whitespace(doc)).tolist(), len(doc)]:
            if start < index:
                self._add_words(doc[start].text, index - start, doc[index - 1].text)
            start = index + 1
            if index < len(doc) and (n_breaks := doc[index].text.count("\n")):
                self.n_breaks += n_breaks
                found[index] = self.n_breaks == 1 and self.n_since < REACH and self._is_open
        return found

    @property
    def _is_open(self) -> bool:
        return self.n_words in WRAPPED_LENGTHS and bool(MAY_WRAP[self.ending])

    def _add_words(self, first: str, n: int, last: str) -> None:
        if self.n_breaks:
            if self.n_breaks == 1 and self._is_open and first[0].islower():
                self.n_since = 0
            self.n_breaks = self.n_words = 0
        self.n_words += n
        self.n_since += n
        self.ending = find_ending(last)
