"""A tokenizer for pipelines that are given tokens: those that are only steps on the way to another pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab


class NoTokenizer:
    """Makes every text a single token, since `Language.evaluate` also tokenizes texts to measure speed.

    vocab (Vocab): The vocabulary.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """A document of one token."""
        return Doc(self.vocab, words=[text] if text else [], spaces=[False] if text else [])

    def to_bytes(self, **options: Any) -> bytes:
        """Nothing."""
        return b""

    def from_bytes(self, content: bytes, **options: Any) -> NoTokenizer:
        """Does nothing."""
        return self

    def to_disk(self, path: object, **options: Any) -> None:
        """Does nothing."""

    def from_disk(self, path: object, **options: Any) -> NoTokenizer:
        """Does nothing."""
        return self


def create_no_tokenizer() -> Callable[[Language], Callable[[str], Doc]]:
    """Makes the factory of tokenizers, registered as `spacy_joint.NoTokenizer.v1`."""
    return lambda nlp: NoTokenizer(nlp.vocab)
