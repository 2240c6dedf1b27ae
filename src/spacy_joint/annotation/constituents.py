"""Constituents in a `Doc`: a group of spans, from the outside in and left to right, and the attributes that read it.

`doc.spans["constituents"]` holds the phrase structure, gold or predicted, complete or hedged: only labels and extents,
so that it round-trips through `to_bytes` and `DocBin`. It does not include the roots of sentences. Constituents over
the same words are ordered from the top down.

The extension attributes follow benepar: `span._.labels`, `span._.parse_string`, `span._.constituents`,
`span._.children`, `span._.parent`. Unlike in benepar, a span need not be a constituent, as long as it does not cut one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from spacy.tokens import Doc, Span, SpanGroup, Token

from ..errors import Errors, JointValueError
from .constituency_trees import ROOT, Constituent, Tree, build_tree, find_outermost

CONSTITUENTS = "constituents"
SEGMENTS = "hedge_segments"

ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"})


def set_constituents(doc: Doc, constituents: Iterable[Constituent], key: str = CONSTITUENTS) -> None:
    """Write constituents to a document, in the given order."""
    doc.spans[key] = SpanGroup(
        doc, name=key, spans=[Span(doc, start, end, label) for label, start, end in constituents]
    )


def get_constituents(doc: Doc) -> list[Constituent] | None:
    """The constituents of a document, from the outside in, left to right; None if they are not annotated.

    RAISES ValueError: If two constituents cross (J335).
    """
    if CONSTITUENTS not in doc.spans:
        return None
    spans = [(span.start, span.end, span.label_) for span in doc.spans[CONSTITUENTS]]
    # The sort is stable, so unary chains keep their order.
    spans.sort(key=lambda span: (span[0], -span[1]))
    opened: list[int] = []
    for start, end, label in spans:
        while opened and opened[-1] <= start:
            opened.pop()
        if opened and end > opened[-1]:
            raise JointValueError(Errors.J335, label=label, start=start, end=end, words=str(doc[start:end])[:80])
        opened.append(end)
    return [(label, start, end) for start, end, label in spans]


def get_tree(span: Doc | Span) -> Tree:
    """The constituents of a span or document as a tree under a root.

    RAISES ValueError: If constituents are not annotated (J336), or the span cuts a constituent (J337).
    """
    doc, first, last = (span, 0, len(span)) if isinstance(span, Doc) else (span.doc, span.start, span.end)
    constituents = get_constituents(doc)
    if constituents is None:
        raise JointValueError(Errors.J336)
    within = []
    for label, start, end in constituents:
        if first <= start and end <= last:
            within.append((label, start - first, end - first))
        elif (start < first < end < last) or (first < start < last < end):
            raise JointValueError(Errors.J337, words=str(span)[:80], label=label, other=str(doc[start:end])[:80])
    tokens = doc[first:last]
    return build_tree(ROOT, within, [(token.tag_, _escape(token.text)) for token in tokens])


def _escape(word: str) -> str:
    # Bracket notation cannot represent whitespace.
    return "".join(word.split()).translate(ESCAPES) or "_"


def iterate_phrases(span: Doc | Span, *labels: str, nested: bool = True) -> Iterator[Span]:
    """Iterate over the constituents with one of the labels (by default, any label), in text order.

    nested (bool): Whether to include constituents inside others that are yielded.
    RAISES ValueError: If constituents are not annotated (J336).
    """
    doc, first, last = (span, 0, len(span)) if isinstance(span, Doc) else (span.doc, span.start, span.end)
    if CONSTITUENTS not in doc.spans:
        raise JointValueError(Errors.J336)
    end = first
    for constituent in doc.spans[CONSTITUENTS]:
        inside = first <= constituent.start and constituent.end <= last
        if inside and (not labels or constituent.label_ in labels) and (nested or constituent.start >= end):
            end = constituent.end
            yield constituent


def get_labels(span: Span) -> tuple[str, ...]:
    """The labels of the constituents with exactly this extent, from the top down; empty if it is not a constituent."""
    return tuple(
        other.label_
        for other in span.doc.spans.get(CONSTITUENTS, ())
        if other.start == span.start and other.end == span.end
    )


def get_parse_string(span: Doc | Span) -> str:
    """The span in brackets: a constituent, a word, or several of them under a root.

    RAISES ValueError: If constituents are not annotated (J336), or the span cuts a constituent (J337).
    """
    tree = get_tree(span)
    return str(tree.children[0] if len(tree.children) == 1 else tree)


def get_parent(span: Span) -> Span | None:
    """The smallest constituent that contains the span and is larger; None if there is none."""
    above = [
        other
        for other in span.doc.spans.get(CONSTITUENTS, ())
        if other.start <= span.start and span.end <= other.end and len(other) > len(span)
    ]
    return min(above, key=len, default=None)


def iterate_children(span: Span) -> Iterator[Span]:
    """Iterate over the largest constituents within the span that are smaller, and the words outside them."""
    constituents = get_constituents(span.doc) or []
    within = [
        (label, start, end)
        for label, start, end in constituents
        if span.start <= start and end <= span.end and end - start < len(span)
    ]
    place = span.start
    for label, start, end in find_outermost(within):
        yield from (span.doc[word : word + 1] for word in range(place, start))
        yield Span(span.doc, start, end, label)
        place = end
    yield from (span.doc[word : word + 1] for word in range(place, span.end))


def starts_segment(token: Token) -> bool:
    """Whether the token begins a segment: a hedge of several words, or the words and phrases between two of them."""
    return any(segment.start == token.i for segment in token.doc.spans.get(SEGMENTS, ()))


def register_extensions() -> None:
    """Register the extension attributes, except for names in use, for instance by benepar."""
    attributes: dict[str, Callable[[Span], object]] = {
        "labels": get_labels,
        "parse_string": get_parse_string,
        "parent": get_parent,
        "children": iterate_children,
        "constituents": iterate_phrases,
    }
    for name, getter in attributes.items():
        if not Span.has_extension(name):
            Span.set_extension(name, getter=getter)
    for owner in (Doc, Span):
        if not owner.has_extension("phrases"):
            owner.set_extension("phrases", method=iterate_phrases)
    if not Token.has_extension("hedge_b"):
        Token.set_extension("hedge_b", getter=starts_segment)
