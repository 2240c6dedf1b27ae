"""Certain sentence boundaries and non-boundaries by the layout of a text and its marks, as constraints of the search.

A blank line, a list item, a heading, a row of a table and the like begin a sentence, and so does The or another English
stop word after an abbreviation; no sentence begins right after a bullet or a label, inside a string that the tokenizer
has divided (a URL, a number, an emoji), or where text goes on in lower case after a comma, an abbreviation, a quotation
or English colons, dots and dashes; or a name after a title; nor, in English, within a citation or a name that begins a
sentence. A single line break alone is not a sign, since running text may be wrapped. Constraints depend on a bounded
context, so that streams get the same ones.
"""

import re
from typing import Any

import numpy as np
from spacy.attrs import IDX, ORTH, SPACY
from spacy.tokens import Doc

from ..annotation.reporting_verbs import read_verbs
from ..pipes import marks
from ..pipes.abbreviations import REFERENCES, WORDS, read_abbreviations, read_leading
from ..pipes.arrays import following, forbid_starts, preceding
from ..pipes.spelling import AS_WRITTEN, combines
from ..pipes.word_table import WordTable
from .lines import FINAL, IS_COLON, ITEM, LOOKAHEAD, LOOKBACK, OPENS_LINE, constrain_lines, find_opening, is_plain

