"""Documents in segments, so that encoders need memory for some of them at a time, and not for a whole long document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, LEMMA, MORPH, NORM, ORTH, POS, SENT_START, SPACY, TAG
from spacy.tokens import Doc
from thinc.api import Model

from ..annotation.custom_columns import copy_columns
from .windows import Window, cut_windows

# The number of windows in a segment of a long document.
WINDOWS = 32
# The number of tokens that are given to an encoder together, or somewhat more.
BATCH_TOKENS = 8192
# What encoders may read of tokens.
COPIED = (NORM, LEMMA, TAG, POS, MORPH, ENT_IOB, ENT_TYPE, SENT_START)


class Segment(NamedTuple):
    """A segment of a document.

    number (int): The number of the document.
    place (Window): Where the segment is, and which of its tokens are taken from it.
    doc (Doc): The segment.
    """

    number: int
    place: Window
    doc: Doc


def cut_documents(docs: Iterable[Doc], window: int, stride: int) -> Iterator[Segment]:
    """Documents that have tokens, and long ones in segments.

    A segment has a whole number of windows. So an encoder that sees no more than such windows gives the tokens that are
    taken from it the same vectors as in the document.

    window, stride (int): See `cut_windows`.
    """
    size = (WINDOWS - 1) * stride + window
    for number, doc in enumerate(docs):
        if len(doc) > size:
            for place in cut_windows(len(doc), size, WINDOWS * stride):
                yield Segment(number, place, _copy(doc, place))
        elif len(doc):
            yield Segment(number, Window(0, len(doc), 0, len(doc)), doc)


def batch_segments(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    """Segments in batches of about `BATCH_TOKENS` tokens."""
    batch: list[Segment] = []
    n = 0
    for segment in segments:
        batch.append(segment)
        n += len(segment.doc)
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


def _copy(doc: Doc, place: Window) -> Doc:
    part = doc[place.start : place.end]
    rows = part.to_array([ORTH, SPACY, *COPIED])  # type: ignore[attr-defined]  # not in its stub
    # Doc also accepts the hashes of words.
    words: Any = rows[:, 0].tolist()
    copy = Doc(doc.vocab, words=words, spaces=rows[:, 1].astype(bool).tolist())
    copy.from_array(list(COPIED), rows[:, 2:])
    kept = np.zeros(len(doc), dtype=bool)
    kept[place.start : place.end] = True
    copy_columns(doc, copy, kept)
    return copy
