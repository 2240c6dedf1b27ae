"""Vectors of the tokens of a document that arrives in parts. Long documents are cut into parts, too, so that encoders
need memory for some windows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, LEMMA, MORPH, NORM, ORTH, POS, SENT_START, SPACY, TAG
from spacy.tokens import Doc
from thinc.api import Model

from ..annotation.custom_columns import copy_columns
from .windows import Window, WindowStream, with_windows
from .word_pieces import WITH_WORD_PIECES, split_document

# The number of windows in a part of a long document.
WINDOWS = 32
# The number of tokens that are given to an encoder together, or somewhat more.
BATCH_TOKENS = 8192
# What encoders may read of tokens.
COPIED = (NORM, LEMMA, TAG, POS, MORPH, ENT_IOB, ENT_TYPE, SENT_START)


class Encoder(NamedTuple):
    """An encoder that sees no more than windows.

    read (Callable): Makes what it reads of a document: rows of which any number may be a token, and the first row of
        each token (intp), -1 if it has none.
    windows (Model): The layer over rows, by `with_windows`.
    """

    read: Callable[[Doc], tuple[Any, np.ndarray]]
    windows: Model


def find_encoder(tok2vec: Model, window: int, stride: int) -> Encoder | None:
    """The parts of a layer from documents to vectors; None if it may see more than windows.

    window, stride (int): The windows for encoders that have none, but see a few neighbours of a token, such as
        `spacy.MaxoutWindowEncoder.v2`.
    """
    if tok2vec.name == WITH_WORD_PIECES:
        return Encoder(lambda doc: split_document(tok2vec, doc), tok2vec.layers[0])
    if not tok2vec.has_ref("embed") or not tok2vec.has_ref("encode"):
        return None
    embed, encode = tok2vec.get_ref("embed"), tok2vec.get_ref("encode")

    def read(doc: Doc) -> tuple[Any, np.ndarray]:
        return embed.predict([doc])[0], np.arange(len(doc))

    if {"size", "stride"} <= encode.attrs.keys():
        return Encoder(read, encode)
    # The padding of `with_array` is what its layer sees to each side.
    if 2 * encode.attrs.get("pad", window) > window - stride:
        return None
    return Encoder(read, with_windows(encode, tok2vec.get_dim("nO"), window, stride, WINDOWS))


class VectorStream:
    """The vectors of a document that arrives in parts: those that the encoder gives to the whole document.

    encoder (Encoder): The encoder.
    """

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.windows = WindowStream(encoder.windows.attrs["size"], encoder.windows.attrs["stride"])
        self.n_read = 0  # rows
        # The first rows of the tokens that have no vectors yet.
        self.firsts = np.zeros(0, dtype=np.intp)

    def feed(self, doc: Doc) -> Any:
        """Adds tokens; returns the vectors of the next ones that cannot change (tokens x width)."""
        rows, firsts = self.encoder.read(doc)
        self.firsts = np.concatenate([self.firsts, np.where(firsts < 0, -1, firsts + self.n_read)])
        self.n_read += len(rows)
        begin = self.windows.first
        # The tokens up to the first one whose row is not among those to be encoded now.
        windows = self.windows.feed(rows)
        n = int(np.searchsorted(np.maximum.accumulate(self.firsts), self.windows.first))
        return self._encode(begin, windows, n)

    def end(self) -> Any:
        """The vectors of the last tokens."""
        return self._encode(self.windows.first, self.windows.end(), len(self.firsts))

    def _encode(self, begin: int, windows: list[tuple[Window, Any]], n: int) -> Any:
        """The vectors of the next n tokens. begin (int): The first row that is taken from the windows."""
        layer = self.encoder.windows
        vectors: Any = layer.ops.alloc2f(n, layer.get_dim("nO"))
        tokens = np.flatnonzero(self.firsts[:n] >= 0)
        if len(tokens):
            encoded = layer.predict([rows for _, rows in windows])
            taken = [slice(window.first - window.start, window.last - window.start) for window, _ in windows]
            of_rows = layer.ops.xp.concatenate([of[part] for of, part in zip(encoded, taken, strict=True)])
            vectors[tokens] = of_rows[self.firsts[tokens] - begin]
        self.firsts = self.firsts[n:]
        return vectors


def cut_document(doc: Doc, size: int) -> Iterator[Doc]:
    """A document, or copies of parts of it if it has more tokens than `size`."""
    if len(doc) <= size:
        yield doc
    else:
        for start in range(0, len(doc), size):
            yield _copy(doc, start, min(start + size, len(doc)))


def batch_documents(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Documents in batches of about `BATCH_TOKENS` tokens."""
    batch: list[Doc] = []
    n = 0
    for doc in docs:
        batch.append(doc)
        n += len(doc)
        if n >= BATCH_TOKENS:
            yield batch
            batch, n = [], 0
    if batch:
        yield batch


def is_listener(layer: Model) -> bool:
    """Whether a layer is given vectors by another component, as by those of spaCy and `spacy-curated-transformers`.

    It knows whole documents only.
    """
    return hasattr(layer, "upstream_name") or "_upstream_name" in layer.attrs


def _copy(doc: Doc, start: int, end: int) -> Doc:
    rows = doc[start:end].to_array([ORTH, SPACY, *COPIED])  # type: ignore[attr-defined]  # not in its stub
    # Doc also accepts the hashes of words.
    words: Any = rows[:, 0].tolist()
    copy = Doc(doc.vocab, words=words, spaces=rows[:, 1].astype(bool).tolist())
    copy.from_array(list(COPIED), rows[:, 2:])
    copy_columns(doc, copy, np.arange(start, end))
    return copy
