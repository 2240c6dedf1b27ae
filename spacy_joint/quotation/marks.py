"""Quotation marks: which tokens are marks, whether they open or close, and how they are paired.

Marks are identified by their text, never by `is_quote` or a tag, which include apostrophes. Whether a pair is a
quotation is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from spacy.attrs import ORTH
from spacy.tokens import Doc

from ..annotation.quotations import DOUBLE

# Opening glyphs, with those that close them. Straight ones are both.
PAIRS = {
    "“": "”",
    "”": "”",
    "„": "“”‟",
    "‟": "”",
    "«": "»",
    "»": "«",
    "「": "」",
    "『": "』",
    "〝": "〞",
    "``": "''",
}
SINGLE_PAIRS = {"‘": "’", "‹": "›", "`": "'"}
OPENING, CLOSING, EITHER = 1, 2, 3
STRAIGHT_MARKS = {'"': EITHER, "''": EITHER}
SINGLE_STRAIGHT = {"'": EITHER, "’": CLOSING}


class MarkStyle:
    """Which tokens are quotation marks, and which marks close which.

    single (bool): Whether single marks quote, too, as in British print. Apostrophes do not: they are attached to words.
    guillemets_inward (bool): Whether guillemets point inward, »so«, as in German print, rather than «so».
    """

    def __init__(self, single: bool = False, guillemets_inward: bool = False) -> None:
        self.single = single
        self.closers = {**PAIRS, **(SINGLE_PAIRS if single else {})}
        if guillemets_inward:
            del self.closers["«"]
        else:
            del self.closers["»"]
        either = {**STRAIGHT_MARKS, **(SINGLE_STRAIGHT if single else {})}
        self.marks = {*DOUBLE, *self.closers, *"".join(self.closers.values()), *either}
        self.either = set(either)

    def find_role(self, doc: Doc, i: int) -> int:
        """Whether a mark opens, closes, or may do either, by its glyph and the spaces around it."""
        text = doc[i].text
        space_before = i == 0 or bool(doc[i - 1].whitespace_) or doc[i - 1].text.isspace()
        space_after = i + 1 == len(doc) or bool(doc[i].whitespace_) or doc[i + 1].text.isspace()
        if text in "'’" and not space_before and space_after and doc[i - 1].text[-1:] == "s":
            # Before a lower-case word, it is an apostrophe, as in "the dogs’ turn".
            following = doc[i + 1].text if i + 1 < len(doc) else ""
            return 0 if following[:1].islower() else CLOSING
        if text in self.either:
            if space_before != space_after:
                return OPENING if space_before else CLOSING
            return EITHER
        if text == "”":
            # In Swedish print, it also opens.
            return OPENING if space_before and not space_after else CLOSING
        if text == "“":
            # In German print, it closes.
            return OPENING if space_before and not space_after else EITHER
        if text in self.closers:
            return OPENING
        return CLOSING


class Texts:
    """The texts of a document's tokens. Predicates are evaluated once per distinct text.

    doc (Doc): The document.
    """

    def __init__(self, doc: Doc) -> None:
        orths, self.numbers = np.unique(doc.to_array(ORTH), return_inverse=True)
        self.texts = [doc.vocab.strings[orth] for orth in orths.tolist()]

    def find(self, is_one: Callable[[str], bool]) -> np.ndarray:
        """Which tokens have a text that satisfies a predicate (bool, one per token)."""
        return np.fromiter(map(is_one, self.texts), dtype=bool, count=len(self.texts))[self.numbers]


def pair_marks(doc: Doc, style: MarkStyle, paragraph_starts: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of marks, as tokens (opening, closing), in order.

    A mark without a partner does not affect later ones: the end of a paragraph discards an open mark, unless the next
    paragraph starts with an opening mark, as in quotations over several paragraphs; and a second opening mark replaces
    the first.

    paragraph_starts (Sequence[int]): The first tokens of paragraphs.
    """
    pairs = []
    opened: int | None = None
    starts = frozenset(paragraph_starts)
    marks = frozenset(np.flatnonzero(Texts(doc).find(lambda text: text in style.marks)).tolist())
    for i in sorted(starts | marks):
        is_mark = i in marks
        role = style.find_role(doc, i) if is_mark else 0
        if opened is not None and i in starts:
            if role & OPENING and doc[i].text == doc[opened].text:
                continue
            opened = None
        if not is_mark:
            continue
        if opened is None:
            if role & OPENING:
                opened = i
        elif role & CLOSING and _closes(doc, opened, i, style):
            pairs.append((opened, i))
            opened = None
        elif role & OPENING and _same_kind(doc, opened, i):
            opened = i
    return pairs


def _closes(doc: Doc, opened: int, i: int, style: MarkStyle) -> bool:
    first, second = doc[opened].text, doc[i].text
    return second == first if first in style.either else second in style.closers[first]


def _same_kind(doc: Doc, opened: int, i: int) -> bool:
    """Whether both marks are double or both single: a single mark inside double ones opens a nested quotation."""
    return (doc[opened].text in DOUBLE) == (doc[i].text in DOUBLE)


def find_paragraph_starts(doc: Doc) -> list[int]:
    """The first word of the document and the first word after each line break, in order."""
    texts = Texts(doc)
    words = np.flatnonzero(~texts.find(str.isspace))
    breaks = np.cumsum(texts.find(lambda text: text.isspace() and "\n" in text))
    return words[np.diff(breaks[words], prepend=-1) > 0].tolist()