# How words begin and end, see `forbid_starts`.
BEGINS_PLAIN, CONTINUES, BEGINS_WITH_FLAG, BEGINS_NOTHING = range(1, 5)
ENDS_PLAIN, WRAPS, JOINS, ENDS_WITH_FLAG, IS_ADDRESS, IS_BREAK, ENDS_IN_COLON, IS_SPACE, IS_TAB, IS_BAR = range(1, 11)
IS_WHITESPACE = np.isin(np.arange(11), (IS_BREAK, IS_SPACE, IS_TAB))
# These never begin a sentence, even after a space: French has one before some marks.
FOLLOWING = frozenset((*",;:!?|", "Jr.", "Sr.", "etc.", "etc", "Co.", "Cos.", "Corp.", "Ltd.", "v.", "vs."))
CLITIC = re.compile("['’](?:s|re|ll|ve|d|m|t|em)", re.IGNORECASE)
# Characters that belong to the word that they are attached to; four begin notes: "It fell.[3]"
ATTACHED = frozenset(",;:.!?…)]}»”’%°[*†‡") | marks.INVISIBLE
# Characters that enclose words.
WRAPPING = frozenset("\"'’”»)]}*_~`>")
ADDRESS = re.compile(r"\w://\S|^www\.\S|mailto:\S")
# Variation selectors, joiners, skin tones, the keycap, tags.
EXTENDING = re.compile("[\u200d\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
# Emoji and emoticons that belong to the sentence before them; not emoji that point to the next words.
EMOTION = re.compile(
    "[\u2600-\u2604\u2615\u2639\u263a\u2665\u2728\u2763\u2764\U0001f300-\U0001f445\U0001f44a-\U0001f4cb\U0001f4f0-\U0001f516"
    "\U0001f525-\U0001f6ff\U0001f90c-\U0001faff]"
    r"|(?:[:;=]['-]?[)(DPp/\\|*3]+|<3+|\^_?\^|[xX]D+)$"
)
FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")

# The number of words after a quotation that can name its speaker; English words that begin a noun phrase, and that name
# no speaker.
REPORT, ARTICLES = 4, frozenset("The A An His Her Its My Our Their No This That".split())  # noqa: SIM905
NOBODY = frozenset(("Nobody", "Nothing"))

# The words before a name of two words that begin its sentence, at most: Former White House Press Secretary.
NAME = 5
# What a reference can name: 3b, S1, XII.
LABEL = re.compile(r"[A-Z]{0,2}\d|[IVX]{2,5}$")
# Signs between words in formulas and code.
OPERATORS = frozenset("= + < > ≤ ≥ ≠ ≈ → => -> --> == != <= >= && || += :=".split())  # noqa: SIM905
# Signs before an amount, and before a section or what else is cited.
CURRENCIES, SECTIONS = frozenset("$€£¥"), frozenset("§¶&")
AMOUNT = CURRENCIES | SECTIONS | frozenset("#~")
# The letters of an abbreviation that the list lacks between numbers of a citation (12 So. 98), at most.
REPORTER = 3
# How a word begins: with a lower-case letter, with a capital and lower-case letters, with a digit, or as an amount or a
# section; or that it is an operator or a backtick.
BEGINS_LOWER, BEGINS_UPPER, IS_OPERATOR, IS_TICK, BEGINS_NUMBER, BEGINS_AMOUNT, BEGINS_SECTION = range(1, 8)
# The endings of words that belong to the next word.
LEADING = (marks.ABBREVIATION, marks.INITIAL)

# Tables of the values of `before`, see marks.py: the end of a sentence, and no mark.
ENDS_SENTENCE = marks.make_table(marks.TERMINAL + closed for closed in marks.CLOSED)
IS_OPEN = marks.make_table(mark + closed for mark in (marks.WORD, marks.SYMBOL) for closed in marks.CLOSED)
# A name may begin, or go on, after these.
BEFORE_NAME = ENDS_SENTENCE | marks.make_table((marks.DASH,))
IN_NAME = marks.make_table((marks.WORD, marks.ABBREVIATION))
# A comma within quotation marks, even at the end of a line; colons, dots and dashes.
AFTER_COMMA = marks.make_table((marks.COMMA + marks.IN_QUOTES, marks.COMMA + marks.IN_QUOTES + marks.LINE))
AFTER_DOTS = marks.make_table((marks.COLON, marks.ELLIPSIS, marks.DASH))
# The end of a quotation, whose speaker the next words may name.
IS_QUOTED = marks.make_table((marks.ELLIPSIS + marks.IN_QUOTES, marks.TERMINAL + marks.IN_QUOTES))
# Words that may belong to the next word.
IS_LEADING = marks.make_table((marks.DOTTED, marks.COLON, *LEADING))
# Tables of endings of words, see `find_ending`: final marks, signs before a string, and signs without a letter.
IS_FINAL = marks.make_table((marks.TERMINAL, marks.ELLIPSIS, marks.FULL_STOP))
IS_OPENING = marks.make_table((marks.SYMBOL, marks.CLOSES_QUOTES))
IS_SIGN = marks.make_table((marks.SYMBOL, marks.DASH))

# The facts of words, see `_describe`.
_facts = WordTable(lambda words: [_describe(AS_WRITTEN.spell(word)) for word in words], 6)


def find_layout(
    doc: Doc, *, blank_lines: bool = True, lower_case_starts: bool = False, joins_names: bool = True
) -> np.ndarray:
    """Finds the constraints that layout puts on sentence starts (int8, one per token): 1 must, -1 must not, 0 may start
    a sentence; with `joins_names`, English ones must not start within Mayor Nora Dale. For the other settings, see
    `make_joint_sbd_parser`."""
    constraints = np.zeros(len(doc), dtype=np.int8)
    # Not float64, as its stub says.
    values: Any = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)
    facts = _facts.look_up(values[:, 0], doc.vocab.strings)
    forbid_starts(facts, values, constraints)
    breaks, is_space = facts[:, 2], IS_WHITESPACE[facts[:, 1]]
    words = np.flatnonzero(~is_space)
    n_before = marks.count_breaks(breaks, words)
    is_glued = preceding((values[:, 1] == 0) & ~is_space)[words]
    by_marks = _constrain_by_marks(doc, words, facts[words], is_glued, n_before, lower_case_starts, joins_names)
    constraints[words] = np.where(by_marks, by_marks, constraints[words])
    if breaks.any():
        if blank_lines:
            constraints[words[n_before > 1]] = 1
        text, offsets = doc.text, doc.to_array([IDX]).astype(np.int64)[words].tolist()
    elif len(doc) and (facts[0, 3] == OPENS_LINE or (facts[:LOOKAHEAD, 3] == IS_COLON).any()):
        # The first line can forbid starts, too.
        start = doc[: 2 * LOOKBACK]
        words = np.flatnonzero(~is_space[: len(start)])
        n_before = np.zeros(len(words), dtype=np.intp)
        text, offsets = start.text, [start[i].idx for i in words.tolist()]
    else:
        return constraints
    n_before[:1] = 2
    constrain_lines(text, offsets, n_before, words, constraints)
    return constraints


