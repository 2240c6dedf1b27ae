"""Certain sentence boundaries and non-boundaries by the layout of a text and its marks, as constraints of the search.

A blank line, a list item, a heading, a row of a table and the like begin a sentence; no sentence begins right after a
bullet or a label, inside a string that the tokenizer has divided (a URL, a number, an emoji), or where text goes on in
lower case after a comma, an abbreviation or a quotation, or with a name after a title. A single line break alone is not
a sign, since running text may be wrapped. Constraints depend on a bounded context, so that streams get the same ones.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

import numpy as np
from spacy.attrs import IDX, ORTH, SPACY
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..annotation.reporting_verbs import read_verbs
from ..engine.threads import make_fork_lock
from ..pipes import marks
from ..pipes.abbreviations import REFERENCES, read_leading
from ..pipes.arrays import RowIndex, forbid_starts
from ..pipes.spelling import AS_WRITTEN
from ..pipes.token_columns import MAX_WORDS

# The maximum number of words that determine the kind of a line, and of words to look back at from the next line.
LOOKAHEAD, LOOKBACK = 10, 64
# The maximum number of words by which an item within a line is recognised, without the first.
ITEM = 4
# Wrapped lines are longer than this, in characters.
SHORT = 45

# How words begin and end, see `forbid_starts`.
BEGINS_PLAIN, CONTINUES, BEGINS_WITH_FLAG, BEGINS_NOTHING = range(1, 5)
ENDS_PLAIN, WRAPS, JOINS, ENDS_WITH_FLAG, IS_ADDRESS, IS_BREAK, ENDS_IN_COLON, IS_SPACE, IS_TAB, IS_BAR = range(1, 11)
IS_WHITESPACE = np.isin(np.arange(11), (IS_BREAK, IS_SPACE, IS_TAB))
# These never begin a sentence, even after a space: French has one before some marks.
FOLLOWING = frozenset((*",;:!?", "Jr.", "Sr.", "etc.", "etc"))
CLITIC = re.compile("['’](?:s|re|ll|ve|d|m|t|em)", re.IGNORECASE)
CLOSING, FINAL = frozenset(",;:.!?…)]}»”’%°"), frozenset(".!?…")
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

# Characters that can stand between a mark and the next sentence.
CLOSERS = " \t\"'’”»)]}*_~`"
# The number of words after a quotation that can name its speaker; English words that begin a noun phrase.
REPORT, ARTICLES = 4, frozenset(("The", "A", "An", "His", "Her", "My", "Our", "Their"))

# The beginning of a line, up to the next word; or a whole line.
NAME = r"[A-Z][\w.'’&/-]*"
BOX = r"\[[ xX]?\][ \t]+"
ORDINAL = r"\d{1,3}(?:\.\)?|\))[ \t]+"
DOTS = "•·●▪◦‣\u2043■□◆★☆✓✔✗✘✅❌"
NICK = r"(?:<[\w.-]+>|[\w.-]+:)"
DATE = r"\d\d?[./-]\d\d?[./-]\d{2,4}"
TIME = r"\d\d?:\d\d\S*"
GREETING = "Hi|Hello|Hey|Dear|Good|Thank|Thanks|Welcome|Sorry|OK|Okay"
MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
SIGN = r"[-=*_~\#+|:]"
LINE = re.compile(
    rf"""^[^\S\n]*(?:
        (?P<rule>(?:{SIGN}(?:[ \t]?{SIGN}){{2,}}|--)(?=\s*?$))
      | (?P<greeting>(?:>[> \t]*)?(?:Hi|Hello|Hey|Dear|Good[ ](?:morning|afternoon|evening))
            (?:[ ][\w.'’-]+){{0,4}},(?=\s*?$))
      | (?P<closing>(?:Best|Kind|Warm|All|Many|Yours|With|Thanks|Thank|Cheers|Regards|Sincerely|Respectfully|Love)
            (?:[ ][A-Za-z]+){{0,4}},(?=\s*?$))
      | (?P<address>(?:{GREETING})(?:[ ](?:morning|afternoon|evening|you))?
            (?:,?[ ](?:[A-Z][\w'’-]*|(?:Dr|Mrs?|Ms|Prof)[.]|all|everybody|everyone|folks|guys|sir|team|there)){{1,3}}
            ,[ ])(?=\S)
      | (?P<fence>```|~~~)
      | (?P<row>\|[ \t]*)(?=\S)
      | (?P<header>(?:From|To|Cc|CC|Bcc|Subject|Date|Sent|Reply-To|In-Reply-To|Message-ID):[ \t]+)(?=\S)
      | (?P<heading>(?:\#{{2,6}}|\*{{2,5}})[ \t]+)(?=\S)
      | (?P<bullet>(?:(?:\*[ \t]+|[{DOTS}][ \t]*|[→➡►▶👉]\ufe0f?[ \t]*)(?:{BOX}|{ORDINAL})?|{BOX}))(?=\S)
      | (?P<dash>[-+–—][ \t]+(?:{BOX})?)(?=\S)
      | (?P<number>(?:(?:(?:§[ ]?)?\d{{1,2}}|[A-Za-z]|Q\d+|[ivx]{{2,4}}|[IVX]{{2,4}})(?:\.\)?|\))|\[\d+\]|{DATE}
            |\((?:\d{{1,3}}|[a-z]|[ivx]{{2,4}})\))[ \t]+)(?=\S)
      | (?P<option>--?[A-Za-z][\w-]*(?:[=[]\S+)?(?:,[ ]--?\w\S*)*)(?=\s)
      | (?P<log>\[?(?:\d{{4}}-\d\d-\d\d[T ]{TIME}|(?:{MONTHS})[ ]+\d\d?[ ]{TIME})[ \t]+)(?=\S)
      | (?P<time>(?:\[\d\d?:\d\d(?::\d\d)?\]|\d\d?:\d\d:\d\d\S*)[ \t]+(?:{NICK}[ \t]+)?)(?=\S)
      | (?P<wrote>On[ ](?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),[ ])(?=\S)
      | (?P<shell>\$[ ])(?=\S)
      | (?P<quote>(?:>[> \t]*|(?:\#|//)[ \t]+))(?=\S)
      | (?P<label>(?:{NAME}(?:,?[ ](?:{NAME}|\d+)){{0,3}}(?:[ ]\([^()\n]{{1,20}}\))?:|<[\w.-]+>)[ \t]+)(?=\S)
      | (?P<cells>(?<=^)\S(?:[^\t\n]*(?:\t[^\t\n]*)+|[^|\n]*(?:[ ]\|[ ][^|\n]*){{2,}})(?=$))
    )""",
    re.MULTILINE | re.VERBOSE,
)
# Markers of items that other items of the same list can follow in the same line.
MARKER = re.compile(rf"[{DOTS}]|(\(?)(\d+|[a-y]|[QA](?=:))(\.?\)|\.|:)")
# These end a sentence with the line.
WHOLE = frozenset(("rule", "greeting", "closing", "fence", "row", "header", "heading", "quote", "log", "time", "cells"))
# No sentence starts inside these, except after a mark.
UNDIVIDED = frozenset(("row", "header", "heading", "log", "shell", "wrote", "cells", "bullet", "dash", "number"))
# Wrapped text can begin a line with these by chance, unless the line before ends in one of BEFORE_UNSURE.
UNSURE = frozenset(("dash", "number", "option", "shell", "wrote", "label"))
BEFORE_UNSURE = frozenset('.!?…:;)]”"')

# In dialogue with dashes, these may precede narration in lower case: "— Why? — asked Anna".
ASKS = ("?", "!", "…", "...")

# The endings of words that belong to the next word.
LEADING = (marks.ABBREVIATION, marks.INITIAL)

# Flags of words that can open a line that LINE matches, or end in a colon.
OPENS_LINE, IS_COLON = 1, 2
OPENING = re.compile(
    rf"\s|[^\w\s\"'“‘.,]|\d{{1,2}}[.)]?$|[A-Za-z][.)]?$|Q\d|[ivxIVX]{{2,4}}[.)]?$|\d+[-:]\d|(?:{MONTHS}|On)$"
    rf"|(?:{GREETING})$"
)

# The facts of words (see `_describe`), by hash, which is the same in every vocabulary.
_rows = RowIndex()
_facts = np.zeros((1024, 6), dtype=np.uint8)
# Several threads may predict concurrently.
_lock = make_fork_lock()


def find_layout(doc: Doc, *, blank_lines: bool = True, lower_case_starts: bool = False) -> np.ndarray:
    """Finds the constraints that layout puts on sentence starts (int8, one per token): 1 must, -1 must not, 0 may start
    a sentence. For the settings, see `make_joint_sbd_parser`."""
    constraints = np.zeros(len(doc), dtype=np.int8)
    # Not float64, as its stub says.
    values: Any = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)
    facts = _look_up(values[:, 0], doc.vocab.strings)
    forbid_starts(facts, values, constraints)
    breaks, is_space = facts[:, 2], IS_WHITESPACE[facts[:, 1]]
    words = np.flatnonzero(~is_space)
    n_before = np.diff(np.cumsum(breaks)[words], prepend=0)
    is_glued = np.append(False, (values[:-1, 1] == 0) & ~is_space[:-1])[words]
    is_attached = marks.attach_quotes(facts[words, 4], is_glued, n_before)
    before = marks.read_before(facts[words, 4], is_attached, facts[words, 5] > 0, n_before)
    closes_quotes = is_attached & np.isin(facts[words, 4], marks.CLOSING_QUOTES)
    is_apart = np.append(~is_attached[1:], True)[: len(words)]
    constraints[words[(closes_quotes & is_apart) | (is_attached & ~is_glued)]] = -1
    after_quotes = np.append(False, closes_quotes)[: len(words)]
    # Quotations also go on after a line break.
    quoted = marks.COMMA + marks.IN_QUOTES
    goes_on = np.isin(before, (quoted, quoted + marks.LINE))
    if not lower_case_starts:
        goes_on |= (before == marks.CONTINUED) | (after_quotes & (before == marks.CONTINUED + marks.LINE))
    constraints[words[goes_on]] = -1
    for word in words[np.isin(before, (marks.ELLIPSIS + marks.IN_QUOTES, marks.TERMINAL + marks.IN_QUOTES))].tolist():
        if names_speaker(doc, word):
            constraints[word] = -1
    after_stop = np.append(False, facts[words, 4] == marks.FULL_STOP)[: len(words)]
    after_stem = after_stop & np.append([False] * 2, facts[words, 4] == marks.STEM)[: len(words)]
    for word in words[after_stem | np.isin(before, (marks.DOTTED, marks.COLON, *LEADING))].tolist():
        if follows_abbreviation(doc, word):
            constraints[word] = -1
    if breaks.any():
        if blank_lines:
            constraints[words[n_before > 1]] = 1
        offsets = doc.to_array([IDX]).astype(np.int64)[words].tolist()
        n_before[:1] = 2
        _constrain_lines(doc.text, offsets, n_before, words, constraints)
    elif len(doc) and (facts[0, 3] == OPENS_LINE or (facts[:LOOKAHEAD, 3] == IS_COLON).any()):
        # The first line can forbid starts, too.
        start = doc[: 2 * LOOKBACK]
        words = np.flatnonzero(~is_space[: len(start)])
        n_before = np.zeros(len(words), dtype=np.intp)
        n_before[:1] = 2
        _constrain_lines(start.text, [start[i].idx for i in words.tolist()], n_before, words, constraints)
    return constraints


def names_speaker(doc: Doc, word: int) -> bool:
    """Returns whether the words after a quotation name its speaker, as in "Why?" Mary asked. After a full stop, they
    never do."""
    if doc[word - 2].text == ".":
        return False
    clause = [token.text for token in doc[word : word + REPORT]]
    verbs = read_verbs(doc.lang_)
    n_subject = next((n for n, text in enumerate(clause) if text.lower() in verbs), 0)
    is_noun = n_subject == 2 and clause[0] in ARTICLES and clause[1].isalpha()
    return n_subject > 0 and (is_noun or all(text.isalpha() and text[0].isupper() for text in clause[:n_subject]))


def follows_abbreviation(doc: Doc, word: int) -> bool:
    """Returns whether a word belongs to the title, reference or initial before it: a number (Vol. 2; art. 5; Tel.: 12),
    another one of these (Lt. Col.), or a name; after initials, if there are two (J. R. R. Tolkien), but not after a
    street (St.)."""
    token, before = doc[word], doc[word - 1].text
    if before in (".", ":"):
        abbreviation = doc[max(word - 2, 0)].text.lower()
        is_reference = f"{abbreviation}." in REFERENCES if before == "." else abbreviation[-1] == "."
        return is_reference and token.text[0].isdecimal()
    ending = marks.find_ending(before)
    if ending == marks.DOTTED and before.lower() not in read_leading(doc.lang_):
        return False
    if before == "St." and doc.lang_ == "en":
        return False
    if token.text[0].isdecimal() or marks.find_ending(token.text) in LEADING:
        return True
    is_only_one = ending == marks.INITIAL and (word < 2 or marks.find_ending(doc[word - 2].text) != marks.INITIAL)
    return not is_only_one and token.text[0].isupper() and not token.is_stop


def count_open_words(doc: Doc) -> int:
    """Counts the words at the end of a document whose constraints can depend on later words."""
    facts = _look_up(doc.to_array([ORTH]).reshape(-1), doc.vocab.strings)
    line = facts[int(np.flatnonzero(facts[:, 2])[-1]) + 1 :] if facts[:, 2].any() else facts
    line = line[~IS_WHITESPACE[line[:, 1]]]
    if len(line) < LOOKAHEAD:
        return len(line)
    may_have_items = line[0, 3] == OPENS_LINE or (line[:LOOKAHEAD, 3] == IS_COLON).any()
    n_reporting = REPORT if np.isin(line[-REPORT:, 4], marks.CLOSING_QUOTES).any() else 0
    return ITEM if may_have_items and len(line) < LOOKBACK + ITEM else n_reporting


def _constrain_lines(
    text: str, offsets: list[int], n_before: np.ndarray, words: np.ndarray, constraints: np.ndarray
) -> None:
    """Adds the constraints of lines; `n_before` is the number of line breaks before each word."""
    lines = np.flatnonzero(n_before).tolist()
    last, marker = -2, ""
    for match in LINE.finditer(text):
        kind = str(match.lastgroup)
        begin, end = match.span(kind)
        first = bisect_left(offsets, begin)
        line = bisect_left(lines, first)
        following = bisect_right(offsets, end)
        if line == len(lines) or lines[line] != first or following - first >= LOOKAHEAD:
            continue
        if kind == "address":
            # Good morning, Dr. Lee, we are ready.
            constraints[words[first + 1 : following]] = -1
            continue
        before = lines[line - 1] if line else first
        is_near = first - before <= LOOKBACK
        follows_another = last == line - 1 and is_near
        marker_before, marker, last = marker, match[kind].strip(), line
        is_sure = kind not in UNSURE or n_before[first] > 1 or follows_another
        if not is_sure:
            line_before = text[offsets[first - 1] : begin].rstrip()
            length = offsets[first - 1] + len(line_before) - offsets[before]
            is_sure = line_before[-1] in BEFORE_UNSURE or (is_near and length < SHORT)
        following_line = lines[line + 1] if line + 1 < len(lines) else len(words)
        if kind in UNDIVIDED and is_sure:
            is_speech = kind == "dash" and text[end].isupper()
            for word in range(first + 1, min(following_line, first + LOOKBACK)):
                is_label = kind == "header" and text[offsets[min(word + 1, len(words) - 1)]] == ":"
                before_word = text[max(offsets[word] - LOOKBACK, 0) : offsets[word]].rstrip(CLOSERS)
                ends = before_word.endswith((*FINAL, ">>")) or not _is_plain(before_word[-1:])
                goes_on = is_speech and text[offsets[word] : offsets[word] + 3].lstrip("-–— ")[:1].islower()
                if not (is_label or ends) or (goes_on and before_word.endswith(ASKS)):
                    constraints[words[word]] = -1
            if kind != "cells":
                constraints[words[first + 1 : following]] = -1
        elif is_sure or kind != "number":
            constraints[words[first + 1 : following]] = -1
        if is_sure:
            inner = offsets[first : min(following_line, first + LOOKBACK)]
            for start, after in _find_items(text, match[kind], inner):
                constraints[words[first + start + 1 : first + after + 1]] = -1
                constraints[words[first + start]] = 1
        if is_sure and not (kind == "quote" and follows_another and marker == marker_before):
            constraints[words[first]] = 1
        if kind in WHOLE and following_line < min(len(words), first + LOOKBACK + 1):
            after = offsets[following_line]
            if kind == "quote":
                goes_on = text[after] == text[begin]
            else:
                goes_on = kind in ("header", "log", "time") and text[after - 1] in " \t"
            if not goes_on:
                constraints[words[following_line]] = 1


def _find_items(text: str, marker: str, offsets: list[int]) -> Iterator[tuple[int, int]]:
    """Yields the items that follow the first one in its line: the numbers of the first word of the marker and of the
    word after it. Markers are consecutive, with capitals after numbers and letters; or `A:` follows `Q:` and a mark."""
    found = MARKER.match(marker)
    at, end = offsets[0], offsets[-1]
    while found is not None:
        opening, number, closing = found.groups()
        if number is None:
            sought = f" {found[0]}"
        elif number.isdecimal():
            sought = f" {opening}{int(number) + 1}{closing} "
        elif closing == ":":
            sought = f" {'A' if number == 'Q' else 'Q'}: "
        else:
            sought = f" {opening}{chr(ord(number) + 1)}{closing} "
        at = text.find(sought, at, end)
        if at < 0:
            return
        start, following = bisect_left(offsets, at + 1), bisect_left(offsets, at + len(sought))
        is_item = text[at - 1] in FINAL if closing == ":" else number is None or text[offsets[following]].isupper()
        if number is None and (ordinal := re.compile(ORDINAL).match(text, offsets[following], end)):
            following = bisect_left(offsets, ordinal.end())
        if is_item:
            yield start, following
            found = MARKER.match(sought[1:])
        at += 1


def _look_up(words: np.ndarray, strings: StringStore) -> np.ndarray:
    """Looks up the facts of words (uint8, words x 6)."""
    global _rows, _facts
    with _lock:
        if len(_rows) > MAX_WORDS:
            _rows, _facts = RowIndex(), np.zeros((1024, 6), dtype=np.uint8)
        rows, new = _rows.find(words)
        if new:
            first, end = len(_rows), len(_rows) + len(new)
            if end > len(_facts):
                _facts = np.concatenate([_facts, np.zeros((2 * end - len(_facts), 6), dtype=np.uint8)])
            _facts[first:end] = [_describe(AS_WRITTEN.spell(strings[word])) for word in new]
            _rows.add(np.array(new, dtype=np.uint64))
            rows, _ = _rows.find(words)
        return _facts.take(rows, axis=0)


def _describe(text: str) -> tuple[int, int, int, int, int, bool]:
    """Describes how a word begins and ends, the number of its line breaks (at most 2), whether it can open a line, how
    it can end a sentence (`find_ending`), and whether it begins with a lower-case letter."""
    if not text or text.isspace():
        ends = IS_BREAK if "\n" in text else IS_TAB if "\t" in text else IS_SPACE
        return 0, ends, min(text.count("\n"), 2), OPENS_LINE, marks.WORD, False
    begins = ends = 0
    # Two dots may begin a sentence.
    may_begin = text.startswith("..")
    if text in FOLLOWING or EMOTION.match(text):
        begins = BEGINS_NOTHING
    elif EXTENDING.match(text) or (text[0] in CLOSING and not may_begin) or CLITIC.fullmatch(text):
        begins = CONTINUES
    elif FLAG.match(text):
        begins = BEGINS_WITH_FLAG
    elif text == "|":
        begins = BEGINS_NOTHING
    elif _is_plain(text[0]) and not may_begin:
        begins = BEGINS_PLAIN
    if ADDRESS.search(text):
        ends = IS_ADDRESS
    elif text[-1] == ":":
        ends = ENDS_IN_COLON
    elif text[-1] == "\u200d":
        ends = JOINS
    elif FLAG.match(text[-1]):
        ends = ENDS_WITH_FLAG
    elif text == "|":
        ends = IS_BAR
    elif WRAPPING.issuperset(text):
        ends = WRAPS
    elif _is_plain(text[-1]) and text[-1] not in FINAL and text[-1] not in WRAPPING:
        ends = ENDS_PLAIN
    opens = IS_COLON if text.endswith(":") else OPENS_LINE if OPENING.match(text) else 0
    return begins, ends, 0, opens, marks.find_ending(text), text[0].islower() and text.replace(".", "").isalpha()


def _is_plain(letter: str) -> bool:
    """Returns whether a character is of a script with spaces between words: not Thai, Chinese, Japanese and their
    neighbours, nor a symbol such as an emoji."""
    return letter <= "\u0dff" or "\u1e00" <= letter <= "\u206f"
