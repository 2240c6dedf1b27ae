"""The pieces of a streamed document, until the guide has seen what they depend on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
from spacy.tokens import Doc

from ..errors import Errors, JointValueError
from ..pipes.guide_facts import find_guide_facts
from ..pipes.token_columns import find_whitespace
from .guidance import NOTHING, Guidance, join


class HeldPieces:
    """Pieces without guidance, or whose tokens may be heads of tokens without guidance.

    window (int): The size of the windows within which heads are found.
    """

    def __init__(self, window: int) -> None:
        self.window = window
        # With the number of their tokens.
        self.pieces: deque[tuple[Doc, int]] = deque()
        # The number of the first token of the first piece, and of that from which on there is what follows: the heads
        # of held tokens may be before them.
        self.first = self.begin = 0
        self.are_space = np.zeros(0, dtype=bool)
        self.guidance = NOTHING

    @property
    def end(self) -> int:
        """The number of tokens that have come (int)."""
        return self.begin + len(self.are_space)

    def add(self, piece: Doc) -> None:
        """Holds a piece."""
        self.pieces.append((piece, len(piece)))
        self.are_space = np.append(self.are_space, find_whitespace(piece))

    def take(self, guidance: Guidance, n_settled: int) -> Iterator[tuple[Doc, Guidance, np.ndarray]]:
        """The pieces that need not be held any longer, what the guide thinks of them, and the facts of their words.

        guidance (Guidance): That of the next tokens.
        n_settled (int): The number of tokens that are not heads of tokens without guidance.
        RAISES ValueError: If a piece has another number of tokens than when it was added (J649).
        """
        self.guidance = join([self.guidance, guidance])
        if not self.pieces or self.first + self.pieces[0][1] > n_settled:
            return
        n_known = len(self.guidance.heads)
        offsets = np.full(len(self.are_space), np.nan)
        offsets[:n_known] = self.guidance.heads - np.arange(self.begin, self.begin + n_known)
        words = np.flatnonzero(~self.are_space)
        facts = find_guide_facts(offsets, words)
        while self.pieces and self.first + self.pieces[0][1] <= n_settled:
            piece, n_tokens = self.pieces.popleft()
            if len(piece) != n_tokens:
                raise JointValueError(Errors.J649, n_tokens=n_tokens, found=len(piece))
            start = self.first - self.begin
            of_piece = Guidance(*(values[start : start + n_tokens] for values in self.guidance))
            of_piece = of_piece._replace(heads=of_piece.heads - self.first)
            first, last = np.searchsorted(words, [start, start + n_tokens])
            self.first += n_tokens
            yield piece, of_piece, facts[first:last]
        n = max(self.first - self.window - self.begin, 0)
        self.begin += n
        self.are_space = self.are_space[n:]
        self.guidance = Guidance(*(values[n:] for values in self.guidance))