def _constrain_by_marks(
    doc: Doc,
    words: np.ndarray,
    facts: np.ndarray,
    is_glued: np.ndarray,
    n_before: np.ndarray,
    lower_case_starts: bool,
    joins_names: bool,
) -> np.ndarray:
    """Finds the words that begin no sentence because of the mark, quotation or abbreviation before them (-1), and the
    English ones that begin one after an abbreviation (1). `facts` are those of the words, `is_glued` says whether they
    follow without a space, `n_before` counts line breaks."""
    endings, is_lower = facts[:, 4], facts[:, 5] == BEGINS_LOWER
    is_attached = marks.attach_quotes(endings, is_glued, n_before)
    before = marks.read_before(endings, is_attached, is_lower, n_before)
    closes_quotes = is_attached & marks.IS_CLOSING_QUOTE.take(endings)
    found = (closes_quotes & ~following(is_attached)) | (is_attached & ~is_glued) | AFTER_COMMA.take(before)
    is_stop = endings == marks.FULL_STOP
    after_stop = preceding(is_stop)
    # As in ". . .", with spaces.
    found |= is_stop & after_stop & (n_before == 0)
    # A mark at the beginning of a string ends none: `./run`, !important.
    begins_string = ~is_glued | preceding(~is_glued & IS_OPENING.take(endings))
    found |= is_glued & preceding(begins_string & IS_FINAL.take(endings)) & (is_lower | IS_SIGN.take(endings))
    # It costs £5. She is 40 y.o. and well. Set `x` = 5 here.
    is_apart, begins, is_open = ~is_glued & ~following(is_glued), facts[:, 5], IS_OPEN.take(before)
    joins = is_open & ((begins == IS_OPERATOR) & is_apart | (begins == IS_TICK) & is_glued)
    is_open[:1] = False
    found |= is_open & (joins | (begins >= BEGINS_AMOUNT) | is_lower & IS_LEADING.take(endings))
    found |= preceding(joins) & ~is_glued & (n_before == 0)
    if doc.lang_ == "en":
        found |= _find_cited(doc, words, facts, before) & (n_before == 0)
    if not lower_case_starts:
        after_quotes = preceding(closes_quotes)
        found |= (before == marks.CONTINUED) | (after_quotes & (before == marks.CONTINUED + marks.LINE))
        # In treebanks of French and Vietnamese, dots end sentences there, too.
        if doc.lang_ == "en":
            goes_on = is_lower | (before == marks.COLON) & (begins >= BEGINS_NUMBER)
            found |= AFTER_DOTS.take(before) & goes_on & _follow_capitals(before, is_lower, n_before)
    after_stem = after_stop & preceding(endings == marks.STEM, 2)
    may_belong = after_stem | IS_LEADING.take(before)
    # Bring pens etc. (no paper). See eqn. (1).
    is_inside = is_glued & (is_lower | (begins == BEGINS_NUMBER))
    found |= may_belong & (endings == marks.SYMBOL) & following(is_inside) & (n_before == 0)
    checks = [
        (IS_QUOTED.take(before), names_speaker),
        (may_belong, follows_abbreviation),
        # Two steps: 1. Mix.
        (after_stop & preceding(before == marks.COLON, 2), lambda doc, word: doc[word - 2].text == "1"),
    ]
    if joins_names and doc.lang_ == "en":
        checks.append((_find_names(facts, before, n_before), lambda doc, word: not doc[word].is_stop))
    for may_continue, continues in checks:
        places = np.flatnonzero(may_continue & ~found)
        found[places] = [continues(doc, word) for word in words[places].tolist()]
    constraints = -found.astype(np.int8)
    if doc.lang_ == "en":
        # She joined Acme Inc. The firm is new. Not: P.S. Please write. Acme Inc. To Close. It is b. The item. No. One.
        first = _find_beginnings(before, n_before, ENDS_SENTENCE)
        ends = ((before == marks.DOTTED) | after_stem) & (preceding(first) < np.arange(len(first)) - 2)
        is_new = (begins == BEGINS_UPPER) & following(is_lower)
        opens = marks.IS_CLOSING_QUOTE.take(endings) & following(is_new & is_glued)
        places = np.flatnonzero(ends & (is_new | opens) & ~is_glued & (n_before == 0) & ~found)
        pairs = zip(words[places + opens[places]].tolist(), words[places - 1].tolist(), strict=True)
        constraints[places] = [
            doc[word].is_stop and not doc[word].like_num and len(doc[end]) != 2 for word, end in pairs
        ]
    return constraints


