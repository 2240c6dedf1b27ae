"""Constraints on sentence starts from the words and marks before a word: quotations, abbreviations, amounts, citations,
names, and text that continues in lower case.

`find_marked` applies the rules. Rules on arrays check all words at once, rules on texts check candidates one by one. In
examples, "|" precedes words that do not begin a sentence.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np
from spacy.tokens import Doc
from spacy.util import get_lang_class

from ..annotation.reporting_verbs import read_verbs
from ..files.reading import read_word_lists
from ..pipes import marks
from ..pipes.abbreviations import read_abbreviations, read_final, read_leading, read_references, read_stems, read_words
from ..pipes.arrays import following, preceding
from ..pipes.joined_docs import JoinedWords
from ..pipes.token_columns import MIN_TITLE_CASE, find_styles
from .lines import LOOKBACK

LANGUAGES = read_word_lists(Path(__file__).parent / "languages.txt")
# How a word begins: with a lower-case letter, with a capital and lower-case letters, with a digit, or as an amount or a
# section; or that it is an operator, a backtick or a sign of emphasis, contains the start of a closing tag, or is in
# lower case with an apostrophe.
BEGINS_LOWER, BEGINS_UPPER, IS_OPERATOR, IS_TICK, IS_EMPHASIS, IN_TAG, IS_ELIDED = range(1, 8)
BEGINS_NUMBER, BEGINS_AMOUNT, BEGINS_SECTION = range(8, 11)
# Signs between words in formulas and code.
OPERATORS = frozenset("= + < > ≤ ≥ ≠ ≈ ∈ ⊂ ⊆ → => -> --> == != <= >= && || += :=".split())  # noqa: SIM905
EMPHASIS = frozenset(("*", "**", "***", "_", "__", "~~"))
# Signs before an amount, and before a section or another citation.
CURRENCIES, SECTIONS = frozenset("$€£¥"), frozenset("§¶&")
AMOUNT = CURRENCIES | SECTIONS | frozenset("#~")

# The number of words, from a word on, that decide whether it begins a sentence, except for names and by its line; of
# words that all begin in lower case, none decides about another.
AHEAD = 4
# The maximum number of words and marks of a line that may greet.
MAX_GREETING = 6
# The maximum number of words before a two-word name at the start of its sentence: Former White House Press Secretary.
NAME = 5
# Marks within words of letters.
INNER, ELISION = re.compile("[.-]"), re.compile("[.'’-]")
# Targets of references: 3b, S1, XII, L. 121-3.
LABEL = re.compile(r"[A-Z]{0,2}\d|[IVX]{2,5}(?!\S)|[A-Z]\. ?\d")
# The maximum letters of an unlisted abbreviation between the numbers of a citation (12 So. 98).
REPORTER = 3
# The minimum number of capitalised words of a title, and of words before dots that end a sentence.
TITLE, CLAUSE = 3, 5
# In text without marks: the minimum number of words of a document whose capitals are signs, and for how many words
# a sign shows that sentences begin with capitals.
SHORT, REACH = 20, 80
# The endings of words that belong to the next word.
LEADING = (marks.ABBREVIATION, marks.INITIAL)

# Tables of the values of `before`, see marks.py: the end of a sentence, and no mark.
ENDS_SENTENCE = marks.make_table(marks.TERMINAL + closed for closed in marks.CLOSED)
IS_OPEN = marks.make_table(mark + closed for mark in (marks.WORD, marks.SYMBOL) for closed in marks.CLOSED)
BEFORE_NAME = ENDS_SENTENCE | marks.make_table((marks.DASH,))
IN_NAME = marks.make_table((marks.WORD, marks.ABBREVIATION))
IN_TITLE = marks.make_table(marks.WORD + closed for closed in marks.CLOSED)
# A comma within quotation marks, even at the end of a line; and marks after which text continues, except in the
# languages of a list.
AFTER_COMMA = marks.make_table((marks.COMMA + marks.IN_QUOTES, marks.COMMA + marks.IN_QUOTES + marks.LINE))
AFTER_MARKS = {"after colons": marks.COLON, "after dots": marks.ELLIPSIS, "after dashes": marks.DASH}
# The ends of clauses and of quotations, whose speaker the next words may name.
ENDS_CLAUSE = marks.make_table((marks.TERMINAL, marks.TERMINAL + marks.LINE))
IS_QUOTED = marks.make_table((marks.ELLIPSIS + marks.IN_QUOTES, marks.TERMINAL + marks.IN_QUOTES))
NO_MARKS = marks.make_table(())
# Words that may belong to the next word.
IS_LEADING = marks.make_table((marks.DOTTED, marks.COLON, *LEADING))
# Tables of endings of words, see `find_ending`: final marks, signs before a string, and signs without a letter.
IS_FINAL = marks.make_table((marks.TERMINAL, marks.ELLIPSIS, marks.FULL_STOP))
IS_OPENING = marks.make_table((marks.SYMBOL, marks.DASH, marks.CLOSES_QUOTES))
IS_SIGN = marks.make_table((marks.SYMBOL, marks.DASH))


class Words:
    """What the rules read of the words of documents, in arrays with an item for each.

    joined: The words, in one language.
    begins, ends: How they begin, and how they can end a sentence: see `find_beginning`, `marks.find_ending`.
    has_capital: Whether they have a capital: see `find_styles`.
    """

    def __init__(self, joined: JoinedWords, begins: np.ndarray, ends: np.ndarray, has_capital: np.ndarray) -> None:
        self.locate, self.numbers, self.sizes = joined.locate, joined.numbers, joined.sizes
        self.is_gap, self.is_glued = joined.is_gap, joined.is_glued
        self.language = joined.docs[0].lang_
        self.begins, self.ends = begins, self._find_stems(ends)
        # Signs of emphasis after words, and closing tags: late</b>.
        closes = (begins == IS_EMPHASIS) | preceding(begins == IN_TAG)
        self.ends[closes & self.is_glued & ~following(self.is_glued)] = marks.CLOSES_BRACKETS
        is_mark = marks.FOLLOWS_QUOTES.take(ends)
        self.is_unmarked, in_lower_case, _ = find_styles(has_capital, is_mark, joined.bounds)
        self.is_lower = (begins == BEGINS_LOWER) & ~in_lower_case
        self.is_capital = begins == BEGINS_UPPER
        self.is_wrapped = self._find_wrapped(joined.n_breaks)
        n_breaks = np.where(self.is_wrapped, 0, joined.n_breaks)
        self.in_line = n_breaks == 0
        self.is_attached = marks.attach_quotes(self.ends, self.is_glued, n_breaks)
        self.before = marks.read_before(self.ends, self.is_attached, self.is_lower, n_breaks)
        self.closes_quotes = self.is_attached & marks.IS_CLOSING_QUOTE.take(self.ends)
        self.is_stop = self.ends == marks.FULL_STOP
        self.after_stop = preceding(self.is_stop)
        self.after_stem = self.after_stop & preceding(self.ends == marks.STEM, 2)  # after etc and a full stop
        self.may_belong = self.after_stem | IS_LEADING.take(self.before)

    def find_first_words(self, ends: np.ndarray) -> np.ndarray:
        """Finds the first word of each word's sentence: after a line break or one of these values of `before` (int)."""
        begins = ~self.in_line | (self.numbers == 0) | self.is_gap | ends.take(self.before)
        return np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))

    def _find_wrapped(self, n_breaks: np.ndarray) -> np.ndarray:
        """Finds the words in lower case that begin a line after a long line without a final mark (bool)."""
        numbers = np.arange(len(n_breaks))
        lines = np.maximum.accumulate(np.where((n_breaks > 0) | (self.numbers == 0), numbers, 0))
        lengths = numbers - preceding(lines)
        is_long = (lengths >= marks.WRAPPED_LENGTHS.start) & (lengths < marks.WRAPPED_LENGTHS.stop)
        return (n_breaks == 1) & self.is_lower & is_long & preceding(marks.MAY_WRAP.take(self.ends))

    def _find_stems(self, ends: np.ndarray) -> np.ndarray:
        """Makes a copy of the endings in which only abbreviations of the language precede a full stop."""
        ends, known = ends.copy(), read_stems(self.language)
        is_stem = (ends == marks.STEM) | (ends == marks.OTHER_STEM)
        for index in np.flatnonzero(is_stem & following(ends == marks.FULL_STOP)).tolist():
            doc, token = self.locate(index)
            text = doc[token].lower_
            ends[index] = marks.STEM if text in known or "." in text else marks.WORD
        return ends


