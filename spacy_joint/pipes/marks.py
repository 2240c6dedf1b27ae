"""Signs of a sentence boundary before a word: a mark, perhaps followed by closing quotation marks or brackets, and line
breaks. These are the values of the column `before`.

A value is the number of a mark, plus a number for each thing after it. A list has some abbreviations; models learn
whether other dotted words are abbreviations, and which line breaks are hard wraps.
"""

import re
import unicodedata
from collections.abc import Iterable

import numpy as np

from .abbreviations import ALL_STEMS, read_leading, read_stems
from .arrays import following, preceding

# What precedes a word: another word, a mark, or an abbreviation that belongs to it ("Dr.").
WORD, COMMA, DOTTED, COLON, DASH, SYMBOL, TERMINAL, ABBREVIATION = range(8)
# UNMARKED: a word in text without marks, where their absence is not informative. CONTINUED: text in lower case follows
# a comma, an abbreviation, or something in quotation marks or brackets.
UNMARKED, CONTINUED = 8, 9
# A capital letter with a full stop, most often part of a name; and dots, after which a sentence often continues.
INITIAL, ELLIPSIS = 10, 11
# May be added to these.
IN_QUOTES, IN_BRACKETS, LINE, BLANK_LINE = 16, 32, 64, 128
CLOSED = (0, IN_QUOTES, IN_BRACKETS)
# All values are below this.
N_VALUES = 2 * BLANK_LINE
# More endings of `find_ending`: closing marks, words that a full stop may make an English abbreviation, the full stop,
# quotation marks that French separates from what they enclose, and words that may be abbreviations of other languages.
CLOSES_QUOTES, CLOSES_BRACKETS, STEM, FULL_STOP, LEFT_QUOTE, RIGHT_QUOTE, OTHER_STEM = range(12, 19)

MARKS = {**dict.fromkeys(",;，、；،؛", COMMA), ":": COLON, "：": COLON}  # noqa: RUF001
TERMINALS = frozenset(".?!…‽。！？؟।॥")
DOTS = re.compile(r"[.]{2,}|…+")
# U.S, M.Sc: abbreviations whose last full stop is a token by itself.
DOTS_INSIDE = re.compile(r"[^\W\d_]{1,3}(?:[.][^\W\d_]{1,3})+")
ENGLISH_LEADING, ENGLISH_STEMS = read_leading("en"), read_stems("en")
# Added for line breaks.
LINES = np.array([0, LINE, BLANK_LINE], dtype=np.uint8)
LEFT_QUOTES, RIGHT_QUOTES = frozenset("«‹"), frozenset(("»", "›", "”", "''"))
# Invisible characters, such as zero-width spaces, which are skipped like brackets.
INVISIBLE = frozenset("\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u2060\u2066\u2067\u2068\u2069\ufeff")
QUOTES = frozenset("\"'’‘`“”«‹»›")
BRACKETS = frozenset(")]}）】") | INVISIBLE  # noqa: RUF001


def find_ending(text: str) -> int:
    """Classify a word by how it can end a sentence: a mark, CLOSES_QUOTES, CLOSES_BRACKETS, STEM, OTHER_STEM,
    FULL_STOP, or LEFT_QUOTE and RIGHT_QUOTE, which can close quotations, too."""
    if text in MARKS:
        return MARKS[text]
    if text == ".":
        return FULL_STOP
    if text.lower() in ENGLISH_STEMS or DOTS_INSIDE.fullmatch(text):
        return STEM
    if text.lower() in ALL_STEMS:
        return OTHER_STEM
    if TERMINALS.issuperset(text):
        return ELLIPSIS if DOTS.fullmatch(text) else TERMINAL
    if text in LEFT_QUOTES:
        return LEFT_QUOTE
    if text in RIGHT_QUOTES:
        return RIGHT_QUOTE
    if QUOTES.issuperset(text):
        return CLOSES_QUOTES
    if BRACKETS.issuperset(text):
        return CLOSES_BRACKETS
    if text[-1] == ".":
        if len(text) == 2 and text[0].isupper():
            return INITIAL
        return ABBREVIATION if text.lower() in ENGLISH_LEADING else DOTTED
    if any(map(str.isalnum, text)):
        return WORD
    return DASH if all(unicodedata.category(each) == "Pd" for each in text) else SYMBOL


