"""Constituents in a `Doc`: a group of spans, from the outside in and left to right, and the attributes that read it.

`doc.spans["constituents"]` holds the phrase structure, gold or predicted, complete or hedged, without the roots of
sentences. Constituents over the same words are ordered from the top down. A discontinuous constituent is one span per
block of adjacent words; its spans share a `span.id`, which no other constituent has. Any grammatical functions are in
`doc.spans["constituents"].attrs`: "functions", one per span, and "word_functions", one per token.

The extension attributes follow benepar: `labels`, `parse_string` and `parent` of spans and tokens, `constituents` and
`children` of spans. A span need not be a constituent, as long as it does not cut one. Each block counts as a separate
constituent, except for `parse_string`; `span._.blocks` has all blocks. Reading any of them raises a ValueError (J336)
if constituents are not annotated.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn

from spacy.tokens import Doc, Span, SpanGroup, Token

from ..errors import Errors, JointValueError
from ..trees.constituency_trees import ROOT, Block, Constituent, Tree, find_blocks, nest
from .extensions import register
from .sentences import list_sentences
from .spans import read_spans

CONSTITUENTS, SEGMENTS = "constituents", "hedge_segments"
FUNCTIONS, WORD_FUNCTIONS = "functions", "word_functions"
# The attribute of a group with the number of spans written, if they were in text order.
SORTED = "sorted"
# The `id_` of the blocks of a discontinuous constituent has its number in the document and the number of its blocks, so
# that its blocks are found after documents are joined, as by `Doc.from_docs`.
BLOCK_ID = "{}/{}"
BLOCK_ID_PATTERN = re.compile(r"[0-9]+/([1-9][0-9]*)")


def set_constituents(doc: Doc, constituents: Iterable[Constituent], key: str = CONSTITUENTS) -> None:
    """Write continuous constituents to a document, in the given order."""
    set_group(doc, key, [Span(doc, start, end, label) for label, start, end in constituents])


def set_group(doc: Doc, key: str, spans: Sequence[Span]) -> None:
    """Write spans as a group, and record whether they are in text order, which makes finding those of a sentence
    fast."""
    are_sorted = all(span.start <= following.start for span, following in pairwise(spans))
    doc.spans[key] = SpanGroup(doc, name=key, attrs={SORTED: len(spans)} if are_sorted else {}, spans=spans)


class Phrase(NamedTuple):
    """A constituent of a sentence: its label, its blocks, from left to right, in positions among the words of the
    sentence, and its function in its parent ("" if unknown)."""

    label: str
    blocks: Sequence[Block]
    function: str = ""


def set_trees(doc: Doc, trees: Iterable[Tree]) -> None:
    """Write the constituents of trees below their roots, one tree per sentence, and any functions to a document
    without whitespace."""
    words: list[Tree] = []

    def read() -> Iterator[tuple[int, list[Phrase]]]:
        for tree in trees:
            yields = tree.yields()
            preterminals = sorted((node for node, _ in yields if node.is_preterminal), key=lambda node: node.index)
            words.extend(preterminals)
            below = [(node, bits) for node, bits in yields[1:] if not node.is_preterminal]
            yield len(preterminals), [Phrase(node.label, find_blocks(bits), node.function) for node, bits in below]

    set_phrases(doc, read(), range(len(doc)))
    if any(word.function for word in words):
        missing = [""] * (len(doc) - len(words))
        doc.spans[CONSTITUENTS].attrs[WORD_FUNCTIONS] = [*(word.function for word in words), *missing]


def set_phrases(doc: Doc, sentences: Iterable[tuple[int, Iterable[Phrase]]], tokens: Sequence[int]) -> None:
    """Write constituents and any functions to a document, given the number of words of each sentence and its
    constituents below the root, each after those around it. `tokens` are the positions of the words."""
    spans: list[Span] = []
    functions: list[str] = []
    n_discontinuous = first = 0
    for n_words, phrases in sentences:
        # The first word and the end of each block, its label, its function, and its id.
        blocks: list[tuple[int, int, str, str, str]] = []
        for label, phrase_blocks, function in phrases:
            n_discontinuous += len(phrase_blocks) > 1
            span_id = BLOCK_ID.format(n_discontinuous, len(phrase_blocks)) if len(phrase_blocks) > 1 else ""
            blocks += [(start, end, label, function, span_id) for start, end in phrase_blocks]
        blocks.sort(key=lambda block: (block[0], -block[1]))
        for start, end, label, function, span_id in blocks:
            spans.append(Span(doc, tokens[first + start], tokens[first + end - 1] + 1, label, span_id=span_id))
            functions.append(function)
        first += n_words
    set_group(doc, CONSTITUENTS, spans)
    if any(functions):
        doc.spans[CONSTITUENTS].attrs[FUNCTIONS] = functions


def get_constituents(doc: Doc) -> list[Constituent] | None:
    """Get the constituents of a document, one per block, from the outside in, left to right; None if not annotated.

    RAISES ValueError: If two constituents cross (J335).
    """
    if CONSTITUENTS not in doc.spans:
        return None
    constituents = [(span.label_, span.start, span.end) for span in read_spans(doc, CONSTITUENTS)]
    # The sort is stable, so unary chains keep their order.
    constituents.sort(key=lambda constituent: (constituent[1], -constituent[2]))
    opened: list[int] = []
    for label, start, end in constituents:
        while opened and opened[-1] <= start:
            opened.pop()
        if opened and end > opened[-1]:
            raise JointValueError(Errors.J335, label=label, start=start, end=end, words=str(doc[start:end])[:80])
        opened.append(end)
    return constituents


def group_blocks(doc: Doc, indices: Sequence[int] | None = None) -> list[list[int]]:
    """Group spans by constituent, as places in the group (only `indices`, if given), in the order of first blocks."""
    indices = range(len(_require_constituents(doc))) if indices is None else indices
    blocks: dict[tuple[int, ...], list[int]] = {}
    seen: Counter[int] = Counter()
    for index, span in zip(indices, read_spans(doc, CONSTITUENTS, indices), strict=True):
        # Spans without an id are continuous.
        key: tuple[int, ...] = (index,)
        if span.id:
            # Constituents of joined documents may have the same id.
            match = BLOCK_ID_PATTERN.fullmatch(span.id_)
            key = span.id, seen[span.id] // int(match[1]) if match else 0
            seen[span.id] += 1
        blocks.setdefault(key, []).append(index)
    return list(blocks.values())


def get_tree(span: Doc | Span) -> Tree:
    """Make a tree under a root of the constituents of a span or document, without whitespace.

    RAISES ValueError: If constituents are not annotated (J336) or cross (J335), or the span cuts a constituent (J337).
    """
    span = span[:] if isinstance(span, Doc) else span
    return _make_tree(span, group_blocks(span.doc, _find_near(span)))


def _make_tree(span: Span, constituents: Iterable[Sequence[int]]) -> Tree:
    """Make the tree over a span, given the places of the blocks of constituents that may be in it."""
    doc, first, last = span.doc, span.start, span.end
    group = doc.spans[CONSTITUENTS]
    functions, word_functions = group.attrs.get(FUNCTIONS, ()), group.attrs.get(WORD_FUNCTIONS, ())
    # Lengths differ if spans or tokens have changed since.
    has_functions, has_word_functions = len(functions) == len(group), len(word_functions) == len(doc)
    # The number of words before each token of the span, and before its end.
    places_before = list(accumulate((not token.text.isspace() for token in span), initial=0))
    within: list[tuple[Tree, list[Block]]] = []
    for indices in constituents:
        spans = [group[index] for index in indices]
        size = sum(map(len, spans))
        inside = sum(max(0, min(block.end, last) - max(block.start, first)) for block in spans)
        if inside == size:
            counted = [(places_before[block.start - first], places_before[block.end - first]) for block in spans]
            if blocks := [(start, end) for start, end in counted if start < end]:
                node = Tree(spans[0].label_, function=functions[indices[0]] if has_functions else "")
                within.append((node, blocks))
        elif 0 < inside < last - first:
            _refuse_to_cut(span, spans)
    tags = []
    for token in (token for token in span if not token.text.isspace()):
        function = word_functions[token.i] if has_word_functions else ""
        tags.append(Tree(token.tag_, word=token.text, function=function, lemma=token.lemma_, morph=str(token.morph)))
    return nest(Tree(ROOT), within, tags) if tags else Tree(ROOT)


def get_trees(doc: Doc) -> list[Tree]:
    """Make a tree under a root of each sentence of a document; without boundaries, the document is one sentence.

    RAISES ValueError: If constituents are not annotated (J336) or cross (J335), or one is in several sentences (J337).
    """
    group = _require_constituents(doc)
    sentences = list_sentences(doc) if len(doc) else []
    numbers = [number for number, sentence in enumerate(sentences) for _ in sentence]
    constituents: list[list[list[int]]] = [[] for _ in sentences]
    for indices in group_blocks(doc):
        number = numbers[group[indices[0]].start]
        if numbers[group[indices[-1]].end - 1] != number:
            _refuse_to_cut(sentences[number], [group[index] for index in indices])
        constituents[number].append(indices)
    trees = map(_make_tree, sentences, constituents)
    return [tree for tree in trees if tree.children]


def _refuse_to_cut(span: Span, blocks: Sequence[Span]) -> NoReturn:
    other = str(span.doc[blocks[0].start : blocks[-1].end])[:80]
    raise JointValueError(Errors.J337, words=str(span)[:80], label=blocks[0].label_, other=other)


def iterate_phrases(span: Doc | Span, *labels: str, nested: bool = True) -> Iterator[Span]:
    """Iterate over the constituents with one of the labels (by default, any label), in text order; unless `nested`,
    without constituents inside other yielded ones."""
    span = span[:] if isinstance(span, Doc) else span
    end = span.start
    for constituent in _list_within(span):
        if (not labels or constituent.label_ in labels) and (nested or constituent.start >= end):
            end = constituent.end
            yield constituent


def get_labels(span: Span) -> tuple[str, ...]:
    """Get the labels of the constituents with exactly this extent, from the top down; none if it is not a
    constituent."""
    return tuple(other.label_ for other in _list_within(span) if len(other) == len(span))


def get_parse_string(span: Doc | Span) -> str:
    """Format the span in brackets: a constituent, a word, or several of both under a root.

    RAISES ValueError: If constituents are not annotated (J336), or the span cuts a constituent (J337).
    """
    tree = get_tree(span)
    return str(tree.children[0] if len(tree.children) == 1 else tree)


def get_parent(span: Span) -> Span | None:
    """Find the smallest constituent that contains the span and is larger; None if there is none."""
    around = (other for other in _list_near(span) if other.start <= span.start and span.end <= other.end)
    return min((other for other in around if len(other) > len(span)), key=len, default=None)


def iterate_constituents(span: Span) -> Iterator[Span]:
    """Iterate over the constituents within the span, and its words, in preorder. Each extent is yielded once, with the
    topmost of its labels; `span._.labels` has all of them. Words that are not constituents have no label."""
    labels: dict[Block, str] = {}
    for other in _list_within(span):
        labels.setdefault((other.start, other.end), other.label_)
    for token in span:
        if not token.text.isspace():
            labels.setdefault((token.i, token.i + 1), "")
    for start, end in sorted(labels, key=lambda extent: (extent[0], -extent[1])):
        yield Span(span.doc, start, end, labels[start, end])


def iterate_children(span: Span) -> Iterator[Span]:
    """Iterate over the largest constituents within the span and smaller than it, and the words outside them."""
    end = span.start
    for part in iterate_constituents(span):
        if part.start >= end and len(part) < len(span):
            end = part.end
            yield part


def get_blocks(span: Span) -> SpanGroup:
    """Get the blocks of a constituent, from left to right, given one of its spans in `doc.spans["constituents"]`."""
    group = _require_constituents(span.doc)
    blocks = [span]
    if span.id:
        near = group_blocks(span.doc, _find_near(span))
        alike = ([group[index] for index in indices] for indices in near if group[indices[0]].id == span.id)
        blocks = next((found for found in alike if span in found), blocks)
    return SpanGroup(span.doc, name=span.label_, spans=blocks)


def _require_constituents(doc: Doc) -> SpanGroup:
    if CONSTITUENTS not in doc.spans:
        raise JointValueError(Errors.J336, source="The document", what="constituents")
    return doc.spans[CONSTITUENTS]


def _list_within(span: Span) -> list[Span]:
    return [other for other in _list_near(span) if span.start <= other.start and other.end <= span.end]


def _list_near(span: Span) -> list[Span]:
    """List the constituents in the sentences of a span."""
    return read_spans(span.doc, CONSTITUENTS, _find_near(span))


def _find_near(span: Span) -> range:
    """Find the places of the constituents in the sentences of a span; all places if their group is not sorted or there
    are no sentences. No constituent is in several sentences."""
    group = _require_constituents(span.doc)
    if len(span) and group.attrs.get(SORTED) == len(group) and span.doc.has_annotation("SENT_START"):
        start, end = span[0].sent.start, span[-1].sent.end
        key = attrgetter("start")
        with suppress(IndexError):  # spaCy's E035, which `read_spans` reports
            return range(bisect_left(group, start, key=key), bisect_left(group, end, key=key))
    return range(len(group))


def starts_segment(token: Token) -> bool:
    """Return whether the token begins a segment: a hedge of several words, or the words and phrases between two."""
    return any(segment.start == token.i for segment in read_spans(token.doc, SEGMENTS))


def _get_for_token(get: Callable[[Span], Any], token: Token) -> Any:
    return get(token.doc[token.i : token.i + 1])


def register_extensions() -> None:
    """Register the extension attributes, except for names in use, for instance by benepar."""
    getters: dict[str, Callable[[Span], Any]] = {
        "labels": get_labels,
        "parse_string": get_parse_string,
        "parent": get_parent,
        "children": iterate_children,
        "constituents": iterate_constituents,
        "blocks": get_blocks,
    }
    for name, getter in getters.items():
        register(Span, name, getter=getter)
    for name in ("labels", "parse_string", "parent"):
        register(Token, name, getter=partial(_get_for_token, getters[name]))
    register(Doc, "phrases", method=iterate_phrases)
    register(Span, "phrases", method=iterate_phrases)
    register(Token, "hedge_b", getter=starts_segment)