def find_beginning(text: str) -> int:
    """Classifies a word by how it begins: BEGINS_LOWER to BEGINS_SECTION, or 0."""
    if INNER.sub("", text).isalpha() and not text.isupper():
        return BEGINS_LOWER if text[0].islower() else BEGINS_UPPER if text[0].isupper() else 0
    if text in OPERATORS or text == "`":
        return IS_TICK if text == "`" else IS_OPERATOR
    if text in EMPHASIS:
        return IS_EMPHASIS
    if "</" in text:
        return IN_TAG
    if text[0].islower() and ELISION.sub("", text).isalpha():
        return IS_ELIDED
    if text[0] in CURRENCIES:
        return BEGINS_AMOUNT
    if text[0] in SECTIONS:
        return BEGINS_SECTION
    return BEGINS_NUMBER if text[0].isdecimal() else 0


def find_marked(words: Words, *, lower_case_starts: bool, joins_titles: bool) -> np.ndarray:
    """Finds the words that do not begin a sentence (-1), and those that begin one after an abbreviation (1). For the
    settings, see `find_layout`."""
    found = words.is_gap | _are_in_quotations(words) | _are_in_strings(words) | _are_in_amounts(words)
    found |= _are_opening_signs(words) | _are_emphasised(words) | _are_in_verses(words) | _have_initials(words)
    if words.language in LANGUAGES["citations"]:
        found |= _are_cited(words)
    if not lower_case_starts:
        found |= _are_continued(words)
    # Two steps: 1. | Mix. Not: it was 3:1.
    after_step = words.after_stop & preceding((words.before == marks.COLON) & ~words.is_glued, 2)
    checks = [
        (IS_QUOTED.take(words.before), names_speaker),
        (words.may_belong, follows_abbreviation),
        (after_step, lambda doc, token: doc[token - 2].text == "1"),
    ]
    if words.language in LANGUAGES["names"]:
        found |= _are_in_titles(words)
        checks.append((_are_in_names(words, joins_titles=joins_titles), lambda doc, token: not doc[token].is_stop))
    for candidates, continues in checks:
        indices = np.flatnonzero(candidates & ~found)
        found[indices] = [continues(*words.locate(index)) for index in indices.tolist()]
    constraints = -found.astype(np.int8)
    is_new = _are_new(words, found)
    constraints[is_new] = 1
    constraints[preceding(is_new & (words.ends == marks.SYMBOL))] = -1
    if words.language in LANGUAGES["capitals"]:
        constraints = np.where(constraints, constraints, _find_by_capitals(words))
    return constraints


