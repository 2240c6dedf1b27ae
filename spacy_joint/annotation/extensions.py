"""Registers extension attributes, and reads those of many tokens at once, which is faster than `Token._`."""

from collections.abc import Mapping, Sequence
from typing import Any

from spacy.tokens import Doc, Span, Token

# Defaults of these types are copied for each token.
MUTABLE = (dict, list, set)


def register(owner: type[Doc | Span | Token], name: str, **options: Any) -> None:
    """Registers an extension attribute, with the options of `set_extension`, unless the name is in use, for instance by
    another package. Functions must not be lambdas: they are pickled for other processes."""
    if not owner.has_extension(name):
        owner.set_extension(name, **options)


def read_values(tokens: Sequence[Token], name: str) -> list[Any]:
    """Reads the values of a registered extension attribute for tokens of the same document."""
    default, method, getter, _ = Token.get_extension(name)
    if getter is not None or method is not None or isinstance(default, MUTABLE):
        return [token._.get(name) for token in tokens]
    # The storage of spaCy, empty for most documents.
    stored: Mapping[object, Any] = tokens[0].doc.user_data if tokens else {}  # type: ignore[assignment]  # its stub
    if not stored:
        return [default] * len(tokens)
    return [stored.get(("._.", name, token.idx, None), default) for token in tokens]
