"""Finds quotation marks, decides whether they open or close, and pairs them.

The text alone identifies a mark: `is_quote` and tags include apostrophes. Other modules decide whether a pair is a
quotation.
"""

import re
from collections.abc import Callable, Sequence, Set
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from spacy.attrs import ORTH
from spacy.tokens import Doc

from ..annotation.quotations import DOUBLE
from .layout import find_paragraph_starts
from .mark_roles import (
    CLOSING,
    EITHER,
    NEITHER,
    OPENING,
    find_straight_role,
    is_elided,
    is_followed_by_verb,
    resolve_roles,
)

# Opening glyphs, and the glyphs that close them. Straight marks do both.
PAIRS = {
    **{"“": ("”",), "”": ("”",), "„": ("“", "”", "‟"), "‟": ("”",), "«": ("»",), "``": ("''",)},
    **{"「": ("」",), "『": ("』",), "〝": ("〞", "〟")},
}
SINGLE_PAIRS = {"‘": ("’",), "‚": ("‘", "’"), "‹": ("›",), "`": ("'",)}
# In Finnish and some Swedish print, both marks point to the right.
INWARD = {"»": ("«", "»"), "›": ("‹", "›")}
DOUBLE_COMMAS = frozenset(("“", "”", "„", "‟", "``", "''", '"', "＂"))
SINGLE_COMMAS = frozenset(("‘", "’", "‚", "`", "'"))
STRAIGHT_MARKS = frozenset(('"', "''", "＂"))
SINGLE_STRAIGHT = frozenset(("'", "’"))
# Pairs in texts from several sources: “so".
MIXED_PAIRS = ({"“", '"'}, {"”", '"'})
# The last character of a quoted sentence or of its first part.
STOPS = frozenset(",.?!…;·。，、！？،؟؛")
# The same, or of interrupted speech.
ENDS = STOPS | frozenset("-–—―")
# Marks that the tokenizer did not split off: “‘Tis ... late.”--
OPENS_WORD = re.compile(r"([“”„‟«»「『\"]|‘(?=’))\W*\w*")
CLOSES_WORD = re.compile(r".+([”‟»」』]|(?<=\W)\")\W*")
# The longest line of quoted verse, in tokens.
MAX_VERSE = 16
# The maximum number of open marks: each mark is compared with all of them.
MAX_OPEN = 32
# ' and ’ also open if there are more than this many of them for each ‘.
MIN_STRAIGHT = 4
AUTO = "auto"
COMMAS = frozenset((",", "،", "，"))
ALL_MARKS = frozenset((*DOUBLE, *SINGLE_COMMAS, "‹", "›"))
# English, or unknown: commas precede the closing mark.
AMERICAN = frozenset(("en", ""))


class MarkStyle:
    """Which tokens are quotation marks, and which marks close which. Single marks can quote, too, as in British print;
    ’ then opens only where ‘ is not used. Guillemets can point inward, »so«, as in German print. Dashes can start
    speech: see dialogue.py."""

    def __init__(self, single: bool, guillemets_inward: bool, straight_opens: bool, dashes: bool | str) -> None:
        self.dashes = dashes
        self.closers = {**PAIRS, **(SINGLE_PAIRS if single else {})}
        self.straight_opens = straight_opens
        if guillemets_inward:
            self.closers = {opening: closing for opening, closing in self.closers.items() if opening not in "«‹"}
            self.closers |= {opening: closing for opening, closing in INWARD.items() if single or opening in DOUBLE}
        self.closing = frozenset(chain.from_iterable(self.closers.values()))
        self.either = STRAIGHT_MARKS | (SINGLE_STRAIGHT if single else frozenset())
        self.marks = {*DOUBLE, *self.closers, *self.closing, *self.either}

    def find_role(self, doc: Doc, i: int) -> int:
        """Returns the role of a mark: it opens, closes, or can do either, by its glyph and its neighbours."""
        text = doc[i].text
        space_before = i == 0 or bool(doc[i - 1].whitespace_) or doc[i - 1].text.isspace()
        space_after = i + 1 == len(doc) or bool(doc[i].whitespace_) or doc[i + 1].text.isspace()
        if text in SINGLE_STRAIGHT:
            return find_straight_role(doc, i, space_before, space_after, self.straight_opens)
        if text in self.either:
            # The space may be on the wrong side: "Is it late? "he asked.
            is_unsure = i > 0 and doc[i - 1].text[-1] in STOPS and is_followed_by_verb(doc, i)
            return EITHER if space_before == space_after or is_unsure else OPENING if space_before else CLOSING
        if text == "‘" and is_elided(doc[i + 1 : i + 2].text):
            return NEITHER
        if text in self.closers and text in self.closing:
            # “ closes in German print; ” also opens in Swedish print.
            return OPENING if space_before and not space_after else CLOSING if text == "”" else EITHER
        return OPENING if text in self.closers else CLOSING


class Marking(NamedTuple):
    """The paragraphs of a document, its style of quotation marks, and the pairs of marks in this style."""

    starts: list[int]  # the first words of paragraphs
    style: MarkStyle
    pairs: list[tuple[int, int]]  # see `pair_marks`


