"""Attribution: finding the cue of each quotation and the speaker of each cue.

The rules follow annotation guidelines and user requests; nothing is learnt. Quotations without a cue and cues without a
speaker are left as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from spacy.tokens import Doc, Span, Token

from ..annotation.dependency_trees import cut_subtype
from ..annotation.quotations import MIXED
from .layout import find_paragraph_starts

Run = tuple[int, int]
SUBJECTS = ("nsubj", "csubj")
AGENTS = ("agent", "obl:agent")
# "according to X", where X is the speaker, in UD and other trees.
ACCORDING = "according"
DASHES = frozenset(("-", "--", "–", "—", "―"))
# The maximum length of a signature, in tokens.
MAX_SIGNATURE = 8
# The maximum distance between a quotation and a cue that does not govern it, in tokens.
MAX_CUE_DISTANCE = 12


@dataclass(frozen=True)
class Quotation:
    """A quotation.

    contents: Its runs of tokens, in order: several if it is interrupted.
    cue: The cue that signals it; None if there is none.
    speaker: The mention of the speaker; None if unknown.
    scores: The scores of its runs; 1 if the method does not score them.
    """

    contents: tuple[Span, ...]
    cue: Span | None
    speaker: Span | None
    scores: tuple[float, ...]

    @property
    def type(self) -> str:
        """The type of all runs; MIXED if they differ."""
        types = {content.label_ for content in self.contents}
        return types.pop() if len(types) == 1 else MIXED


def find_cues(doc: Doc, runs: Sequence[Run], cues: Sequence[int]) -> list[int | None]:
    """The cue of each run: one that governs it, else the nearest in its sentence, else the nearest one close by in the
    same paragraph.

    runs (Sequence[Run]): The first token and the end of each run, in order.
    cues (Sequence[int]): The head tokens of cues.
    """
    inside = np.zeros(len(doc) + 1, dtype=bool)
    for begin, end in runs:
        inside[begin:end] = True
    # Cues inside quotations belong to nested quotations.
    outer = [cue for cue in sorted(cues) if not inside[cue]]
    if not outer:
        return [None] * len(runs)
    places = np.array(outer)
    known = set(outer)
    sentences = _number_sentences(doc)
    paragraphs = np.zeros(len(doc) + 1, dtype=np.int64)
    paragraphs[find_paragraph_starts(doc)] = 1
    paragraphs = np.cumsum(paragraphs)
    governors = [_find_governor(doc, begin, end, known) for begin, end in runs]
    governing = set(governors)

    def rank(cue: int, begin: int, end: int) -> tuple[bool, bool, bool, int]:
        # In the same sentence first; then those before it, or that govern nothing else; words before marks.
        is_elsewhere = bool(sentences[min(cue, begin)] != sentences[max(cue, end - 1)])
        is_taken = is_elsewhere and cue >= end and cue in governing
        return is_elsewhere, is_taken, not doc[cue].text.isalnum(), begin - cue if cue < begin else cue - end + 1

    found: list[int | None] = []
    for governor, (begin, end) in zip(governors, runs, strict=True):
        at = int(np.searchsorted(places, begin))
        near = [cue for cue in outer[max(at - 1, 0) : at + 1] if _is_near(doc, cue, begin, end, sentences, paragraphs)]
        nearest = min(near, key=lambda cue: rank(cue, begin, end), default=None)
        found.append(nearest if governor is None else governor)
    return found


def _is_near(doc: Doc, cue: int, begin: int, end: int, sentences: np.ndarray, paragraphs: np.ndarray) -> bool:
    first, last = min(cue, begin), max(cue, end - 1)
    if sentences[first] == sentences[last] and paragraphs[first] == paragraphs[last]:
        return True
    # A colon introduces what follows, even in the next paragraph.
    if cue < begin and not doc[cue].text.isalnum():
        return paragraphs[begin] - paragraphs[cue] <= 1 and begin - cue <= MAX_CUE_DISTANCE
    distance = begin - cue if cue < begin else cue - end + 1
    return paragraphs[first] == paragraphs[last] and distance <= MAX_CUE_DISTANCE


def _find_governor(doc: Doc, begin: int, end: int, cues: set[int]) -> int | None:
    """The nearest cue above a run in the tree."""
    if not doc.has_annotation("DEP"):
        return None
    for ancestor in doc[begin:end].root.ancestors:
        if ancestor.i in cues:
            return ancestor.i
    return None


def _number_sentences(doc: Doc) -> np.ndarray:
    if not doc.has_annotation("SENT_START"):
        return np.zeros(len(doc) + 1, dtype=np.int64)
    return np.cumsum([*(bool(token.is_sent_start) for token in doc), False])


def find_speaker(doc: Doc, cue: int, inside: np.ndarray) -> Span | None:
    """The mention of the speaker in the tree: the subject of the cue, or an agent; for "according to", its object. No
    tree is needed for a signature after a dash, or for a name before a colon. None if there is none.

    cue (int): The head token of a cue.
    inside (np.ndarray): Which tokens are inside quotations, where speakers are not looked for (bool, one per token).
    """
    token = doc[cue]
    if token.text in DASHES:
        return _find_signature(doc, cue)
    if token.text == ":":
        return _find_announced(doc, cue, inside)
    if not doc.has_annotation("DEP"):
        return None
    mention = _find_source(token, inside)
    if mention is None and inside[max(cue - 2, 0) : cue].any():
        # “...,” said X: parsers analyse the quotation as the subject, and X as the object.
        nouns = (child for child in token.children if child.i > cue and child.tag_.startswith(("N", "PRP")))
        mention = next((child for child in nouns if not inside[child.i]), None)
    if mention is None:
        # In coordinations and chains of verbs, the first verb has the subject.
        above = token
        while mention is None and cut_subtype(above.dep_) in ("conj", "xcomp", "aux") and above.head is not above:
            above = above.head
            mention = _find_source(above, inside)
    if mention is None and token.dep_.startswith("acl") and token.tag_ in ("VBG", "VBN", "VBD", "VBZ", "VBP"):
        mention = token.head
    if mention is None or inside[mention.i]:
        return None
    return _find_mention(doc, mention, cue, inside)


def _find_source(token: Token, inside: np.ndarray) -> Token | None:
    if token.lower_ == ACCORDING:
        if token.dep_ == "case":
            return token.head
        objects = (below for below in token.subtree if below.dep_ in ("pobj", "obl", "nmod") and below.i > token.i)
        return next(objects, None)
    children = [child for child in token.children if not inside[child.i]]
    passive = any(child.dep_ in ("nsubjpass", "nsubj:pass") for child in children)
    for child in children:
        if child.dep_ in AGENTS:
            return next((below for below in child.children if below.dep_ == "pobj"), child)
    if passive:
        return None
    return next((child for child in children if cut_subtype(child.dep_) in SUBJECTS), None)


def _find_mention(doc: Doc, head: Token, cue: int, inside: np.ndarray) -> Span | None:
    """The words around the head of a mention, without the cue, quoted words, and punctuation at its ends."""
    begin, end = head.i, head.i + 1
    stop = {cue}
    while begin > head.left_edge.i and begin - 1 not in stop and not inside[begin - 1]:
        begin -= 1
    while end <= head.right_edge.i and end not in stop and not inside[end]:
        end += 1
    while begin < head.i and (not doc[begin].text[0].isalnum() or doc[begin].dep_ in ("case", "fixed")):
        begin += 1
    while end > head.i + 1 and not doc[end - 1].text[-1].isalnum():
        end -= 1
    return doc[begin:end]


def _find_signature(doc: Doc, dash: int) -> Span | None:
    end = dash + 1
    while end < len(doc) and not doc[end].text.isspace():
        end += 1
    return doc[dash + 1 : end] if dash + 1 < end <= dash + 1 + MAX_SIGNATURE else None


def _find_announced(doc: Doc, colon: int, inside: np.ndarray) -> Span | None:
    """X in "From the desk of X:", "And from X:" and "X:" at the start of a paragraph."""
    begin = colon
    while begin > 0 and "\n" not in doc[begin - 1].text and colon - begin <= MAX_SIGNATURE:
        begin -= 1
    if inside[begin:colon].any() or colon - begin > MAX_SIGNATURE:
        return None
    for i in range(colon - 1, begin - 1, -1):
        if doc[i].lower_ in ("from", "of", "by"):
            begin = i + 1
            break
    names = all(token.text[0].isupper() or not token.text[0].isalpha() for token in doc[begin:colon])
    return doc[begin:colon] if begin < colon and names else None
