"""Finding modifiers before nouns in constituency trees, dependency trees and tagged text.

A modifier is an adjective, a participle or a noun between the determiner, possessor or number and the head, which is a
common noun; adverbs, coordination and commas end the run (after Mitchell 2009 and Dunlop, Mitchell and Roark 2010, who
leave details open). Phrases with fewer than two modifiers are skipped.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spacy.tokens import Doc, Token

from ..annotation.sentences import list_sentences
from ..trees.constituency_trees import Tree, rewrite
from .phrases import Phrase, Word

ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})
PARTICIPLES = frozenset({"VBG", "VBN"})
COMMON_NOUNS = frozenset({"NN", "NNS"})
PROPER_NOUNS = frozenset({"NNP", "NNPS"})
CORE = ADJECTIVES | PARTICIPLES | COMMON_NOUNS | PROPER_NOUNS
# After one of these tags, a participle modifies the noun; elsewhere, it is more likely a verb.
OPENERS = frozenset({"DT", "PRP$", "CD", "POS"})
# A common noun before one of these tags is not the head.
NO_HEAD_BEFORE = PROPER_NOUNS | {"POS"}
HYPHEN = "HYPH"
TRACE = "-NONE-"
PHRASES = frozenset({"NP", "NX", "WHNP"})
NESTED = frozenset({"ADJP", "NML", "NX", "NAC", "QP", "UCP"})
RELATIONS = frozenset({"amod", "compound"})


class Place(NamedTuple):
    """The place of a phrase: the first word and the end of each modifier, left to right, and the head."""

    modifiers: tuple[tuple[int, int], ...]
    head: int


def find_in_tags(words: Sequence[str], tags: Sequence[str]) -> Iterator[tuple[Place, Phrase]]:
    """Find phrases in a tagged sentence: runs of the tags of modifiers and nouns, up to the last common noun, unless a
    proper noun or a possessive follows it (`the band leader Smith`)."""
    units = _join_hyphens(tags)
    n, first = len(units), 0
    while first < n:
        end = first
        while end < n and tags[units[end][1] - 1] in CORE:
            end += 1
        head = end - 1
        while head >= first and tags[units[head][1] - 1] not in COMMON_NOUNS:
            head -= 1
        after = tags[units[head + 1][0]] if head + 1 < n else ""
        if first <= head and after not in NO_HEAD_BEFORE:
            before = tags[units[first][0] - 1] if units[first][0] else ""
            if tags[units[first][1] - 1] in PARTICIPLES and before not in OPENERS:
                first += 1
            if head - first >= 2:
                found = [Word("".join(words[i:j]), tags[j - 1]) for i, j in units[first : head + 1]]
                yield Place(tuple(units[first:head]), units[head][1] - 1), Phrase(tuple(found[:-1]), found[-1])
        first = max(end, first + 1)


def _join_hyphens(tags: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first word and the end of each unit: a word, or several joined by hyphens that are separate tokens."""
    units: list[tuple[int, int]] = []
    for i, tag in enumerate(tags):
        if tag == HYPHEN and units and units[-1][1] == i < len(tags) - 1:
            units[-1] = (units[-1][0], i + 2)
        elif not units or units[-1][1] == i:
            units.append((i, i + 1))
    return units


def find_in_dependencies(doc: Doc) -> Iterator[tuple[Place, Phrase]]:
    """Find phrases in a parsed and tagged document: a noun with adjectives or nouns as left dependents. The modifiers
    must be adjacent and have no dependents, since those would move with them (`[orange juice] bottle`)."""
    for head in doc:
        if head.tag_ not in COMMON_NOUNS:
            continue
        modifiers = [child for child in head.lefts if child.dep_ in RELATIONS]
        if len(modifiers) < 2:
            continue
        places = list(map(_find_whole, modifiers))
        if [end for _, end in places] != [*[first for first, _ in places[1:]], head.i]:
            continue
        texts = ["".join(token.text for token in doc[first:end]) for first, end in places]
        words = [Word(text, token.tag_) for text, token in zip(texts, modifiers, strict=True)]
        yield Place(tuple(places), head.i), Phrase(tuple(words), Word(head.text, head.tag_))


def _find_whole(token: Token) -> tuple[int, int]:
    """Return the span of a modifier without dependents or joined by hyphens, else (-1, -1), which adjoins no span."""
    first, end = token.left_edge.i, token.right_edge.i + 1
    inner = token.doc[first:end]
    whole = end - first == 1 or all(not word.whitespace_ for word in inner[:-1])
    return (first, end) if whole else (-1, -1)


def find_in_doc(doc: Doc, source: str = "auto") -> Iterator[tuple[Place, Phrase]]:
    """Find phrases in a document, with token indices. "auto": by dependencies if it is parsed, else by tags."""
    if source == "dependencies" or (source == "auto" and doc.has_annotation("DEP")):
        yield from find_in_dependencies(doc)
        return
    for sentence in list_sentences(doc):
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
        after = [*(child.label for child in children[1:]), ""]
        nouns = [i for i, child in enumerate(children) if child.is_preterminal and child.label in COMMON_NOUNS]
        head = max((i for i in nouns if after[i] not in NO_HEAD_BEFORE), default=-1)
        if head < 0 or "NP" in after[head:]:
            continue
        modifiers: list[Word] = []
        for child in reversed(children[:head]):
            words = [Word(leaf.word or "", leaf.label) for leaf in child.preterminals()]
            if not (child.is_preterminal or child.label in NESTED) or any(word.tag not in CORE for word in words):
                break
            modifiers[:0] = words
        if len(modifiers) >= 2:
            yield Phrase(tuple(modifiers), Word(children[head].word or "", children[head].label))


def _clean(tree: Tree) -> Tree:
    """Remove traces and function tags, and join hyphenated words into one word with the tag of the last."""

    def clean(node: Tree, children: tuple[Tree, ...]) -> Sequence[Tree]:
        if node.is_preterminal:
            return () if node.label == TRACE else (node,)
        return (Tree(re.split(r"[-=|]", node.label)[0], tuple(_join_words(children))),) if children else ()

    return next(iter(rewrite(tree, clean)), Tree(""))


def _join_words(children: Sequence[Tree]) -> Iterator[Tree]:
    rest = list(children)
    while rest:
        child = rest.pop(0)
        while child.is_preterminal and len(rest) > 1 and rest[0].label == HYPHEN and rest[1].is_preterminal:
            hyphen, last = rest.pop(0), rest.pop(0)
            child = Tree(last.label, word=f"{child.word}{hyphen.word}{last.word}", index=child.index)
        yield child
