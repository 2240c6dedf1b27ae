"""Texts in pieces, and what is compared of streams and whole documents."""

from itertools import pairwise

import numpy as np


def cut_at(text, lengths):
    """Pieces of these lengths, and the rest."""
    bounds = sorted({0, len(text), *(min(end, len(text)) for end in np.cumsum(lengths).tolist())})
    return [text[begin:end] for begin, end in pairwise(bounds)]


def describe(tokens):
    return [(t.text, t.whitespace_, t.tag_, t.dep_, t.head.i - t.i, bool(t.is_sent_start)) for t in tokens]


def describe_all(sentences):
    return describe(token for sentence in sentences for token in sentence)
