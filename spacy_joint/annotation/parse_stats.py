"""Statistics of a `chart_parser`: the probabilities of its trees, and the work of finding them. `doc._.parse_stats` has
one dict of plain numbers per sentence; "start" and "end" are its extent without whitespace around it. They are saved
with the document.
"""

from bisect import bisect_left

from spacy.tokens import Doc, Span

from .extensions import register

PARSE_STATS = "parse_stats"
PARSE_PROBABILITY = "parse_probability"


def get_probability(span: Span) -> float | None:
    """Return the natural logarithm of the probability of a sentence and its tree; None if a chart_parser has not parsed
    it as a sentence, or its grammar derives no tree for it."""
    words = [token.i for token in span if not token.text.isspace()]
    stats = span.doc._.get(PARSE_STATS) or []
    place = bisect_left(stats, words[0], key=lambda entry: int(entry["start"])) if words else len(stats)
    if place < len(stats) and (stats[place]["start"], stats[place]["end"]) == (words[0], words[-1] + 1):
        probability: float | None = stats[place]["log_probability"]
        return probability
    return None


register(Doc, PARSE_STATS, default=None)
register(Span, PARSE_PROBABILITY, getter=get_probability)
