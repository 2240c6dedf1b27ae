"""Extension attributes of several tokens at once. Asking each token by itself (`Token._`) takes longer than writing all
else that is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacy.tokens import Token

# Defaults of these types are copied for each token.
MUTABLE = (dict, list, set)


def read_values(tokens: Sequence[Token], name: str) -> list[Any]:
    """The values of an extension attribute of tokens of the same document.

    tokens (Sequence[Token]): The tokens.
    name (str): The name of the attribute, which is registered.
    RETURNS (list): The value of each token.
    """
    default, method, getter, _ = Token.get_extension(name)
    if getter is not None or method is not None or isinstance(default, MUTABLE):
        return [token._.get(name) for token in tokens]
    # As spaCy keeps them. Most documents have none.
    stored: Mapping[object, Any] = tokens[0].doc.user_data if tokens else {}  # type: ignore[assignment]  # its stub
    if not stored:
        return [default] * len(tokens)
    return [stored.get(("._.", name, token.idx, None), default) for token in tokens]