def _are_in_quotations(words: Words) -> np.ndarray:
    """She said, "Go | " and left. "Go | ", she said. « | Non », dit-il. "Go," | He said."""
    is_apart = ~following(words.is_attached) | marks.FOLLOWS_QUOTES.take(following(words.ends))
    ends_quotation = words.closes_quotes & is_apart
    return ends_quotation | (words.is_attached & ~words.is_glued) | AFTER_COMMA.take(words.before)


def _are_in_strings(words: Words) -> np.ndarray:
    """A mark at the beginning of a string does not end a sentence: . | /run, ! | important. Well . | . | . no."""
    begins_string = ~words.is_glued | preceding(~words.is_glued & IS_OPENING.take(words.ends))
    after_mark = words.is_glued & preceding(begins_string & IS_FINAL.take(words.ends))
    is_dot = words.is_stop & words.after_stop & words.in_line
    return is_dot | after_mark & (words.is_lower | IS_SIGN.take(words.ends))


def _are_in_amounts(words: Words) -> np.ndarray:
    """It costs | £5. She is 40 | y.o. and well. U.S. Air Force | Gen. Ann Orr. Late | - it rained. Set `x` | = | 5."""
    is_open = IS_OPEN.take(words.before)
    is_apart = ~words.is_glued & ~following(words.is_glued)
    joins = is_open & ((words.begins == IS_OPERATOR) & is_apart | (words.begins == IS_TICK) & words.is_glued)
    is_open &= words.numbers > 0
    begins = joins | (words.begins >= BEGINS_AMOUNT) | (words.ends == marks.DASH) & following(words.is_lower)
    is_inside = words.is_lower | (words.before == marks.WORD) & (words.begins != BEGINS_NUMBER)
    begins |= is_inside & IS_LEADING.take(words.ends)
    return (is_open & begins) | (preceding(joins) & ~words.is_glued & words.in_line)


