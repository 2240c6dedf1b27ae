"""Sentence boundaries and non-boundaries that the layout and marks of a text decide, as constraints of the search.

A sentence begins at a list item, a heading or a table row, after a blank line, and at The or another stop word after an
abbreviation. No sentence begins right after a bullet or a label; inside a string that the tokenizer has divided (a URL,
a number, an emoji); in lower case after a comma, an abbreviation, a quotation, a colon, dots, a dash or a long line; at
a name after a title; or, in English, within a citation, a line in title case or a name that begins a sentence. In text
without marks, capitals can decide. Other single line breaks are no sign, since text may be wrapped. Constraints depend
on a bounded context, so streams get the same ones.
"""

import re
from collections.abc import Sequence

import numpy as np
from spacy.attrs import IDX, ORTH, SPACY
from spacy.tokens import Doc

from ..pipes import marks
from ..pipes.arrays import forbid_starts
from ..pipes.joined_docs import JoinedDocs, JoinedWords
from ..pipes.spelling import DEFAULT_SPELLING, combines
from ..pipes.token_columns import find_styles
from ..pipes.word_table import WordTable
from .lines import FINAL, IS_COLON, LOOKAHEAD, LOOKBACK, OPENS_LINE, constrain_lines, find_opening, is_plain
from .mark_constraints import AHEAD, BEGINS_LOWER, Words, find_beginning, find_marked, may_be_title

