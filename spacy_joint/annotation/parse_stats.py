"""The statistics of a `chart_parser`: the probabilities of its trees, and the work that they took. `doc._.parse_stats`
has one dict of plain numbers per sentence, with "start" and "end", its extent without whitespace around it. They are
saved with the document.
"""

from bisect import bisect_left

from spacy.tokens import Doc, Span

from .extensions import register

PARSE_STATS = "parse_stats"
PARSE_PROBABILITY = "parse_probability"


def get_probability(span: Span) -> float | None:
    """The natural logarithm of the probability of a sentence and its tree; None if a chart_parser has not parsed it as
    a sentence, or its grammar derives no tree of it."""
    words = [token.i for token in span if not token.text.isspace()]
    stats = span.doc._.get(PARSE_STATS) or []
    place = bisect_left(stats, words[0], key=lambda of_sentence: int(of_sentence["start"])) if words else len(stats)
    if place < len(stats) and (stats[place]["start"], stats[place]["end"]) == (words[0], words[-1] + 1):
        probability: float | None = stats[place]["log_probability"]
        return probability
    return None


register(Doc, PARSE_STATS, default=None)
register(Span, PARSE_PROBABILITY, getter=get_probability)
