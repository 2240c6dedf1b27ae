"""Constituents in a `Doc`: a group of spans, from the outside in and left to right, and the attributes that read it.

`doc.spans["constituents"]` holds the phrase structure, gold or predicted, complete or hedged, so that it round-trips
through `to_bytes` and `DocBin`. It does not include the roots of sentences. Constituents over the same words are
ordered from the top down. A discontinuous constituent is one span per block of adjacent words; its spans share a
`span.id`, which no other constituent has. Where a treebank has grammatical functions, the attributes of the group
(`doc.spans["constituents"].attrs`) hold them: "functions", one per span, and "word_functions", one per token.

The extension attributes follow benepar: `labels`, `parse_string` and `parent` of spans and tokens, `constituents` and
`children` of spans. Unlike in benepar, a span need not be a constituent, as long as it does not cut one. They take each
block for a constituent of its own, except for `parse_string`; `span._.blocks` has all blocks of a constituent.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from spacy.tokens import Doc, Span, SpanGroup, Token

from ..errors import Errors, JointValueError
from .constituency_trees import (
    ROOT,
    Block,
    Constituent,
    Tree,
    assemble,
    find_blocks,
    nest,
    take_apart,
)
from .sentences import list_sentences

CONSTITUENTS = "constituents"
SEGMENTS = "hedge_segments"

FUNCTIONS = "functions"
WORD_FUNCTIONS = "word_functions"
# The attribute of a group that tells how many spans it had when they were written, if these were in text order.
SORTED = "sorted"


def set_constituents(doc: Doc, constituents: Iterable[Constituent], key: str = CONSTITUENTS) -> None:
    """Write continuous constituents to a document, in the given order."""
    set_group(doc, key, [Span(doc, start, end, label) for label, start, end in constituents])


def set_group(doc: Doc, key: str, spans: Sequence[Span]) -> None:
    """Write spans as a group, and whether they are in text order, in which those of a sentence are found fast."""
    are_sorted = all(span.start <= following.start for span, following in pairwise(spans))
    doc.spans[key] = SpanGroup(doc, name=key, attrs={SORTED: len(spans)} if are_sorted else {}, spans=spans)


class Phrase(NamedTuple):
    """A constituent of a sentence: its label, its blocks, and its function in its parent ("" if unknown).

    blocks: In positions among the words of the sentence, from left to right.
    """

    label: str
    blocks: Sequence[Block]
    function: str = ""


def set_trees(doc: Doc, trees: Iterable[Tree], tokens: Sequence[int] | None = None) -> None:
    """Write the constituents of trees below their roots, and functions, if there are any, to a document.

    trees: One per sentence, in the order of the document.
    tokens: The tokens that are the words of the trees. By default, all tokens are.
    """
    words: list[Tree] = []

    def read() -> Iterator[tuple[int, list[Phrase]]]:
        for tree in trees:
            yields = tree.yields()
            preterminals = sorted((node for node, _ in yields if node.is_preterminal), key=lambda node: node.index)
            words.extend(preterminals)
            below = (named for named in yields[1:] if not named[0].is_preterminal)
            yield len(preterminals), [Phrase(node.label, find_blocks(its), node.function) for node, its in below]

    set_phrases(doc, read(), tokens)
    if any(word.function for word in words):
        word_functions = [""] * len(doc)
        for token, word in zip(range(len(doc)) if tokens is None else tokens, words, strict=False):
            word_functions[token] = word.function
        doc.spans[CONSTITUENTS].attrs[WORD_FUNCTIONS] = word_functions


def set_phrases(
    doc: Doc, sentences: Iterable[tuple[int, Iterable[Phrase]]], tokens: Sequence[int] | None = None
) -> None:
    """Write constituents, and functions, if there are any, to a document.

    sentences: The number of words of each sentence and its constituents, without the root; each after those around it.
    tokens: The tokens that are the words of the sentences. By default, all tokens are.
    """
    tokens = range(len(doc)) if tokens is None else tokens
    spans: list[Span] = []
    functions: list[str] = []
    n_discontinuous = first = 0
    for n_words, phrases in sentences:
        # The first word and the end of each block, its label, its function, and its id.
        blocks: list[tuple[int, int, str, str, str]] = []
        for label, its_blocks, function in phrases:
            span_id = ""
            if len(its_blocks) > 1:
                n_discontinuous += 1
                span_id = str(n_discontinuous)
            blocks += [(start, end, label, function, span_id) for start, end in its_blocks]
        blocks.sort(key=lambda block: (block[0], -block[1]))
        for start, end, label, function, span_id in blocks:
            spans.append(Span(doc, tokens[first + start], tokens[first + end - 1] + 1, label, span_id=span_id))
            functions.append(function)
        first += n_words
    set_group(doc, CONSTITUENTS, spans)
    if any(functions):
        doc.spans[CONSTITUENTS].attrs[FUNCTIONS] = functions


def get_constituents(doc: Doc) -> list[Constituent] | None:
    """The constituents of a document, from the outside in, left to right; None if they are not annotated.

    A discontinuous constituent gives one per block.

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


