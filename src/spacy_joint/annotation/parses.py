"""What a `chart_parser` says of its trees: their probabilities, and the work that they took.

`doc._.parse_stats` has one dict of plain numbers per sentence, which is saved with the document.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from spacy.tokens import Doc, Span

PARSE_STATS = "parse_stats"
PARSE_PROBABILITY = "parse_probability"


def set_stats(doc: Doc, stats: Sequence[dict[str, Any]]) -> None:
    """Write the statistics of each sentence, which has "start" and "end", its first token and the one after its last
    that are not whitespace."""
    doc._.set(PARSE_STATS, list(stats))


def get_probability(span: Span) -> float | None:
    """The natural logarithm of the probability of a sentence and its tree; None if a chart_parser has not parsed it as
    a sentence, or its grammar derives no tree of it."""
    words = [token.i for token in span if not token.text.isspace()]
    stats = span.doc._.get(PARSE_STATS) or []
    if not words:
        return None
    place = bisect_left(stats, words[0], key=lambda of_sentence: int(of_sentence["start"]))
    if place < len(stats) and (stats[place]["start"], stats[place]["end"]) == (words[0], words[-1] + 1):
        probability: float | None = stats[place]["log_probability"]
        return probability
    return None


def register_extensions() -> None:
    """Register the extension attributes, except for names in use."""
    if not Doc.has_extension(PARSE_STATS):
        Doc.set_extension(PARSE_STATS, default=None)
    if not Span.has_extension(PARSE_PROBABILITY):
        Span.set_extension(PARSE_PROBABILITY, getter=get_probability)
