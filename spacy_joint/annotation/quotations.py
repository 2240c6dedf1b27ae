"""Quotations in a `Doc`: groups of spans for quotations, cues and speakers, and what a quotation is by its marks.

The types are those of Scheible, Klinger & Pado (ACL 2016): direct, mixed or indirect. Which span is a quotation is not
decided here, nor which marks belong together.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from spacy.tokens import Doc, Span

DIRECT, INDIRECT, MIXED = "DIRECT", "INDIRECT", "MIXED"
TYPES = (DIRECT, INDIRECT, MIXED)
CUE, SPEAKER = "CUE", "SPEAKER"
# Under these keys are the quotations, cues and speakers of a document, unless a config says otherwise; what belongs
# together has the same `id_`.
QUOTATIONS, CUES, SPEAKERS = "quotations", "quotation_cues", "quotation_speakers"

DOUBLE = frozenset(('"', "``", "''", "“", "”", "„", "‟", "«", "»", "「", "」", "『", "』", "〝", "〞"))
# Never part of a quotation's end, as annotators cut them.
TRAILING = frozenset(",.:?")


def find_type(words: Sequence[str], marks: Set[str] = DOUBLE) -> str:
    """The type of a quotation by its words: direct if both ends are marks, mixed if any word is, indirect if none."""
    if words[0] in marks and words[-1] in marks:
        return DIRECT
    return MIXED if any(word in marks for word in words) else INDIRECT


def make_span(doc: Doc, start: int, end: int, span_id: str, marks: Set[str] = DOUBLE) -> Span:
    """The quotation of tokens `start` to `end` - 1, labelled with its type."""
    return Span(doc, start, end, label=find_type([token.text for token in doc[start:end]], marks), span_id=span_id)