def has_capital(text: str) -> bool:
    """Tell whether a word has a capital letter; "I" may have one in text that is otherwise in lower case."""
    return text not in (text.lower(), "I")


def make_table(values: Iterable[int]) -> np.ndarray:
    """Make a lookup table (bool) that is True for these values: `np.isin` is slow on short arrays."""
    table = np.zeros(N_VALUES, dtype=bool)
    table[list(values)] = True
    return table


IS_CLOSING_QUOTE = make_table((CLOSES_QUOTES, LEFT_QUOTE, RIGHT_QUOTE))
# Marks that can follow a quotation, and marks after which a sentence can continue.
FOLLOWS_QUOTES = make_table((COMMA, COLON, TERMINAL, ELLIPSIS, FULL_STOP, CLOSES_BRACKETS))
LEAVES_OPEN = make_table((COMMA, DOTTED, ABBREVIATION, INITIAL))
# The lengths of lines that may be wrapped, in words and marks, and their endings; longer lines are paragraphs.
WRAPPED_LENGTHS = range(7, 26)
MAY_WRAP = make_table((WORD, COMMA, STEM, OTHER_STEM))
# The mark of each ending.
MARK_OF = np.arange(N_VALUES, dtype=np.uint8)
MARK_OF[CLOSES_QUOTES:] = WORD
MARK_OF[FULL_STOP] = TERMINAL


def count_breaks(n_breaks: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Count the line breaks before each word, given those in each token and the tokens that are words."""
    so_far = np.cumsum(n_breaks)[words]
    return so_far - preceding(so_far)


def attach_quotes(endings: np.ndarray, is_glued: np.ndarray, n_breaks: np.ndarray) -> np.ndarray:
    """Find the words that are attached to the word before, as if there were no spaces inside « and ». A right mark
    without a space after it opens a quotation, as in »Nein«. For the arguments, see `read_before`."""
    is_right = (endings == RIGHT_QUOTE) & (~following(is_glued) | FOLLOWS_QUOTES.take(following(endings)))
    after_left = preceding((endings == LEFT_QUOTE) & ~is_glued)
    return is_glued | (n_breaks == 0) & (is_right | after_left)


def read_before(
    endings: np.ndarray, is_glued: np.ndarray, begins_lower: np.ndarray, n_breaks: np.ndarray
) -> np.ndarray:
    """Find the value of `before` (uint8) for each word.

    endings (ndarray): Of each word, see `find_ending`.
    is_glued (ndarray): Whether each word is attached to the one before.
    begins_lower (ndarray): Whether each word begins with a lower-case letter.
    n_breaks (ndarray): The number of line breaks before each word.
    """
    # Quotation marks that are not attached to the word before may be opening ones.
    closes_brackets = endings == CLOSES_BRACKETS
    closer = closes_brackets | IS_CLOSING_QUOTE.take(endings) & is_glued
    ends, after_closer = MARK_OF.take(endings), preceding(closer)
    # Look through at most two closing marks, as in ?").
    through = np.where(preceding(closer, 2), preceding(ends, 3), preceding(ends, 2))
    mark = np.where(after_closer, through, preceding(ends))
    closed = np.where(preceding(closes_brackets), np.uint8(IN_BRACKETS), np.uint8(IN_QUOTES)) * after_closer
    # A full stop after an abbreviation or another full stop may not end a sentence, as in "etc. and" and ". . . and".
    is_stop = endings == FULL_STOP
    is_dotted = preceding(is_stop & preceding(is_stop | (endings == STEM)))
    may_continue = begins_lower | is_stop & preceding(is_stop)
    continues = (after_closer | is_dotted | LEAVES_OPEN.take(mark)) & may_continue
    return np.where(continues, np.uint8(CONTINUED), mark + closed) + LINES.take(n_breaks, mode="clip")