def _are_opening_signs(words: Words) -> np.ndarray:
    """Bring pens etc. | (no paper). See eqn. | (1). If not, | **stop**."""
    is_inside = words.is_glued & (words.is_lower | (words.begins == BEGINS_NUMBER))
    may_continue = words.may_belong | (words.before == marks.COMMA)
    return may_continue & (words.ends == marks.SYMBOL) & following(is_inside) & words.in_line


def _are_emphasised(words: Words) -> np.ndarray:
    """The | *old* clock. It was *the* | Acme Inc. Not: **Eggs** The oldest. Signs after words are closing brackets."""
    is_sign = words.begins == IS_EMPHASIS
    opens = is_sign & ~words.is_glued & following(words.is_glued & words.is_lower) & IS_OPEN.take(words.before)
    closes = is_sign & (words.ends == marks.CLOSES_BRACKETS) & preceding(words.is_lower & ~words.is_unmarked)
    return words.in_line & (opens | preceding(closes))


def _have_initials(words: Words) -> np.ndarray:
    """Ann | I. | Orr, by I. | M. Orr, whose full stop is apart. Not: World War I. Nora left."""
    found = np.zeros(len(words.ends), dtype=bool)
    is_name = words.is_capital | (words.ends == marks.INITIAL)
    may_continue = is_name & words.after_stop & words.in_line & preceding(words.begins == 0, 2)
    for index in np.flatnonzero(may_continue & (words.numbers >= 3)).tolist():
        name, initial, _, last = (doc[token] for doc, token in map(words.locate, range(index - 3, index + 1)))
        if initial.text == "I" and name.lower_ not in LANGUAGES["numbered"] and not last.is_stop:
            found[index - 2 * name.text.istitle() : index + 1 : 2] |= name.text.istitle() or last.text[-1] == "."
    return found


def _are_in_verses(words: Words) -> np.ndarray:
    """Long lines end in commas, | And the next lines go on. Not: Hi all, We are. Best wishes, Nora Dale."""
    lines = words.find_first_words(NO_MARKS)
    is_long = np.arange(len(lines)) - preceding(lines) > MAX_GREETING
    return is_long & (words.before == marks.COMMA + marks.LINE) & following(words.is_lower & words.in_line)


def _are_in_titles(words: Words) -> np.ndarray:
    """Lines in title case with a stop word, except after marks: Mayor | Under | Pressure | to | Resign. Not lists of
    names and signatures: Nora Dale Ann Orr Sales Acme Inc."""
    lines = words.find_first_words(NO_MARKS)
    n_words, n_capitals, n_lower = (np.bincount(lines, weights) for weights in (None, words.is_capital, words.is_lower))
    is_title = (n_capitals >= np.maximum(n_lower, TITLE)) & (n_words < MIN_TITLE_CASE)
    has_stop = np.zeros(len(is_title), dtype=bool)
    for index in np.flatnonzero(is_title[lines]).tolist():
        doc, number = words.locate(index)
        token = doc[number]
        has_stop[lines[index]] |= token.is_stop and token.is_alpha and not token.is_upper
        is_title[lines[index]] &= not words.is_lower[index] or token.text in LANGUAGES["in titles"]
    is_inside = IN_TITLE.take(words.before) & words.in_line & (words.numbers > 0)
    return (is_title & has_stop)[lines] & is_inside


