"""Kinds of lines, such as list items, labels, headings, table rows, mail headers and log lines, and the constraints
that they put on sentence starts.

Wrapped text can begin a line with a number or a dash by chance, so some kinds need a sign in the line before.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..files.reading import read_word_lists

# The maximum number of words that determine the kind of a line, and of words to look back at from the next line.
LOOKAHEAD, LOOKBACK = 12, 64
# Wrapped lines are longer than SHORT, in characters, and than FEW, in words; headings are at most HEADING.
SHORT, HEADING, FEW = 45, 32, 3

# Characters that can stand between a mark and the next sentence.
CLOSERS = " \t\"'’”»)]}*_~`"
FINAL = frozenset(".!?…")

# The beginning of a line, up to the next word; or a whole line.
NAME = r"[A-Z][\w.'’&/-]*"
BOX = r"\[[ xX]?\][ \t]+"
ORDINAL = r"\d{1,3}(?:\.\)?|\))[ \t]+"
COLON = "[ \u00a0\u202f]?:"  # French has a space before it
# Ranges of Latin, Greek and Cyrillic letters.
UPPER, LOWER = "A-ZÀ-ÖØ-ÞΑ-ΩА-Я", "a-zß-öø-ÿα-ωа-я"
SECTION = r"\d{1,2}(?:\.\d{1,2}){1,3}\.?"
DOTS = "•·●▪◦‣\u2043■□◆★☆✓✔✗✘✅❌†‡"
ICON = "[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?[ \t]+"
NICK = r"(?:<[\w.-]+>|[\w.+-]+(?:[ ][\w.-]+){0,3}:)"
DATE = r"\d\d?[./-]\d\d?[./-]\d{2,4}"
TIME = r"\d\d?:\d\d\S*"
DAYTIME = "morning|afternoon|evening"
# The words of each list of letters.txt as a pattern.
LETTERS = {
    name: "|".join(re.escape(word).replace("_", "[ ]") for word in sorted(words, reverse=True))
    for name, words in read_word_lists(Path(__file__).parent / "letters.txt").items()
}
GREETING = f"{LETTERS['hello']}|{LETTERS['thanks']}"
# The first words of greetings.
OPENERS = re.sub(r"\[ \]\w+", "", GREETING)
DAYS, MONTHS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun", "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
SIGN = r"[-=*_~\#+|:]"
LINE = re.compile(
    rf"""^[^\S\n]*(?=\S)(?:
        (?P<rule>(?:{SIGN}(?:[ \t]?{SIGN}){{2,}}|--)(?=\s*?$))  # ----
      | (?P<greeting>(?:>[> \t]*)?(?:{LETTERS["hello"]}|Good[ ](?:{DAYTIME}))  # Hi Nora,
            (?:[ ][\w.'’-]+){{0,4}},(?=\s*?$))
      | (?P<closing>(?:{LETTERS["closing"]})(?:[ ][^\W\d_][\w'’]*){{0,4}},(?=\s*?$))  # Best wishes,
      | (?P<address>(?:{GREETING})(?:[ ](?:{DAYTIME}|you))?  # Good morning, Dr. Lee, we ...
            (?:,?[ ](?:[{UPPER}][\w'’-]*|(?:Dr|Mrs?|Ms|Prof|Sra?)[.]|(?:{LETTERS["addressed"]})\b)){{1,3}}
            ,[ ])(?=\S)
      | (?P<dateline>(?:[{UPPER}]{{3}}[{UPPER} .'’-]*  # OSLO (AP) - It ...
            |{NAME}(?:[ ]{NAME}){{,2}}(?=[^\n(]{{,20}}[ ]\({NAME}\)))
            (?:,[ ](?:{NAME}(?:[ ]\d+)?|\d+\w*(?:(?:[ ]de)?[ ]\w+)?)){{,3}}
            [ ](?:\({NAME}(?:[ ]{NAME})*\)[ ])?(?:--|[—–―-])[ ])(?=\S)
      | (?P<fence>```|~~~)
      | (?P<row>\|[ \t]*)(?=\S)  # | Name | Price |
      | (?P<header>(?:{LETTERS["header"]}|[A-Z]\w*(?:-[A-Z]\w*)+){COLON}[ \t]+)(?=\S)  # Subject: Pens
      | (?P<copyright>(?:Copyright:?[ ](?:©|\([cC]\))?|©|\([cC]\))[ ]*)(?=\d{{4}}|\[)
      | (?P<heading>(?:\#{{2,6}}|\*{{2,5}}|={{2,6}})[ \t]+(?:{ORDINAL})?)(?=\S)  # == Life ==
      | (?P<contents>\S[^\n]*?(?<![ .])[ ]?(?:\.[ ]?){{4,}}[ ]*[$€£]?\d[\d.,-]*(?=\s*?$))  # Soup ..... 12
      | (?P<bullet>(?:(?:\*[ \t]+|[{DOTS}][ \t]*|[→➡►▶👉⚠⛔❗💡📌]\ufe0f?[ \t]*)  # * Pens, [x] Pens
            (?:{BOX}|{ICON}|{ORDINAL})?|{BOX}))(?=\S)
      | (?P<dash>[-+–—][ \t]+(?:{BOX}|{ICON})?)(?=\S)  # - Pens
      | (?P<section>{SECTION}[ \t]+[{UPPER}][^\n]{{,60}}(?<![.!?…,;:])(?=[ \t]*\n))  # 2.1 Methods
      | (?P<title>(?=[{UPPER}\d](?:[^{LOWER}\n]*?[{UPPER}]){{3}})  # PENS AND PAPER
            [{UPPER}\d .,&'’/()–—-]{{4,60}}(?<![.!?,;-])(?=[ \t]*\n(?:[ \t]+|(?![{LOWER}]))[^\n]{{,24}}[{LOWER}]))
      | (?P<number>(?:(?:(?:(?:§|Art\.)[ ]?)?\d{{1,2}}|[A-Za-z]|Q\d+|[ivx]{{2,4}}|[IVX]{{2,4}})  # 1. Pens, (b) Pens
                (?:\.\)?|\)|\.?[º°](?=[ \t]+[{UPPER}]))|\d{{1,2}}/|\[\d+\]|{DATE}
            |(?:{SECTION}|\d{{1,3}}[:/]\d\d?)(?=[ \t]+[{UPPER}])|\((?:\d{{1,3}}|[A-Za-z]|[ivx]{{2,4}})\))[ \t]+
            (?:{ICON})?)(?=\S)
      | (?P<amount>(?:(?:\d[ ](?=\d/))?\d{{1,3}}(?:[.,/]\d{{1,2}})?(?:[kcm]?[glm]|oz|lb)?|\d?[½⅓⅔¼¾⅛])[ \t]+)  # 2 eggs
            (?=[{LOWER}]\S*(?:[ \t]+\S+){{,5}}(?<![.!?,;:-])[ \t]*$)
      | (?P<option>--?[A-Za-z][\w-]*(?:[=[]\S+)?(?:,[ ]--?\w\S*)*)(?=\s)  # -v, --verbose
      | (?P<log>\[?(?:\d{{4}}-\d\d-\d\d[T ]{TIME}|(?:{MONTHS})[ ]+\d\d?[ ]{TIME}  # 2024-05-17 10:02:01 INFO
            |\d[\d.]{{6,}}(?:[ ]\S+){{2}}(?=[ ]\[)|\[(?:DEBUG|INFO|WARN(?:ING)?|ERROR)\])[ \t]+)(?=\S)
      | (?P<trace>(?<=[ \t])(?:at[ ](?=\S+\()|\.{{3}}[ ](?=\d+[ ]more)|File[ ](?="))|Caused[ ]by:[ ]|Traceback[ ](?=\()
            |Exception[ ]in[ ]|[\w.]*[a-z](?:Error|Exception):[ ])
      | (?P<time>(?:(?:\[\d\d?:\d\d(?::\d\d)?(?:[ ][AaPp][Mm])?\]|\d\d?:\d\d:\d\d\S*  # [10:02] <nora> Hi
            |\[?{DATE},[ ]{TIME}(?:[ \u202f][AaPp][Mm])?(?:\]|[ ]-))[ \t]+(?:(?:{NICK}|\*)[ \t]+)?
            |\d\d?:\d\d[ \t]+(?:<[ @+]?[\w.-]+>|\*|-!-)[ \t]+)(?=\S)
            |\w[^\n]{{,30}}?(?:[ \t]{{2,}}|[ ]—[ ](?:\w+day[ ]at|{DATE})[ ])\d\d?:\d\d[ ][AP]M(?=\s*?$))  # Nora  9:02
      | (?P<wrote>On[ ](?:(?:{DAYS}),|(?:{MONTHS})\w*[ ]\d\d?,[ ]\d{{4}},?[ ]at)[ ])(?=\S)  # On Tue, Nora wrote:
      | (?P<shell>\$[ ])(?=\S)
      | (?P<quote>>[> \t]*(?=\S|$)|(?:\#|//)[ \t]+(?=\S))  # > It rained.
      | (?P<tag></?(?:p|h[1-6]|[uo]l|li|div|tr|table|blockquote)\b[^<>\n]*>)
      | (?P<label>(?:(?:\*\*)?{NAME}(?:,?[ ](?:(?:(?:{LETTERS["particles"]})[ ])?{NAME}|\d+)){{0,3}}  # NORA (aside): Hi
                (?:[ ]\([^()\n]{{1,20}}\)){{0,2}}{COLON}(?:\*\*)?|<[\w.-]+>
            |\[[^\]\n]{{1,80}}\]{COLON}|[QA][ ][–—-]|(?:P\.(?:P\.|-)?S|N\.B)\.)[ \t]+
            (?:\([^().\n]{{1,20}}\)[ \t]+)?)(?=\S)
      | (?P<nick>[a-z][\w.-]*{COLON}[ \t]+)(?=\S)  # nora: hi
      | (?P<cells>(?<=^)\S(?:[^\t\n]*(?:\t[^\t\n]*)+|[^|\n]*(?:[ ]\|[ ][^|\n]*){{2,}})(?=$)  # Pens | 2 | $5
            |(?=[^\n]*[ ]{{3}}[(+-]?[$€£]?[ ]?\d)\S(?:(?:[^\n]*?\S[ ]{{3,}}(?=\S)){{2}}[^\n]*
                |[^\n]*?\S[ ]{{4,}}[(+-]?[$€£]?[ ]?\d\S*(?:[ ]\S{{1,6}}){{0,4}})(?=[ \t]*$))
      | (?P<short>[{UPPER}\d](?![^\n]*[ ](?:{LETTERS["unfinished"]})[ \t]*$)  # Opening hours
            [^\n:]{{,{HEADING - 1}}}(?<![.!?…,;&-])(?=[ \t]*\n["“]?[{UPPER}][^\n]{{,24}}[{LOWER}]))
    )""",
    re.MULTILINE | re.VERBOSE,
)
# The beginning of a tag of HTML, up to its last attribute.
TAG = re.compile(r"""</?[A-Za-z][\w:-]*(?:\s+[\w:@.-]+=(?:"[^"<>]{0,2000}"?|'[^'<>]{0,2000}'?))*""")
# Markers of items that other items of the same list can follow in the same line.
MARKER = re.compile(rf"[{DOTS}]|(\(?)(\d+|[a-y]|[QA](?=[:.]))(\.?\)|\.|:)")
# Lines of these kinds may go on in the next one.
OPEN_ENDED = frozenset(("copyright", "label", "nick", "option", "shell", "wrote"))
# No sentence starts inside these, except after a mark.
UNDIVIDED = frozenset("row header heading section log trace shell wrote cells bullet dash number copyright".split())  # noqa: SIM905
# Headings; and what begins the first sentence of a text: Good morning, Dr. Lee, we are ready. OSLO (AP) - It rains.
HEADINGS, BEFORE_TEXT = frozenset(("title", "short")), frozenset(("address", "dateline"))
# Lines of these kinds have no constraints unless it is sure that they are of the kind.
ALL_OR_NOTHING = HEADINGS | {"amount", "nick"}
# Wrapped text can begin a line with these by chance, unless the line before ends in one of BEFORE_UNSURE.
UNSURE = frozenset(("amount", "dash", "number", "section", "option", "shell", "wrote", "label", "nick"))
BEFORE_UNSURE, BEFORE_AMOUNT = frozenset('.!?…:;)]”"'), FINAL | {":"}

# In dialogue with dashes, these may precede narration in lower case: "— Why? — asked Anna".
ASKS = ("?", "!", "…", "...")

# Flags of words that can open a line that LINE matches, or end in a colon.
OPENS_LINE, IS_COLON = 1, 2
OPENING = re.compile(
    rf"\s|[^\w\s\"'“‘.,]|\d{{1,3}}(?:\.\d{{1,2}})*[.)º°]{{,2}}$|[A-Za-z][.)]?$|Q\d|[ivxIVX]{{2,4}}[.)]?$|\d+[-:]\d|P\.|N\.B|(?:{MONTHS}|On|Art\.)$"
    rf"|(?:{OPENERS})$|[{UPPER}]{{3,}}$"
)


def find_opening(text: str) -> int:
    """Returns whether a word can open a line of some kind (OPENS_LINE) or ends in a colon (IS_COLON); otherwise 0."""
    return IS_COLON if text.endswith(":") else OPENS_LINE if OPENING.match(text) else 0


class _Line(NamedTuple):
    """A line of a kind: its marker, such as a bullet or the whole line, and the offsets of the marker; the first words
    of the line before, of the line, after the marker and of the next line. Whether the line is not wrapped text, and
    does not continue a quotation."""

    kind: str
    marker: str
    begin: int
    end: int
    before: int
    first: int
    after: int
    following: int
    is_sure: bool = False
    is_new: bool = True


def constrain_lines(
    text: str, offsets: list[int], n_before: np.ndarray, words: np.ndarray, constraints: np.ndarray
) -> None:
    """Adds the constraints of lines; `n_before` is the number of line breaks before each word."""
    text = text.replace("\r", " ")
    for tag in TAG.finditer(text):
        constraints[words[bisect_right(offsets, tag.start()) : bisect_left(offsets, tag.end())]] = -1
    for line in _find_lines(text, offsets, n_before):
        for found, constraint in _constrain_line(text, offsets, line):
            constraints[words[found]] = constraint


def _find_lines(text: str, offsets: list[int], n_before: np.ndarray) -> Iterator[_Line]:
    """Yields the lines that put constraints on their words."""
    starts = [*np.flatnonzero(n_before).tolist(), len(offsets), len(offsets)]
    previous = None
    for match in LINE.finditer(text):
        kind = str(match.lastgroup)
        begin, end = match.span(kind)
        first, after = bisect_left(offsets, begin), bisect_right(offsets, end)
        number = bisect_left(starts, first)
        if first == len(offsets) or starts[number] != first or after - first >= LOOKAHEAD:
            continue
        # A line of ">" alone is a blank line of quoted mail.
        marker = "" if kind == "quote" and text[end : end + 1] in ("", "\n") else match[kind].strip()
        before = starts[number - 1] if number else first
        line = _Line(kind, marker, begin, end, before, first, after, starts[number + 1])
        if kind in BEFORE_TEXT:
            yield line
            continue
        is_near = first - before <= LOOKBACK
        earlier = previous if previous is not None and previous.following == first and is_near else None
        same = earlier is not None and earlier.kind == kind
        if kind in HEADINGS:
            # Capitals can also be part of wrapped text.
            is_short = after - first <= FEW or starts[number + 2] - after >= LOOKAHEAD
            ends = text[max(begin - LOOKBACK, 0) : begin].rstrip().endswith(tuple(FINAL))
            is_sure = (n_before[first] > 1 or same or ends) and (is_short or kind == "title")
        else:
            is_sure = kind not in UNSURE or n_before[first] > 1 or (same if kind == "amount" else earlier is not None)
            is_sure = is_sure or _announces(text[offsets[before] : begin].rstrip(), kind, first - before, is_near)
        if is_sure or kind not in ALL_OR_NOTHING:
            continues = kind == "quote" and earlier is not None and marker in ("", earlier.marker)
            previous = line._replace(is_sure=is_sure, is_new=not continues)
            yield previous


def _announces(line: str, kind: str, n_words: int, is_near: bool) -> bool:
    """Returns whether a line is unlike wrapped text before a line of an unsure kind: by its end, or because it is short
    (before amounts, one word)."""
    if kind == "amount":
        return line[-1] in BEFORE_AMOUNT or n_words == 1
    return line[-1] in BEFORE_UNSURE or (is_near and len(line) < SHORT)


def _constrain_line(text: str, offsets: list[int], line: _Line) -> Iterator[tuple[Any, int]]:
    """Yields numbers of words of a line, and their constraint."""
    kind, first, following = line.kind, line.first, line.following
    if kind in HEADINGS:
        yield slice(line.after, line.after + 1), 1
        return
    near = range(first + 1, min(following, first + LOOKBACK))
    if kind in UNDIVIDED and line.is_sure:
        yield _find_undivided(text, offsets, kind, text[line.end : line.end + 1].isupper(), near), -1
    if kind != "cells" and (line.is_sure or kind != "number"):
        yield slice(first + 1, line.after), -1
    if not line.is_sure:
        return
    for start, after in _find_items(text, line.marker, offsets[first : near.stop]):
        yield slice(first + start + 1, first + after + 1), -1
        yield first + start, 1
    if line.is_new or not line.marker:
        yield first, 1 if line.is_new else -1
    if kind not in OPEN_ENDED and following < min(len(offsets), first + LOOKBACK + 1):
        after = offsets[following]
        if not _continues(kind, text[line.begin : after], text[after]):
            yield following, 1


def _continues(kind: str, line: str, following: str) -> bool:
    """Returns whether a line of a kind, with the space after it, continues on the next one, given its first letter."""
    if kind == "quote":
        return following == line[0] or (line.startswith(">>") and following.islower())  # >> marks speakers in captions
    if kind == "amount":
        return following.islower()
    if kind in ("bullet", "dash", "number"):
        text = line.rstrip()
        return len(text) > HEADING or text[-1] in ",;:(-" or not following.isupper()
    return kind in ("header", "log", "time") and line[-1] in " \t"


def _find_undivided(text: str, offsets: list[int], kind: str, begins_upper: bool, inner: range) -> list[int]:
    """Finds the inner words of a line that do not begin a sentence: those not after a mark; and, in dialogue with
    dashes, narration in lower case. `begins_upper` says whether the text of the line begins with a capital."""
    found = []
    for word in inner:
        is_label = kind == "header" and text[offsets[min(word + 1, len(offsets) - 1)]] == ":"
        before = text[max(offsets[word] - LOOKBACK, 0) : offsets[word]].rstrip(CLOSERS)
        # Not inside a name, such as app.Main.
        ends = before.endswith((*FINAL, ">>")) and text[offsets[word] - 1] != "."
        ends |= not is_plain(before[-1:])
        is_speech = kind == "dash" and begins_upper
        is_narration = is_speech and text[offsets[word] : offsets[word] + 3].lstrip("-–— ")[:1].islower()
        if not (is_label or ends) or (is_narration and before.endswith(ASKS)):
            found.append(word)
    return found


def _find_items(text: str, marker: str, offsets: list[int]) -> Iterator[tuple[int, int]]:
    """Yields the items that follow the first one in its line: the numbers of the first word of the marker and of the
    word after it. Markers are consecutive, with capitals after numbers and letters; or `A:` follows `Q:` and a mark."""
    found = MARKER.match(marker)
    at, end = offsets[0], offsets[-1]
    while found is not None:
        opening, number, closing = found.groups()
        is_turn = number in ("Q", "A")
        sought = f" {found[0]}"
        if number is not None:
            after = int(number) + 1 if number.isdecimal() else chr(ord(number) + 1)
            sought = f" {opening}{'QA'[number == 'Q'] if is_turn else after}{closing} "
        at = text.find(sought, at, end)
        if at < 0:
            return
        start, following = bisect_left(offsets, at + 1), bisect_left(offsets, at + len(sought))
        is_item = text[at - 1] in FINAL if is_turn else number is None or text[offsets[following]].isupper()
        if number is None and (ordinal := re.compile(ORDINAL).match(text, offsets[following], end)):
            following = bisect_left(offsets, ordinal.end())
        if is_item:
            yield start, following
            found = MARKER.match(sought[1:])
        at += 1


def is_plain(letter: str) -> bool:
    """Returns whether a character is of a script with spaces between words: not Thai, Chinese, Japanese and their
    neighbours, nor a symbol such as an emoji."""
    return letter <= "\u0dff" or "\u1e00" <= letter <= "\u25ff"
