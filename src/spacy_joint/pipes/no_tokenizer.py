"""A tokenizer for pipelines that are given tokens: those that are only a step on the way to another pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, JointValueError


class NoTokenizer:
    """Refuses every text. There is nothing to save."""

    def __call__(self, text: str) -> NoReturn:
        """RAISES ValueError: J527."""
        raise JointValueError(Errors.J527)

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
    return lambda nlp: NoTokenizer()