def may_be_title(doc: Doc, line: np.ndarray, begins: np.ndarray) -> bool:
    """Returns whether an unfinished line, given by its tokens, can be one of `_are_in_titles`."""
    lower = line[begins == BEGINS_LOWER].tolist()
    return len(line) < MIN_TITLE_CASE and all(doc[token].text in LANGUAGES["in titles"] for token in lower)


def _are_cited(words: Words) -> np.ndarray:
    """Sections (Code Ann. | § | 5), initials before an abbreviation (Fed. | R. | Civ. P.), abbreviations between
    numbers (12 | So. | 98), before one (Doc. | No. | 41), and after a comma."""
    endings, begins = words.ends, words.begins
    is_leading = (endings == marks.ABBREVIATION) | ((endings == marks.STEM) & following(words.is_stop))
    is_number, is_section = begins == BEGINS_NUMBER, begins == BEGINS_SECTION
    is_dotted = words.is_capital & (is_leading | (endings == marks.DOTTED))
    after_stop = words.after_stop & preceding(words.is_capital, 2)
    found = preceding(is_section) | (is_section & (after_stop | preceding(is_dotted)))
    found |= is_leading & (words.before == marks.COMMA)
    found |= after_stop & (endings == marks.INITIAL) & following(is_leading)
    after_number, may_continue = preceding(is_number), is_number | is_leading
    is_between = is_dotted & after_number & following(may_continue)
    found |= is_between | (preceding(is_between) & is_leading)
    cites = is_dotted & following(is_number | is_section)
    for index in np.flatnonzero(words.is_capital & following(words.is_stop)).tolist():
        is_cited = after_number[index] and may_continue[index + 2 :][:1].any()
        doc, token = words.locate(index)
        if len(doc[token]) <= REPORTER and (is_cited or cites[index + 2 :][:1].any()):
            found[index : index + 3 : 2] |= [is_cited, True]
    return found & words.in_line


def _are_continued(words: Words) -> np.ndarray:
    """Text that continues in lower case: "Why?" | he asked. After colons, dots and dashes, too, if the sentence begins
    with a capital or no letter, at most LOOKBACK words before: He asked: | why? So can wrapped lines."""
    before = words.before
    first = words.find_first_words(ENDS_SENTENCE)
    in_case = ~(words.is_lower | (words.begins == IS_ELIDED))[first] & (np.arange(len(first)) - first <= LOOKBACK)
    begins = (words.begins >= BEGINS_NUMBER) | marks.IS_CLOSING_QUOTE.take(words.ends)
    may_continue = words.is_lower | (before == marks.COLON) & begins
    is_open = marks.make_table(mark for name, mark in AFTER_MARKS.items() if words.language not in LANGUAGES[name])
    found = (before == marks.CONTINUED) | (is_open.take(before) & may_continue | words.is_wrapped) & in_case
    after_clause = words.is_lower & ENDS_CLAUSE.take(before) & ~words.after_stop & preceding(in_case)
    for index in np.flatnonzero(after_clause).tolist():
        _, last = words.locate(index - min(2, words.numbers[index]))
        found[index] |= _may_continue(*words.locate(index), last)
    return found


def _may_continue(doc: Doc, word: int, last: int) -> bool:
    """Returns whether text in lower case continues after a mark, given the last word before it: Oh! | the bird. Why? |
    dit-elle. Stop! | cried Ann. Why? | he asked himself."""
    first, second, third = [*(token.text for token in doc[word : word + 3]), "", ""][:3]
    verbs = read_verbs(doc.lang_)
    is_report = first in verbs and (second[:1] == "-" or second.istitle())
    is_report |= first in LANGUAGES["nobody"] and second in verbs and (not third.isalpha() or third.endswith("self"))
    is_open = doc[word - 1].text == "!" and first in LANGUAGES.get(f"{doc.lang_} after exclamations", ())
    return is_report or is_open or doc[last].lower_ in LANGUAGES["exclamations"]


