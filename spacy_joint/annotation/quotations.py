"""Quotations in a `Doc`: groups of spans for quotations, cues and speakers, and the type of a quotation by its marks.

The types are those of Scheible, Klinger & Pado (ACL 2016): direct, mixed or indirect. Finding quotations and pairing
marks happen elsewhere.
"""

from collections.abc import Set

from spacy.tokens import Doc, Span

from .spans import read_spans

# A part of a document: its first token and its end.
Run = tuple[int, int]
DIRECT, INDIRECT, MIXED = "DIRECT", "INDIRECT", "MIXED"
TYPES = (DIRECT, INDIRECT, MIXED)
CUE, SPEAKER = "CUE", "SPEAKER"
# The label of mentions of characters whose gender is unknown; others are MALE or FEMALE.
PERSON = "PERSON"
# The default keys of the quotations, cues and speakers of a document. Spans that belong together have the same `id_`.
QUOTATIONS, CUES, SPEAKERS = "quotations", "quotation_cues", "quotation_speakers"
# The default key of the mentions of characters. Their `kb_id_`, and that of a quotation, is the id of the character.
CHARACTERS = "characters"
# The attribute of a group of quotations with the confidences of their characters.
CONFIDENCES = "confidences"

DOUBLE = frozenset(('"', "＂", "``", "''", "“", "”", "„", "‟", "«", "»", "「", "」", "『", "』", "〝", "〞", "〟"))
# Never at the end of a quotation: annotators leave them out.
TRAILING = frozenset(",.:?")


def find_type(doc: Doc, start: int, end: int, marks: Set[str] = DOUBLE) -> str:
    """Find the type of the quotation of tokens `start` to `end` - 1: direct if the first and the last are marks, mixed
    if any token is, else indirect."""
    are_marks = [token.text in marks for token in doc[start:end]]
    if are_marks[0] and are_marks[-1]:
        return DIRECT
    return MIXED if any(are_marks) else INDIRECT


def make_span(doc: Doc, start: int, end: int, span_id: str) -> Span:
    """Make the quotation of tokens `start` to `end` - 1, labelled with its type."""
    return Span(doc, start, end, label=find_type(doc, start, end), span_id=span_id)


def find_heads(doc: Doc, key: str) -> list[int]:
    """Find the head tokens of a group of spans, sorted: the roots of their trees, or, without trees, their first
    tokens."""
    return sorted({find_head(span) for span in read_spans(doc, key)})


def find_head(span: Span) -> int:
    """Find the head token of a span: the root of its tree, or, without trees, its first token."""
    return span.start if len(span) == 1 or not span.doc.has_annotation("DEP") else span.root.i
