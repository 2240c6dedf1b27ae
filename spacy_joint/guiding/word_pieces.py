"""Vectors of the tokens of documents from an encoder that reads word pieces: a token has the vector of its first piece.
The encoder reads windows of pieces. Tokens without pieces, such as whitespace, have vectors of zeros."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import numpy as np
from spacy.tokens import Doc
from thinc.api import Dropout, Model, Shim
from thinc.types import Floats2d

from .windows import Backprop, Layer, Tok2Vec, with_windows

WITH_WORD_PIECES = "with_word_pieces"
# How many kinds of capitals `find_capitals` tells apart.
N_CAPITALS = 4
# The letters of a token that are read: a token of a million letters would have as many pieces.
MAX_LETTERS = 200


def with_word_pieces(
    name: str,
    shim: Shim,
    init: Callable[..., None],
    window: int,
    stride: int,
    batch_size: int,
    *,
    capitals: bool = False,
) -> Tok2Vec:
    """Makes a layer from documents to vectors of tokens, with the dropout rate of training. Windows are in pieces.

    The shim's method `encode` takes `input_ids`, `attention_mask` and, if it reads them, `capitals` (int64, windows x
    pieces), whether it is trained, and thinc's ops. It returns vectors (float32, windows x pieces x width) and a
    function that takes their gradient.
    RAISES ValueError: If the windows are invalid (J030).
    """
    # Reads ids of pieces, and possibly capitals (integers, pieces x 1 or 2). `before` and `after` are special pieces,
    # added to each window.
    encoder: Layer = Model(name, _encode, dims={"nO": None}, attrs={"before": [], "after": []}, shims=[shim])
    dropout = cast(Layer, Dropout(0.0))
    # Models without capitals, also of earlier versions, lack the attribute.
    attrs: dict[str, Any] = {"tokenizer": "", **({"capitals": True} if capitals else {})}
    return Model(
        WITH_WORD_PIECES,
        _forward,
        init=init,
        layers=[with_windows(encoder, None, window, stride, batch_size), dropout],
        dims={"nO": None},
        attrs=attrs,
        refs={"encoder": encoder},
    )


def set_word_pieces(model: Tok2Vec, tokenizer: str, width: int) -> None:
    """Initializes a layer with a tokenizer, as JSON of the library tokenizers, and the width of the vectors."""
    model.attrs["tokenizer"] = tokenizer
    special = read_tokenizer(tokenizer).encode("a")
    place = special.special_tokens_mask.index(0)
    encoder = model.get_ref("encoder")
    encoder.attrs["before"] = special.ids[:place]
    pieces = zip(special.ids, special.special_tokens_mask, strict=True)
    encoder.attrs["after"] = [number for number, is_special in pieces if is_special][place:]
    for layer in (encoder, model.layers[0], model):
        layer.set_dim("nO", width)


@lru_cache(maxsize=8)
def read_tokenizer(text: str) -> Any:
    """Reads a tokenizer from JSON, and removes its limits of length."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def split_document(model: Tok2Vec, doc: Doc) -> tuple[np.ndarray, np.ndarray]:
    """Returns the ids of the pieces of a document and, if they are read, capitals (pieces x 1 or 2); and the first
    piece of each token (-1 if it has none). Tokens are split one by one: parts of a document have the same pieces."""
    tokenizer = read_tokenizer(model.attrs["tokenizer"])
    words = [token.text[:MAX_LETTERS] for token in doc]
    encoded = tokenizer.encode(words, is_pretokenized=True, add_special_tokens=False)
    firsts = np.full(len(doc), -1, dtype=np.intp)
    tokens, pieces = np.unique(np.array(encoded.word_ids, dtype=np.intp), return_index=True)
    firsts[tokens] = pieces
    rows = np.array(encoded.ids, dtype=np.int64).reshape(-1, 1)
    if "capitals" in model.attrs:
        capitals = np.zeros_like(rows)
        capitals[pieces, 0] = [find_capitals(words[token]) for token in tokens.tolist()]
        rows = np.hstack([rows, capitals])
    return rows, firsts


def find_capitals(word: str) -> int:
    """Classifies the capitals of a word: none (0), the first letter (1), all (2), or others (3)."""
    are_capital = [letter.isupper() for letter in word if letter.isalpha()]
    if not any(are_capital):
        return 0
    if are_capital[0] and not any(are_capital[1:]):
        return 1
    return 2 if all(are_capital) else 3


def _forward(model: Tok2Vec, docs: list[Doc], is_train: bool) -> tuple[list[Floats2d], Callable[..., list[Doc]]]:
    windows, dropout = model.layers
    ops: Any = model.ops
    split = [split_document(model, doc) for doc in docs]
    rows, backprop_windows = windows([pieces for pieces, _ in split], is_train)
    width = model.get_dim("nO")
    found = [np.flatnonzero(firsts >= 0) for _, firsts in split]
    vectors = []
    for (_, firsts), tokens, piece_vectors in zip(split, found, rows, strict=True):
        vectors.append(ops.alloc2f(len(firsts), width))
        vectors[-1][tokens] = piece_vectors[firsts[tokens]]
    Y, backprop_dropout = dropout(vectors, is_train)

    def backprop(dY: list[Floats2d]) -> list[Doc]:
        gradients = []
        for (pieces, firsts), tokens, d_tokens in zip(split, found, backprop_dropout(dY), strict=True):
            gradients.append(ops.alloc2f(len(pieces), width))
            gradients[-1][firsts[tokens]] = d_tokens[tokens]
        backprop_windows(gradients)
        return []

    return Y, backprop


def _encode(model: Layer, X: list[Floats2d], is_train: bool) -> tuple[list[Floats2d], Backprop]:
    ops: Any = model.ops
    before, after = model.attrs["before"], model.attrs["after"]
    places = [slice(len(before), len(before) + len(window)) for window in X]
    shape = (len(X), max(place.stop for place in places) + len(after))
    names = ("input_ids", "attention_mask", "capitals")[: 1 + X[0].shape[1]]
    inputs = {name: np.zeros(shape, dtype=np.int64) for name in names}
    for row, (place, window) in enumerate(zip(places, X, strict=True)):
        end = place.stop + len(after)
        inputs["input_ids"][row, :end] = [*before, *window[:, 0].tolist(), *after]
        inputs["attention_mask"][row, :end] = 1
        if "capitals" in inputs:
            inputs["capitals"][row, place] = window[:, 1]
    shim: Any = model.shims[0]
    vectors, backprop_shim = shim.encode(inputs, is_train, ops)

    def backprop(dY: list[Floats2d]) -> list[Floats2d]:
        gradient = ops.xp.zeros_like(vectors)
        for row, place, d_window in zip(gradient, places, dY, strict=True):
            row[place] = d_window
        backprop_shim(gradient)
        return [ops.alloc2f(*pieces.shape) for pieces in X]

    return [row[place] for row, place in zip(vectors, places, strict=True)], backprop