def _are_in_names(words: Words, *, joins_titles: bool) -> np.ndarray:
    """Words of names of two words after a word in lower case: the dealer | Nora | Dale left. Not in text without marks.
    With titles, also of names whose title or first words begin the sentence or follow a dash: Mayor | Nora | Dale left.
    The caller excludes words such as The, which may begin a sentence nevertheless."""
    numbers, first = np.arange(len(words.before)), words.find_first_words(BEFORE_NAME)
    is_before = words.is_lower & ~words.is_unmarked
    is_title = (np.maximum.accumulate(np.where(words.is_capital, -1, numbers)) < first) & (numbers - first < NAME)
    may_continue = IN_NAME.take(words.before) & words.in_line
    is_last = may_continue & (words.is_capital | (words.ends == marks.INITIAL))
    begins_name = words.is_capital & may_continue & following(is_last) & preceding(is_before | joins_titles & is_title)
    # A capitalised word without a mark is not a sentence, nor are two initials: Nora | Dale left. T.S. | Eliot left.
    is_second = may_continue & preceding(words.is_capital)
    is_second |= words.in_line & (words.before == marks.DOTTED) & preceding(words.begins == 0)
    return begins_name | preceding(begins_name) | joins_titles & is_second & words.is_capital & (numbers - first == 1)


def _are_new(words: Words, found: np.ndarray) -> np.ndarray:
    """Finds words, none of `found`, that begin a sentence after an abbreviation, a quotation or dots, or as signs: she
    joined Acme Inc. | The firm is new. "Go." | "Why?" It was not so late... | I left. | >> Did you? Not: P.S. Please
    write. Acme Inc. To Close. B. The item. No. One. Well... I left."""
    first, numbers = words.find_first_words(ENDS_SENTENCE), np.arange(len(words.before))
    ends = words.may_belong & (preceding(first) < numbers - 2)
    opens_quote = marks.IS_CLOSING_QUOTE.take(words.ends) & ~words.is_attached
    begins = words.is_capital | (opens_quote & ~following(words.is_lower))
    is_open = ~found & ~words.is_glued & words.in_line
    is_new = IS_QUOTED.take(words.before) & opens_quote & is_open
    for index in np.flatnonzero(ends & begins & is_open).tolist():
        is_new[index] |= _is_new(*words.locate(index), words.locate(index - 1)[1])
    may_open = ENDS_SENTENCE.take(words.before) & (words.ends == marks.SYMBOL)
    may_open |= (words.before == marks.ELLIPSIS) & (numbers - first > CLAUSE)
    for index in np.flatnonzero(may_open & is_open).tolist():
        doc, token = words.locate(index)
        is_new[index] |= doc[token].text in LANGUAGES.get(f"{words.language} openers", ())
    return is_new


def _find_by_capitals(words: Words) -> np.ndarray:
    """Finds the words of longer text without marks that begin a sentence (1), capitalised stop words between words that
    are not, and words in lower case that do not (-1), near one of these: to The Hague | She | left"""
    numbers, is_lower = np.arange(len(words.numbers)), words.begins == BEGINS_LOWER
    is_open = words.is_unmarked & words.in_line & (words.sizes >= SHORT)
    starts = is_open & words.is_capital & preceding(is_lower) & ~following(words.is_capital)
    for index in np.flatnonzero(starts).tolist():
        doc, token = words.locate(index)
        starts[index] = doc[token].is_stop
    last = np.maximum.accumulate(np.where(starts, numbers, -REACH))
    continues = is_open & is_lower & (numbers - last < np.minimum(words.numbers, REACH))
    return starts.astype(np.int8) - continues