# How words begin and end, see `forbid_starts`.
BEGINS_PLAIN, CONTINUES, BEGINS_WITH_FLAG, BEGINS_NOTHING = range(1, 5)
ENDS_PLAIN, WRAPS, JOINS, ENDS_WITH_FLAG, IS_ADDRESS, IS_BREAK, ENDS_IN_COLON, IS_SPACE, IS_TAB, IS_BAR = range(1, 11)
IS_WHITESPACE = np.isin(np.arange(11), (IS_BREAK, IS_SPACE, IS_TAB))
# These never begin a sentence, even after a space: French has one before some marks.
FOLLOWING = frozenset((*",;:!?|)]}", "Jr.", "Sr.", "etc.", "etc", "Co.", "Cos.", "Corp.", "Ltd.", "v.", "vs."))
CLITIC = re.compile(r"['’](?:s|re|ll|ve|d|m|t|em)|-\w.*", re.IGNORECASE)
# Characters that belong to the word that they are attached to; four begin notes: "It fell.[3]"
ATTACHED = frozenset(",;:.!?…)]}»”’%°[*†‡") | marks.INVISIBLE
# Characters that enclose words.
WRAPPING = frozenset("\"'’”»)]}*_~`>")
ADDRESS = re.compile(r"\w://\S|^www\.\S|mailto:\S")
# Variation selectors, joiners, skin tones, the keycap, tags.
EXTENDING = re.compile("[\u200d\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
# Emoji and emoticons that belong to the sentence before them; not emoji that point to the next words.
EMOTION = re.compile(
    "[\u2600-\u2604\u2614\u2615\u2639\u263a\u2665\u26bd\u26be\u26c4\u2708\u2728\u2744\u2763\u2764\U0001f300-\U0001f445\U0001f44a-\U0001f4cb\U0001f4f0-\U0001f516"
    "\U0001f525-\U0001f6ff\U0001f90c-\U0001faff]"
    r"|(?:[:;=]['-]?[)(DPp/\\|*3]+|<3+|\^_?\^|[xX]D+)$"
)
FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")

# The properties of words, see `_describe`.
_word_properties = WordTable(lambda words: [_describe(DEFAULT_SPELLING.spell(word)) for word in words], 7)


def find_layout(doc: Doc, **settings: bool) -> np.ndarray:
    """Finds the constraints that layout puts on sentence starts (int8, one per token): 1 must, -1 must not, 0 may start
    a sentence. For the settings, see `find_layouts`."""
    return find_layouts([doc], **settings)[0]


def find_layouts(
    docs: Sequence[Doc], *, blank_lines: bool = True, lower_case_starts: bool = False, joins_titles: bool = True
) -> list[np.ndarray]:
    """Finds the constraints of documents with one vocabulary: see `find_layout`. With `joins_titles`, English sentences
    must not start within Mayor Nora Dale. For the other settings, see `make_joint_sbd_parser`."""
    joined = JoinedDocs(docs, (ORTH, SPACY), _word_properties)
    _, edges, breaks, openings, endings, beginnings, capitals = joined.properties.T
    words = JoinedWords(joined, IS_WHITESPACE[edges], breaks)
    constraints = np.zeros(len(edges), dtype=np.int8)
    for part in joined.parts:
        forbid_starts(joined.properties[part], joined.values[part], constraints[part])
    described = Words(words, *(each[words.rows] for each in (beginnings, endings, capitals)))
    by_marks = find_marked(described, lower_case_starts=lower_case_starts, joins_titles=joins_titles)
    constraints[words.rows] = np.where(by_marks, by_marks, constraints[words.rows])
    if blank_lines:
        constraints[words.rows[words.n_breaks > 1]] = 1
    for doc, part, (own, tokens) in zip(docs, joined.parts, words.list_parts(), strict=True):
        _constrain_lines(doc, breaks[part], openings[part], tokens, words.n_breaks[own], constraints[part])
    return [constraints[part] for part in joined.parts]


def _constrain_lines(
    doc: Doc, breaks: np.ndarray, openings: np.ndarray, words: np.ndarray, n_breaks: np.ndarray, constraints: np.ndarray
) -> None:
    """Adds the constraints of the lines of a document, given the properties of its tokens, and its words."""
    has_breaks = breaks.any()
    # A single line can forbid starts, too, near its beginning.
    if has_breaks or (openings[:1] == OPENS_LINE).any() or (openings[:LOOKAHEAD] == IS_COLON).any():
        part = doc[:] if has_breaks else doc[: 2 * LOOKBACK]
        words = words[words < len(part)]
        n_breaks = n_breaks[: len(words)].copy()
        n_breaks[:1] = 2
        offsets = doc.to_array([IDX]).astype(np.int64)[words].tolist()
        constrain_lines(part.text, offsets, n_breaks, words, constraints)


def count_open_words(doc: Doc) -> int:
    """Counts the words at the end of a document whose constraints can depend on later words: a line of unknown kind,
    words before the next mark and capital, and AHEAD words, unless all begin in lower case and none can be an item."""
    properties = _word_properties.look_up(doc.to_array([ORTH]).reshape(-1), doc.vocab.strings)
    words = np.flatnonzero(~IS_WHITESPACE[properties[:, 1]])
    openings, ends, begins, capitals = properties[words, 3:].T
    first = int(np.searchsorted(words, np.flatnonzero(properties[:, 2]).max(initial=-1)))
    n_line, openings = len(words) - first, openings[first : first + LOOKAHEAD]
    _, _, n_open = find_styles(capitals, marks.FOLLOWS_QUOTES.take(ends))
    n_open += AHEAD * (n_open > 0)
    if n_line < LOOKAHEAD or may_be_title(doc, words[first:], begins[first:]):
        return max(n_line, n_open)
    may_have_items = n_line < LOOKBACK + AHEAD and (openings[0] == OPENS_LINE or (openings == IS_COLON).any())
    is_plain_text = (begins[-AHEAD:] == BEGINS_LOWER).all() and not may_have_items
    return max(0 if is_plain_text else AHEAD, n_open)


def _describe(text: str) -> tuple[int, int, int, int, int, int, int]:
    """Describes how a word begins and ends, the number of its line breaks (at most 2), whether it can open a line, how
    it can end and begin a sentence (`find_ending`, `find_beginning`), and whether it has a capital."""
    if not text or text.isspace():
        ends = IS_BREAK if "\n" in text else IS_TAB if "\t" in text else IS_SPACE
        return 0, ends, min(text.count("\n"), 2), OPENS_LINE, marks.WORD, 0, 0
    begins = ends = 0
    # Two dots may begin a sentence.
    may_begin = text.startswith("..")
    if text in FOLLOWING or EMOTION.match(text):
        begins = BEGINS_NOTHING
    elif (
        EXTENDING.match(text) or (text[0] in ATTACHED and not may_begin) or CLITIC.fullmatch(text) or combines(text[0])
    ):
        begins = CONTINUES
    elif FLAG.match(text):
        begins = BEGINS_WITH_FLAG
    elif is_plain(text[0]) and not may_begin:
        begins = BEGINS_PLAIN
    if ADDRESS.search(text):
        ends = IS_ADDRESS
    elif text[-1] == ":":
        ends = ENDS_IN_COLON
    elif text[-1] == "\u200d" or marks.INVISIBLE.issuperset(text):
        ends = JOINS
    elif FLAG.match(text[-1]):
        ends = ENDS_WITH_FLAG
    elif text == "|":
        ends = IS_BAR
    elif WRAPPING.issuperset(text):
        ends = WRAPS
    elif is_plain(text[-1]) and text[-1] not in FINAL and text[-1] not in WRAPPING:
        ends = ENDS_PLAIN
    opens, is_capital = find_opening(text), marks.has_capital(text)
    return begins, ends, 0, opens, marks.find_ending(text), find_beginning(text), is_capital