def group_blocks(doc: Doc) -> list[list[int]]:
    """The spans of each constituent, as their places in the group, in the order of their first blocks.

    RAISES ValueError: If constituents are not annotated (J336).
    """
    return _group(_require_constituents(doc))


def _group(spans: Iterable[Span]) -> list[list[int]]:
    blocks: list[list[int]] = []
    discontinuous: dict[int, list[int]] = {}
    for place, span in enumerate(spans):
        if span.id in discontinuous:
            discontinuous[span.id].append(place)
            continue
        blocks.append([place])
        if span.id:
            discontinuous[span.id] = blocks[-1]
    return blocks


def get_tree(span: Doc | Span) -> Tree:
    """The constituents of a span or document as a tree under a root. Whitespace tokens are no words of it.

    RAISES ValueError: If constituents are not annotated (J336) or cross (J335), or the span cuts a constituent (J337).
    """
    doc, first, last = (span, 0, len(span)) if isinstance(span, Doc) else (span.doc, span.start, span.end)
    group = _require_constituents(doc)
    near = _find_near(group, first, last)
    spans = [group[place] for place in near]
    functions, word_functions = group.attrs.get(FUNCTIONS, ()), group.attrs.get(WORD_FUNCTIONS, ())
    # They do not fit if someone has changed the spans or the tokens.
    functions = functions[near.start : near.stop] if len(functions) == len(group) else [""] * len(spans)
    has_word_functions = len(word_functions) == len(doc)
    words = [token for token in doc[first:last] if not token.text.isspace()]
    # Of each token of the span, and its end, the number of words before it.
    places_before = [0, *accumulate(not token.text.isspace() for token in doc[first:last])]
    within: list[tuple[Tree, list[Block]]] = []
    for places in _group(spans):
        blocks = [(spans[place].start, spans[place].end) for place in places]
        size = sum(end - start for start, end in blocks)
        inside = sum(max(0, min(end, last) - max(start, first)) for start, end in blocks)
        if inside == size:
            node = Tree(spans[places[0]].label_, function=functions[places[0]])
            counted = [(places_before[start - first], places_before[end - first]) for start, end in blocks]
            if any(start < end for start, end in counted):
                within.append((node, [(start, end) for start, end in counted if start < end]))
        elif 0 < inside < last - first:
            start, end = blocks[0][0], blocks[-1][1]
            label = spans[places[0]].label_
            raise JointValueError(Errors.J337, words=str(span)[:80], label=label, other=str(doc[start:end])[:80])
    tags = [
        Tree(
            token.tag_,
            word=token.text,
            function=word_functions[token.i] if has_word_functions else "",
            lemma=token.lemma_,
            morph=str(token.morph),
        )
        for token in words
    ]
    return nest(Tree(ROOT), within, tags) if tags else Tree(ROOT)


def get_trees(doc: Doc) -> list[Tree]:
    """The constituents of each sentence of a document as a tree under a root.

    A document without sentence boundaries is a single sentence, and one without tokens has none.

    RAISES ValueError: If constituents are not annotated (J336) or cross (J335), or one is in several sentences (J337).
    """
    if not len(doc):
        return []
    nodes, parents = take_apart(get_tree(doc))
    sentences = list_sentences(doc)
    numbers = [number for number, sentence in enumerate(sentences) for token in sentence if not token.text.isspace()]
    # Of each sentence, the nodes and the places of their parents; and where each node is among those of its sentence.
    parts: list[tuple[list[Tree], list[int]]] = [([nodes[0]], [-1]) for _ in sentences]
    places = [0] * len(nodes)
    current = 0
    for place in range(1, len(nodes)):
        if parents[place] == 0:
            current = numbers[_find_first_word(nodes[place])]
        node = nodes[place]
        if node.is_preterminal and numbers[node.index] != current:
            outermost = place
            while parents[outermost]:
                outermost = parents[outermost]
            words, label = str(sentences[current])[:80], nodes[outermost].label
            raise JointValueError(Errors.J337, words=words, label=label, other=node.word)
        part, above = parts[current]
        places[place] = len(part)
        part.append(node)
        above.append(places[parents[place]])
    return [tree for part in parts if (tree := assemble(*part)) is not None]


def _find_first_word(node: Tree) -> int:
    while node.children:
        node = node.children[0]
    return node.index


