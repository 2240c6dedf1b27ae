"""Finding modifiers before nouns in constituency trees, dependency trees and tagged text.

A modifier is an adjective, a participle or a noun between the determiner, possessor or number and the head, which is a
common noun; adverbs, coordination and commas end the run (after Mitchell 2009 and Dunlop, Mitchell and Roark 2010;
details that they leave open are our choice). Phrases with fewer than two modifiers are skipped, since there is nothing
to order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spacy.tokens import Doc, Token

from ..annotation.constituency_trees import Tree
from ..annotation.sentences import list_sentences
from .phrases import Phrase, Word

ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})
PARTICIPLES = frozenset({"VBG", "VBN"})
COMMON_NOUNS = frozenset({"NN", "NNS"})
PROPER_NOUNS = frozenset({"NNP", "NNPS"})
CORE = ADJECTIVES | PARTICIPLES | COMMON_NOUNS | PROPER_NOUNS
# After one of these tags, a participle modifies the noun; elsewhere, it is more likely a verb.
OPENERS = frozenset({"DT", "PRP$", "CD", "POS"})
HYPHEN = "HYPH"
TRACE = "-NONE-"
PHRASES = frozenset({"NP", "NX", "WHNP"})
NESTED = frozenset({"ADJP", "NML", "NX", "NAC", "QP", "UCP"})
RELATIONS = frozenset({"amod", "compound"})


class Place(NamedTuple):
    """The place of a phrase. modifiers: The first word and the end of each, left to right. head: The noun."""

    modifiers: tuple[tuple[int, int], ...]
    head: int


def find_in_tags(words: Sequence[str], tags: Sequence[str]) -> Iterator[tuple[Place, Phrase]]:
    """Find phrases in a tagged sentence: runs of the tags of modifiers and nouns, up to the last common noun.

    If a proper noun or a possessive follows that noun, it is not the head (`the band leader Smith`).
    """
    units = _join_hyphens(tags)
    n = len(units)
    first = 0
    while first < n:
        end = first
        while end < n and tags[units[end][1] - 1] in CORE:
            end += 1
        head = end - 1
        while head >= first and tags[units[head][1] - 1] not in COMMON_NOUNS:
            head -= 1
        after = tags[units[head + 1][0]] if head + 1 < n else ""
        if first <= head and after not in PROPER_NOUNS and after != "POS":
            before = tags[units[first][0] - 1] if units[first][0] else ""
            if tags[units[first][1] - 1] in PARTICIPLES and before not in OPENERS:
                first += 1
            if head - first >= 2:
                found = [Word("".join(words[i:j]), tags[j - 1]) for i, j in units[first : head + 1]]
                yield Place(tuple(units[first:head]), units[head][1] - 1), Phrase(tuple(found[:-1]), found[-1])
        first = max(end, first + 1)


def _join_hyphens(tags: Sequence[str]) -> list[tuple[int, int]]:
    """The first word and the end of each unit: a word, or several joined by hyphens that are separate tokens."""
    units: list[tuple[int, int]] = []
    i = 0
    while i < len(tags):
        if tags[i] == HYPHEN and units and i + 1 < len(tags):
            units[-1] = (units[-1][0], i + 2)
            i += 2
        else:
            units.append((i, i + 1))
            i += 1
    return units


def find_in_dependencies(doc: Doc, *, nested: bool = False) -> Iterator[tuple[Place, Phrase]]:
    """Find phrases in a parsed document: a noun with left dependents that are adjectives or nouns.

    doc: A document with HEAD, DEP and TAG.
    nested: Whether modifiers may have dependents, which are left out, or need not be adjacent. By default, such
        phrases are skipped, since their modifiers cannot be moved independently (`[orange juice] bottle`).
    """
    for head in doc:
        if head.tag_ not in COMMON_NOUNS:
            continue
        modifiers = [child for child in head.lefts if child.dep_ in RELATIONS]
        if len(modifiers) < 2:
            continue
        places = [(token.i, token.i + 1) if nested else _find_whole(token) for token in modifiers]
        ends = [end for _, end in places]
        if not nested and ends != [*[first for first, _ in places[1:]], head.i]:
            continue
        words = [Word(_join(doc, *place), token.tag_) for place, token in zip(places, modifiers, strict=True)]
        yield Place(tuple(places), head.i), Phrase(tuple(words), Word(head.text, head.tag_))


def _find_whole(token: Token) -> tuple[int, int]:
    """The span of a modifier if it has no dependents or is joined by hyphens, else one that fits no other span."""
    first, end = token.left_edge.i, token.right_edge.i + 1
    inner = token.doc[first:end]
    whole = end - first == 1 or all(not word.whitespace_ for word in inner[:-1])
    return (first, end) if whole else (-1, -1)


def _join(doc: Doc, first: int, end: int) -> str:
    return "".join(token.text for token in doc[first:end])


def find_in_doc(doc: Doc, source: str = "auto") -> Iterator[tuple[Place, Phrase]]:
    """Find phrases in a document; places are token indices.

    source: "dependencies", "tags", or "auto", which uses dependencies if the document is parsed.
    """
    if source == "dependencies" or (source == "auto" and doc.has_annotation("DEP")):
        yield from find_in_dependencies(doc)
        return
    sentences = list_sentences(doc)
    for sentence in sentences:
        words, tags = [token.text for token in sentence], [token.tag_ for token in sentence]
        for place, phrase in find_in_tags(words, tags):
            moved = tuple((first + sentence.start, end + sentence.start) for first, end in place.modifiers)
            yield Place(moved, place.head + sentence.start), phrase


def find_in_tree(tree: Tree) -> Iterator[Phrase]:
    """Find phrases in a constituency tree, with or without traces and function tags."""
    for node in _clean(tree).nodes():
        if node.label not in PHRASES:
            continue
        children = node.children
        head = next((i for i in reversed(range(len(children))) if _can_be_head(children, i)), None)
        if head is None or any(child.label == "NP" for child in children[head + 1 :]):
            continue
        modifiers: list[Word] = []
        for child in reversed(children[:head]):
            words = [Word(leaf.word or "", leaf.label) for leaf in child.preterminals()]
            if not (child.is_preterminal or child.label in NESTED) or any(word.tag not in CORE for word in words):
                break
            modifiers[:0] = words
        if len(modifiers) >= 2:
            yield Phrase(tuple(modifiers), Word(children[head].word or "", children[head].label))


def _can_be_head(children: Sequence[Tree], i: int) -> bool:
    after = children[i + 1].label if i + 1 < len(children) else ""
    return (
        children[i].is_preterminal
        and children[i].label in COMMON_NOUNS
        and after not in PROPER_NOUNS
        and after != "POS"
    )


def _clean(tree: Tree) -> Tree:
    """Remove traces and function tags, and join hyphenated words into one word with the tag of the last."""
    # In reversed preorder, children come before their parents.
    cleaned: dict[int, Tree | None] = {}
    for node in reversed(list(tree.nodes())):
        if node.is_preterminal:
            cleaned[id(node)] = None if node.label == TRACE else node
            continue
        children = [child for child in (cleaned[id(child)] for child in node.children) if child is not None]
        label = re.split(r"[-=|]", node.label)[0]
        cleaned[id(node)] = Tree(label, tuple(_join_words(children))) if children else None
    return cleaned[id(tree)] or Tree("")


def _join_words(children: Sequence[Tree]) -> Iterator[Tree]:
    i = 0
    while i < len(children):
        child = children[i]
        i += 1
        while (
            child.is_preterminal
            and i + 1 < len(children)
            and children[i].label == HYPHEN
            and children[i + 1].is_preterminal
        ):
            last = children[i + 1]
            child = Tree(last.label, word=f"{child.word}{children[i].word}{last.word}", index=child.index)
            i += 2
        yield child