def find_marking(
    doc: Doc,
    single_quotes: bool | str = AUTO,
    guillemets_inward: bool | str = AUTO,
    dialogue_dashes: bool | str = AUTO,
) -> Marking:
    """Finds the marks of a document. With "auto", single marks quote if they enclose more speech than double ones, and
    guillemets point inward if the first one does in most paragraphs with guillemets."""
    texts, starts = Texts(doc), find_paragraph_starts(doc)
    if guillemets_inward == AUTO:
        guillemets = np.flatnonzero(texts.find("«»‹›".__contains__))
        _, first = np.unique(np.searchsorted(starts, guillemets, side="right"), return_index=True)
        inward = [doc[i].text in INWARD for i in guillemets[first].tolist()]
        guillemets_inward = sum(inward) > len(inward) / 2
    n_opening, n_straight = (int(texts.find(marks.__contains__).sum()) for marks in ("‘‚`", SINGLE_STRAIGHT))
    straight_opens = n_opening * MIN_STRAIGHT < n_straight

    def make(single: bool) -> Marking:
        style = MarkStyle(single, bool(guillemets_inward), straight_opens, dialogue_dashes)
        return Marking(starts, style, pair_marks(doc, style, starts))

    if single_quotes != AUTO:
        return make(bool(single_quotes))
    # In speech, a stop precedes the closing mark, or a comma follows it. Outermost pairs only: others are quotations
    # within quotations.
    marking = make(True)
    speech = (a for a, b in marking.pairs if doc[b - 1].text[-1] in ENDS or doc[b + 1 : b + 2].text in COMMAS)
    are_double = [doc[a].text in DOUBLE for a in speech]
    return marking if 2 * sum(are_double) < len(are_double) else make(False)


class Texts:
    """The texts of a document's tokens. Predicates are evaluated once per distinct text."""

    def __init__(self, doc: Doc) -> None:
        orths, self.numbers = np.unique(doc.to_array(ORTH), return_inverse=True)
        self.texts = [doc.vocab.strings[orth] for orth in orths.tolist()]

    def find(self, predicate: Callable[[str], bool]) -> np.ndarray:
        """Returns which tokens have a text that satisfies a predicate (bool, one per token)."""
        return np.fromiter(map(predicate, self.texts), dtype=bool, count=len(self.texts))[self.numbers]


def pair_marks(doc: Doc, style: MarkStyle, paragraph_starts: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs marks, as tokens (opening, closing), in order; leaves out pairs inside others."""
    # A mark without a partner does not affect later ones: the end of a paragraph discards open marks, unless the
    # quotation continues, and a second opening mark replaces the first of the same kind, unless it follows a word.
    pairs: list[tuple[int, int]] = []
    # The open marks, outermost first.
    opened: list[int] = []
    starts = frozenset(paragraph_starts)
    glyphs, roles = _find_glyphs(doc, style, paragraph_starts)
    previous = 0
    for i in sorted(starts | roles.keys()):
        role, glyph = roles.get(i, NEITHER), glyphs.get(i, doc[i].text)
        if i in starts:
            follows_line, previous = _is_line(doc, previous, i), i
            if opened and role & OPENING and glyph == glyphs[opened[0]]:
                continue
            # A letter within speech has its own marks; verse has none.
            if glyph not in SINGLE_COMMAS and (role & OPENING or not follows_line):
                opened.clear()
        closed = [mark for mark in opened if role & CLOSING and _closes(glyphs[mark], glyph, style)]
        if closed:
            begin = closed[-1]
            del opened[opened.index(begin) :]
            while pairs and pairs[-1][0] > begin:
                pairs.pop()
            pairs.append((begin, i))
        elif role & OPENING:
            same = [level for level, mark in enumerate(opened) if _get_kind(glyphs[mark]) == _get_kind(glyph)]
            # After a word, marks are more likely around a name in speech: “Who read the “Post,” and why?”
            opened[same[0] if same and not doc[i - 1].text[-1].isalnum() else len(opened) :] = [i]
            del opened[:-MAX_OPEN]
    return pairs


def _find_glyphs(doc: Doc, style: MarkStyle, paragraph_starts: Sequence[int]) -> tuple[dict[int, str], dict[int, int]]:
    """Finds the glyphs and the roles of the marks of a document, by token."""
    texts = Texts(doc)
    marks = np.flatnonzero(texts.find(style.marks.__contains__)).tolist()
    glyphs = {i: doc[i].text for i in marks}
    roles = {i: style.find_role(doc, i) for i in marks}
    opening = style.either | style.closers.keys()
    for pattern, role, marks_of_role in ((OPENS_WORD, OPENING, opening), (CLOSES_WORD, CLOSING, style.marks)):
        for i in np.flatnonzero(texts.find(partial(_has_mark, pattern, marks_of_role))).tolist():
            glyphs[i], roles[i] = pattern.fullmatch(doc[i].text)[1], role  # type: ignore[index]
    for kind in (SINGLE_COMMAS, STRAIGHT_MARKS):
        known = {i: role for i, role in roles.items() if glyphs[i] in kind}
        resolve_roles(doc, known, paragraph_starts)
        roles |= known
    return glyphs, roles


def _has_mark(pattern: re.Pattern[str], marks: Set[str], text: str) -> bool:
    match = pattern.fullmatch(text)
    return match is not None and text not in marks and match[1] in marks


def _is_line(doc: Doc, previous: int, i: int) -> bool:
    """Returns whether a paragraph is a short line that another, at token `i`, follows without a blank line."""
    return i - previous <= MAX_VERSE and doc[i - 1].text.count("\n") == 1


def _get_kind(mark: str) -> str:
    """Returns the kind of an opening mark; marks of other kinds can be inside it."""
    return '"' if mark in DOUBLE_COMMAS else "'" if mark in SINGLE_COMMAS else mark


def _closes(opening: str, closing: str, style: MarkStyle) -> bool:
    if {opening, closing} in MIXED_PAIRS:
        return True
    return closing == opening if opening in style.either else closing in style.closers[opening]