def iterate_phrases(span: Doc | Span, *labels: str, nested: bool = True) -> Iterator[Span]:
    """Iterate over the constituents with one of the labels (by default, any label), in text order.

    nested (bool): Whether to include constituents inside others that are yielded.
    RAISES ValueError: If constituents are not annotated (J336).
    """
    doc, first, last = (span, 0, len(span)) if isinstance(span, Doc) else (span.doc, span.start, span.end)
    end = first
    for constituent in _list_near(doc, first, last):
        inside = first <= constituent.start and constituent.end <= last
        if inside and (not labels or constituent.label_ in labels) and (nested or constituent.start >= end):
            end = constituent.end
            yield constituent


def get_labels(span: Span) -> tuple[str, ...]:
    """The labels of the constituents with exactly this extent, from the top down; empty if it is not a constituent.

    RAISES ValueError: If constituents are not annotated (J336).
    """
    near = _list_near(span.doc, span.start, span.end)
    return tuple(other.label_ for other in near if other.start == span.start and other.end == span.end)


def get_parse_string(span: Doc | Span) -> str:
    """The span in brackets: a constituent, a word, or several of them under a root.

    RAISES ValueError: If constituents are not annotated (J336), or the span cuts a constituent (J337).
    """
    tree = get_tree(span)
    return str(tree.children[0] if len(tree.children) == 1 else tree)


def get_parent(span: Span) -> Span | None:
    """The smallest constituent that contains the span and is larger; None if there is none.

    RAISES ValueError: If constituents are not annotated (J336).
    """
    above = [
        other
        for other in _list_near(span.doc, span.start, span.end)
        if other.start <= span.start and span.end <= other.end and len(other) > len(span)
    ]
    return min(above, key=len, default=None)


def iterate_constituents(span: Span) -> Iterator[Span]:
    """Iterate over the constituents within the span, and its words, in preorder.

    Each extent is yielded once, with the topmost of its labels; `span._.labels` has all of them. Words that are not
    constituents have no label.

    RAISES ValueError: If constituents are not annotated (J336).
    """
    labels: dict[Block, str] = {}
    for other in _list_near(span.doc, span.start, span.end):
        if span.start <= other.start and other.end <= span.end:
            labels.setdefault((other.start, other.end), other.label_)
    for token in span:
        if not token.text.isspace():
            labels.setdefault((token.i, token.i + 1), "")
    for start, end in sorted(labels, key=lambda extent: (extent[0], -extent[1])):
        yield Span(span.doc, start, end, labels[start, end])


def iterate_children(span: Span) -> Iterator[Span]:
    """Iterate over the largest constituents within the span that are smaller, and the words outside them.

    RAISES ValueError: If constituents are not annotated (J336).
    """
    end = span.start
    for part in iterate_constituents(span):
        if part.start >= end and len(part) < len(span):
            end = part.end
            yield part


def get_blocks(span: Span) -> SpanGroup:
    """The blocks of a constituent, from left to right: several if it is discontinuous.

    span: One of the spans in `doc.spans["constituents"]`.
    RAISES ValueError: If constituents are not annotated (J336).
    """
    near = _list_near(span.doc, span.start, span.end)
    blocks = [other for other in near if other.id == span.id] if span.id else [span]
    return SpanGroup(span.doc, name=span.label_, spans=blocks)


def _require_constituents(doc: Doc) -> SpanGroup:
    if CONSTITUENTS not in doc.spans:
        raise JointValueError(Errors.J336)
    return doc.spans[CONSTITUENTS]


def _list_near(doc: Doc, first: int, last: int) -> list[Span]:
    """The constituents in the sentences of some tokens."""
    group = _require_constituents(doc)
    return [group[place] for place in _find_near(group, first, last)]


def _find_near(group: SpanGroup, first: int, last: int) -> range:
    """The places of the constituents in the sentences of some tokens, or of all if they have to be searched one by one.

    No constituent is in several sentences.
    """
    doc = group.doc
    if not first < last or group.attrs.get(SORTED) != len(group) or not doc.has_annotation("SENT_START"):
        return range(len(group))
    start, end = doc[first].sent.start, doc[last - 1].sent.end
    return range(bisect_left(group, start, key=_get_start), bisect_left(group, end, key=_get_start))


_get_start = attrgetter("start")


def starts_segment(token: Token) -> bool:
    """Whether the token begins a segment: a hedge of several words, or the words and phrases between two of them."""
    return any(segment.start == token.i for segment in token.doc.spans.get(SEGMENTS, ()))


def _of_token(get: Callable[[Span], Any], token: Token) -> Any:
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
        if not Span.has_extension(name):
            Span.set_extension(name, getter=getter)
    for name in ("labels", "parse_string", "parent"):
        if not Token.has_extension(name):
            Token.set_extension(name, getter=partial(_of_token, getters[name]))
    for owner in (Doc, Span):
        if not owner.has_extension("phrases"):
            owner.set_extension("phrases", method=iterate_phrases)
    if not Token.has_extension("hedge_b"):
        Token.set_extension("hedge_b", getter=starts_segment)