def _find_beginnings(before: np.ndarray, n_before: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Finds the first word of each word's sentence: after a line break or one of these values of `before` (int)."""
    begins = (n_before > 0) | ends.take(before)
    begins[:1] = True
    return np.maximum.accumulate(np.where(begins, np.arange(len(before)), 0))


def _follow_capitals(before: np.ndarray, is_lower: np.ndarray, n_before: np.ndarray) -> np.ndarray:
    """Finds the words of sentences that begin, at most LOOKBACK words before, with a capital or no letter (bool)."""
    first = _find_beginnings(before, n_before, ENDS_SENTENCE)
    return ~is_lower[first] & (np.arange(len(before)) - first <= LOOKBACK)


def _find_names(facts: np.ndarray, before: np.ndarray, n_before: np.ndarray) -> np.ndarray:
    """Finds the words of names of two words whose title or first words begin the sentence, as in Mayor Nora Dale left,
    or follow a dash, or a word in lower case; words such as The may begin a sentence nevertheless (bool)."""
    is_capital, numbers = facts[:, 5] == BEGINS_UPPER, np.arange(len(before))
    first = _find_beginnings(before, n_before, BEFORE_NAME)
    is_in_name = (np.maximum.accumulate(np.where(is_capital, -1, numbers)) < first) & (numbers - first < NAME)
    # The dealer Nora Dale left. Not in text without marks.
    after_mark = (before % marks.IN_QUOTES == marks.TERMINAL)[first] & (numbers - first < LOOKBACK)
    is_in_name |= after_mark & (facts[:, 5] == BEGINS_LOWER)
    goes_on = IN_NAME.take(before) & (n_before == 0)
    is_last = goes_on & (is_capital | (facts[:, 4] == marks.INITIAL))
    begins_name = is_capital & goes_on & preceding(is_in_name) & following(is_last)
    # No sentence is a capitalised word without a mark: Nora Dale left.
    is_second = is_capital & goes_on & (numbers - first == 1) & preceding(is_capital)
    return begins_name | preceding(begins_name) | is_second


def _find_cited(doc: Doc, words: np.ndarray, facts: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Finds the words of citations that only seem to begin a sentence: sections (Code Ann. § 5), initials before an
    abbreviation (Fed. R. Civ. P.), what is between numbers (12 So. 98), and abbreviations after a comma (bool)."""
    endings, begins = facts[:, 4], facts[:, 5]
    is_stop = endings == marks.FULL_STOP
    is_leading = (endings == marks.ABBREVIATION) | ((endings == marks.STEM) & following(is_stop))
    if not is_leading.any() and not (begins >= BEGINS_NUMBER).any():
        return is_leading
    is_capital, is_number, is_section = begins == BEGINS_UPPER, begins == BEGINS_NUMBER, begins == BEGINS_SECTION
    is_dotted = is_capital & (is_leading | (endings == marks.DOTTED))
    after_stop = preceding(is_stop) & preceding(is_capital, 2)
    found = preceding(is_section) | (is_section & (after_stop | preceding(is_dotted)))
    found |= is_leading & (before == marks.COMMA)
    found |= after_stop & (endings == marks.INITIAL) & following(is_leading)
    after_number, goes_on = preceding(is_number), is_number | is_leading
    is_between = is_dotted & after_number & following(goes_on)
    found |= is_between | (preceding(is_between) & is_leading)
    for place in np.flatnonzero(is_capital & after_number & following(is_stop)).tolist():
        if len(doc[int(words[place])]) <= REPORTER and goes_on[place + 2 :][:1].any():
            found[[place, place + 2]] = True
    return found


def names_speaker(doc: Doc, word: int) -> bool:
    """Returns whether the words after a quotation name its speaker, as in "Why?" Mary asked. After a full stop, they
    never do."""
    if doc[word - 2].text == ".":
        return False
    clause = [token.text for token in doc[word : word + REPORT]]
    verbs = read_verbs(doc.lang_)
    n_subject = next((n for n, text in enumerate(clause) if text.lower() in verbs), 0)
    if not n_subject or clause[0] in NOBODY or (clause[0] in ARTICLES and n_subject == 1):
        return False
    is_noun = n_subject == 2 and clause[0] in ARTICLES and clause[1].isalpha()
    return is_noun or all(text.isalpha() and text[0].isupper() for text in clause[:n_subject])


def follows_abbreviation(doc: Doc, word: int) -> bool:
    """Returns whether a word belongs to the title, reference or initial before it: a number (Vol. 2; art. 5; Tel.: 12),
    another one of these (Lt. Col.), or a name; after initials, if there are two (J. R. R. Tolkien, J.-P. Orr), a title
    or a number (12 N. Main), but not after a street (St.)."""
    token, before, is_apart = doc[word], _join_stop(doc, word - 1), doc[word - 1].text == "."
    if before == ":":
        return doc[max(word - 2, 0)].text[-1] == "." and token.text[0].isdecimal()
    # Apart from its full stop, an abbreviation that the tokenizer lacks, as most in capitals (MRS. DALY), or a word:
    # "state of the art."
    is_capitals = before.isupper() and before.lower() not in WORDS
    is_known = not is_apart or is_capitals or before in read_abbreviations(doc.lang_)
    is_leading = is_known and before.lower() in read_leading(doc.lang_)
    ending = marks.find_ending(before)
    if ending != marks.INITIAL and not is_leading:
        return before.lower() in REFERENCES and LABEL.match(token.text) is not None
    if before == "St." and doc.lang_ == "en":
        return False
    if token.text[0] in AMOUNT or token.text[0].isdecimal() or marks.find_ending(token.text) in LEADING:
        return True
    if not token.text[0].isupper() or token.is_stop:
        return False
    place = word - 3 if word > 2 and doc[word - 2].text == "-" else word - 2
    earlier = _join_stop(doc, place) if place >= 0 else "-"
    return ending != marks.INITIAL or marks.find_ending(earlier) in LEADING or earlier[0].isdecimal()


def _join_stop(doc: Doc, token: int) -> str:
    """Returns the text of a token; of a full stop, that of the word before, too."""
    return f"{doc[token - 1].text}." if token and doc[token].text == "." else doc[token].text


def count_open_words(doc: Doc) -> int:
    """Counts the words at the end of a document whose constraints can depend on later words."""
    facts = _facts.look_up(doc.to_array([ORTH]).reshape(-1), doc.vocab.strings)
    line = facts[int(np.flatnonzero(facts[:, 2])[-1]) + 1 :] if facts[:, 2].any() else facts
    line = line[~IS_WHITESPACE[line[:, 1]]]
    if len(line) < LOOKAHEAD:
        return len(line)
    is_name = line[-1, 5] == BEGINS_UPPER or line[-1, 4] == marks.INITIAL
    is_cited = line[-3, 5] == BEGINS_NUMBER and line[-2, 5] == BEGINS_UPPER
    n_naming = 0 if doc.lang_ != "en" else 2 if is_cited else int(is_name)
    n_after_sign = int(line[-1, 4] == marks.SYMBOL)
    may_have_items = line[0, 3] == OPENS_LINE or (line[:LOOKAHEAD, 3] == IS_COLON).any()
    n_reporting = REPORT if marks.IS_CLOSING_QUOTE.take(line[-REPORT:, 4]).any() else 0
    return max(ITEM if may_have_items and len(line) < LOOKBACK + ITEM else n_reporting, n_naming, n_after_sign)


def _describe(text: str) -> tuple[int, int, int, int, int, int]:
    """Describes how a word begins and ends, the number of its line breaks (at most 2), whether it can open a line, how
    it can end a sentence (`find_ending`), and how it begins: BEGINS_LOWER to BEGINS_SECTION, or 0."""
    if not text or text.isspace():
        ends = IS_BREAK if "\n" in text else IS_TAB if "\t" in text else IS_SPACE
        return 0, ends, min(text.count("\n"), 2), OPENS_LINE, marks.WORD, 0
    begins = ends = 0
    case = 0
    if text.replace(".", "").isalpha() and not text.isupper():
        case = BEGINS_LOWER if text[0].islower() else BEGINS_UPPER if text[0].isupper() else 0
    elif text in OPERATORS or text == "`":
        case = IS_TICK if text == "`" else IS_OPERATOR
    elif text[0] in CURRENCIES:
        case = BEGINS_AMOUNT
    elif text[0] in SECTIONS:
        case = BEGINS_SECTION
    elif text[0].isdecimal():
        case = BEGINS_NUMBER
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
    return begins, ends, 0, find_opening(text), marks.find_ending(text), case
