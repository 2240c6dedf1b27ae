"""Vectors of the tokens of a document that arrives in parts. Long documents are cut into parts, too, so that encoders
hold few windows in memory."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, LEMMA, MORPH, NORM, ORTH, POS, SENT_START, SPACY, TAG
from spacy.tokens import Doc
from thinc.api import Model

from ..annotation.custom_columns import copy_columns
from ..pipes.token_columns import make_doc
from .windows import Tok2Vec, Window, WindowStream, with_windows
from .word_pieces import WITH_WORD_PIECES, split_document
from .wrapped_lines import WrappedLines

# The number of windows in a part of a long document.
WINDOWS = 32
# The attributes that encoders may read.
COPIED = (NORM, LEMMA, TAG, POS, MORPH, ENT_IOB, ENT_TYPE, SENT_START)


class Encoder(NamedTuple):
    """An encoder that sees no further than its windows, for one document."""

    # Makes the input for the next part: rows, any number for each token, and the first row of each token (intp; -1 if
    # it has none).
    read: Callable[[Doc], tuple[Any, np.ndarray]]
    # The layer over rows, by `with_windows`.
    windows: Model


def find_encoder(tok2vec: Model, window: int, stride: int) -> Encoder | None:
    """Finds the encoder of a layer from documents to vectors; None if it may see more than windows. The given windows
    are for encoders without any that see few neighbours of a token, such as `spacy.MaxoutWindowEncoder.v2`."""
    if tok2vec.name == WITH_WORD_PIECES:
        return Encoder(lambda doc: split_document(tok2vec, doc), tok2vec.layers[0])
    if not tok2vec.has_ref("embed") or not tok2vec.has_ref("encode"):
        return None
    embed, encode = tok2vec.get_ref("embed"), tok2vec.get_ref("encode")

    lines = WrappedLines()

    def read(doc: Doc) -> tuple[Any, np.ndarray]:
        is_read = ~lines.find(doc)
        return embed.predict([doc])[0][is_read], np.where(is_read, np.cumsum(is_read) - 1, -1)

    if {"size", "stride"} <= encode.attrs.keys():
        return Encoder(read, encode)
    # The padding of `with_array` is the number of rows that its layer sees to each side.
    if 2 * encode.attrs.get("pad", window) > window - stride:
        return None
    return Encoder(read, with_windows(encode, tok2vec.get_dim("nO"), window, stride, WINDOWS))


def encode_documents(
    tok2vec: Tok2Vec, docs: list[Doc], *, is_train: bool
) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """Encodes documents; returns the vectors of their tokens, and a function that takes their gradient. Encoders after
    embeddings do not read the line breaks of wrapped text; their vectors are zeros."""
    is_read = [~WrappedLines().find(doc) for doc in docs]
    if not tok2vec.has_ref("embed") or not tok2vec.has_ref("encode") or all(map(np.all, is_read)):
        return tok2vec(docs, is_train)

    def select(rows: list[Any]) -> list[Any]:
        return [of_tokens[are_read] for of_tokens, are_read in zip(rows, is_read, strict=True)]

    def spread(rows: list[Any]) -> list[Any]:
        found: list[Any] = [
            tok2vec.ops.alloc2f(len(are_read), of_read.shape[1])
            for are_read, of_read in zip(is_read, rows, strict=True)
        ]
        for of_tokens, are_read, of_read in zip(found, is_read, rows, strict=True):
            of_tokens[are_read] = of_read
        return found

    rows, backprop_embed = tok2vec.get_ref("embed")(docs, is_train)
    vectors, backprop = tok2vec.get_ref("encode")(select(rows), is_train)
    return spread(vectors), lambda gradient: backprop_embed(spread(backprop(select(gradient))))


class VectorStream:
    """Encodes a document that arrives in parts, with the same vectors as for the whole document."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.windows = WindowStream(encoder.windows.attrs["size"], encoder.windows.attrs["stride"])
        self.n_read = 0  # rows
        # The first rows of the tokens that have no vectors yet.
        self.firsts = np.zeros(0, dtype=np.intp)

    def feed(self, doc: Doc) -> Any:
        """Adds tokens; returns the vectors that become final (tokens x width)."""
        rows, firsts = self.encoder.read(doc)
        self.firsts = np.concatenate([self.firsts, np.where(firsts < 0, -1, firsts + self.n_read)])
        self.n_read += len(rows)
        begin = self.windows.first
        windows = self.windows.feed(rows)
        # The tokens before the first one whose row cannot be encoded yet.
        n = int(np.searchsorted(np.maximum.accumulate(self.firsts), self.windows.first))
        return self._encode(begin, windows, n)

    def end(self) -> Any:
        """Ends the document; returns the vectors of the last tokens."""
        return self._encode(self.windows.first, self.windows.end(), len(self.firsts))

    def _encode(self, begin: int, windows: list[tuple[Window, Any]], n: int) -> Any:
        """Encodes the next n tokens; `begin` is the first row that is taken from the windows."""
        layer = self.encoder.windows
        vectors: Any = layer.ops.alloc2f(n, layer.get_dim("nO"))
        tokens = np.flatnonzero(self.firsts[:n] >= 0)
        if len(tokens):
            encoded = layer.predict([rows for _, rows in windows])
            taken = [slice(window.first - window.start, window.last - window.start) for window, _ in windows]
            rows = layer.ops.xp.concatenate([output[part] for output, part in zip(encoded, taken, strict=True)])
            vectors[tokens] = rows[self.firsts[tokens] - begin]
        self.firsts = self.firsts[n:]
        return vectors


def cut_document(doc: Doc, size: int) -> Iterator[Doc]:
    """Yields a document, or copies of its parts if it has more than `size` tokens."""
    if len(doc) <= size:
        yield doc
        return
    rows = doc.to_array([ORTH, SPACY, *COPIED])
    for start in range(0, len(doc), size):
        part = make_doc(rows[start : start + size], COPIED, doc.vocab)
        copy_columns(doc, part, np.arange(start, start + len(part)))
        yield part


def is_listener(layer: Model) -> bool:
    """Returns whether a layer gets the vectors of whole documents from another component, such as a transformer of
    `spacy-curated-transformers`."""
    return hasattr(layer, "upstream_name") or "_upstream_name" in layer.attrs
