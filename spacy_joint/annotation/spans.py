"""Reads groups of spans. spaCy leaves spans at their old tokens if tokens before or in them are merged or split."""

from collections.abc import Iterable

from spacy.tokens import Doc, Span

from ..errors import Errors, JointValueError


def read_spans(doc: Doc, key: str, indices: Iterable[int] | None = None) -> list[Span]:
    """Read a group of spans (only `indices`, if given); none if it is missing.

    RAISES ValueError: If their tokens have been merged or split since (J340).
    """
    try:
        group = doc.spans.get(key, ())
        spans = list(group) if indices is None else [group[index] for index in indices]
        has_moved = any(
            doc[span.start].idx != span.start_char or (last := doc[span.end - 1]).idx + len(last) != span.end_char
            for span in spans
            if span.start < span.end
        )
    except IndexError:  # spaCy's E035: a span ends after the last token
        has_moved = True
    if has_moved:
        raise JointValueError(Errors.J340, key=key)
    return spans
