"""Reads groups of spans. spaCy leaves spans at their old tokens if tokens before or in them are merged or split."""

from spacy.tokens import Doc, Span

from ..errors import Errors, JointValueError


def read_spans(doc: Doc, key: str) -> list[Span]:
    """Read a group of spans; none if it is missing.

    RAISES ValueError: If their tokens have been merged or split since (J340).
    """
    try:
        spans = list(doc.spans.get(key, ()))
        current = [doc[span.start : span.end] for span in spans]
        written, now = ([(span.start_char, span.end_char) for span in each] for each in (spans, current))
        has_moved = written != now
    except IndexError:  # spaCy's E035: a span ends after the last token
        has_moved = True
    if has_moved:
        raise JointValueError(Errors.J340, key=key)
    return spans
