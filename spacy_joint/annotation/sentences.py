"""Sentences, also of documents without boundaries, and attributes for the confidence of a parser in them."""

from collections.abc import Iterator
from itertools import accumulate

from spacy.tokens import Doc, Span, Token

# The attribute of `Token._` with the margin of the token's boundary decision: the score of the best analysis in the
# beam with this decision minus that of the best one with the opposite decision. It is infinite if the beam held no
# analysis with the opposite decision, and None for whitespace and without `boundary_margins`.
MARGIN = "boundary_margin"
# The attribute of `Token._` with the probability that the token starts a sentence. It is None where nothing was to be
# decided (whitespace, the first word, given boundaries), and without `boundary_probabilities` or a calibration.
PROBABILITY = "boundary_probability"


def list_sentences(doc: Doc) -> list[Span]:
    """List the sentences of a document: a single one if it has no boundaries."""
    return list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]


def list_words(doc: Doc) -> Iterator[list[Token]]:
    """List the tokens of each sentence that are not whitespace. Sentences of only whitespace are left out."""
    words = ([token for token in sentence if not token.text.isspace()] for sentence in doc.sents)
    return filter(None, words)


def list_places(doc: Doc) -> list[int]:
    """List the numbers of non-whitespace characters before each token, and before the end: places that do not depend on
    tokens."""
    return list(accumulate((len("".join(token.text.split())) for token in doc), initial=0))