def _is_new(doc: Doc, start: int, stop: int) -> bool:
    """Returns whether a word begins a sentence after an abbreviation, which ends with the token `stop` and, except in
    some languages, must be on the list: a quotation mark or an article; before a word in lower case, also a stop word,
    or any word after a company or if the language has no stop words. After an amount, it needs no list; a letter must
    follow a number, or be in capitals after a word in lower case: 12 s. | No. In plan B. | We"""
    text, word, after = _join_stop(doc, stop).lower(), doc[start], doc[start + 1 : start + 2].text
    continues = after[:1].islower() or after == "."
    is_known = doc.lang_ in LANGUAGES["unlisted"] or text in read_final(doc.lang_)
    is_known &= text != ":" and text not in read_leading(doc.lang_)
    is_ended = doc[stop - 1].like_num or (doc[stop - 1].is_lower and doc[stop].is_upper)
    is_part = word.like_num or (len(doc[stop]) == 2 and not is_ended)
    is_part |= text in LANGUAGES["times"] and doc[stop - 2].text.istitle()
    is_any = word.is_stop or text in LANGUAGES["companies"] or not has_stop_words(doc.lang_)
    is_opening = (continues and is_any) or word.text in LANGUAGES["articles"] or not word.text[0].isalpha()
    return (is_known and is_opening and not is_part) or (continues and _ends_amount(doc, stop))


def _ends_amount(doc: Doc, stop: int) -> bool:
    """Returns whether a number precedes the unit, or the street, that ends with the token `stop`: 24 h., 9 Elm St."""
    text = _join_stop(doc, stop)
    end = stop - (doc[stop].text == ".")
    n_words = 1 if text in LANGUAGES["units"] else 2 if text in LANGUAGES["streets"] else 0
    return any(token.like_num for token in doc[max(end - n_words, 0) : end])


@cache
def has_stop_words(language: str) -> bool:
    """Returns whether spaCy has stop words of a language, if it has the language at all."""
    try:
        return bool(get_lang_class(language).Defaults.stop_words)
    except ImportError:
        return False


def names_speaker(doc: Doc, word: int) -> bool:
    """Returns whether the words after a quotation name its speaker, as in "Why?" Mary asked. After a full stop, they
    never do."""
    if doc[word - 2].text == ".":
        return False
    clause = [token.text for token in doc[word : word + AHEAD]]
    verbs = read_verbs(doc.lang_)
    n_subject = next((n for n, text in enumerate(clause) if text.lower() in verbs), 0)
    is_this = clause[0] in LANGUAGES["articles"] and n_subject == 1
    if not n_subject or is_this or not LANGUAGES["nobody"].isdisjoint(clause[n_subject - 1 : n_subject + 2 : 2]):
        return False
    is_noun = n_subject == 2 and clause[0] in LANGUAGES["articles"] and clause[1].isalpha()
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
    is_capitals = before.isupper() and before.lower() not in read_words(doc.lang_)
    known = read_abbreviations(doc.lang_)
    is_known = not is_apart or is_capitals or not known.isdisjoint((before, before.lower()))
    is_leading = is_known and before.lower() in read_leading(doc.lang_)
    ending = marks.find_ending(before)
    if ending != marks.INITIAL and not is_leading:
        return before.lower() in read_references(doc.lang_) and LABEL.match(doc[word : word + 2].text) is not None
    if (before == "St." and doc.lang_ == "en") or _ends_amount(doc, word - 1):
        return False
    if token.text[0] in AMOUNT or token.text[0].isdecimal() or marks.find_ending(token.text) in LEADING:
        return True
    if not token.text[0].isupper() or token.is_stop:
        return False
    index = word - 3 if word > 2 and doc[word - 2].text == "-" else word - 2
    earlier = _join_stop(doc, index) if index >= 0 else "-"
    return ending != marks.INITIAL or before in known or marks.find_ending(earlier) in LEADING or earlier[0].isdecimal()


def _join_stop(doc: Doc, token: int) -> str:
    """Returns the text of a token; for a full stop, with the word before it."""
    return f"{doc[token - 1].text}." if token and doc[token].text == "." else doc[token].text
