"""Writing transcripts for people to read, and as tables: text, Markdown and CSV.

A turn is a paragraph that begins with its time and its speaker, as in `[00:01:02] ANNA: At the garage.`, which the
reader of `turns` understands. In text without final marks, each sentence has its own line. Otherwise, lines that
somebody ended are kept, as in lists, signatures and verse, and wrapped ones are joined.
"""

import csv
import io
import re
import textwrap
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

import numpy as np
from spacy.tokens import Doc

from ..annotation.speech import format_clock
from .words import Word, list_words, warn_of_estimates

# A word that is continued on the next line.
HYPHENATED = re.compile(r"[^\W\d_]-$")
ROWS = ("sentence", "word")
COLUMNS = ("start", "end", "speaker", "text")
# Text is wrapped at the length of its longest lines, but for a few, and not at less than MIN_WIDTH characters. Lines
# count as ended if this share of the next ones begin a sentence, or with a capital.
LONGEST, MIN_WIDTH, ENDED = 0.95, 45, 0.75
# Lines that begin like this are kept, and those after them: quoted mail, tables, fences of code. So are items of lists.
KEPT = (">", "|", "```")
ITEM = re.compile(r"(?:[-+*•–—·●▪◦‣]|\(?\w{1,3}[.)])$")
OPENERS = "\"'“‘«([_*"
FINAL = re.compile(r"[.?!…:;—][\"'”’»)\]]*$")
# Text that Markdown would take for markup: anywhere, and at the beginning of a line.
INLINE = re.compile(r"[\\`*_\[\]<>]")
AT_START = re.compile(r"^(?:#{1,6}(?=\s|$)|[-+](?=\s)|[=~-]{3,}|\d{1,9}(?=[.)]\s))")


def write_text(doc: Doc, wrap: int | None = None) -> str:
    """Writes a paragraph per turn, in lines of at most `wrap` characters if it is given."""
    written: list[str] = []
    for start, speaker, lines in _list_paragraphs(list_words(doc)):
        introduction = _introduce(start, speaker)
        lines[0] = f"{introduction} {lines[0]}" if introduction else lines[0]
        written.append("\n".join(each for line in lines for each in _wrap(line, wrap)))
    return "\n\n".join(written) + "\n" if written else ""


def write_markdown(doc: Doc, wrap: int | None = None) -> str:
    """Writes a paragraph per turn in Markdown, with names and times in bold."""
    written: list[str] = []
    for start, speaker, texts in _list_paragraphs(list_words(doc)):
        introduction = _introduce(start, speaker and _escape(speaker))
        lines = list(map(_escape, texts))
        if introduction:
            lines[0] = f"**{introduction}** {lines[0]}"
        wrapped = ["\n".join(map(_escape_start, _wrap(line, wrap))) for line in lines]
        written.append("\\\n".join(wrapped))
    return "\n\n".join(written) + "\n" if written else ""


def write_csv(doc: Doc, rows: str = "sentence", *, has_header: bool = True) -> str:
    """Writes a row per "sentence" or "word": its start and end in seconds, its speaker, and its text."""
    words = list_words(doc)
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    if has_header:
        table.writerow(COLUMNS)
    parts = _divide(words, [word.begins_sentence or word.begins_turn or rows == "word" for word in words])
    for part in parts:
        starts = [word.start_time for word in part if word.start_time is not None]
        ends = [word.end_time for word in part if word.end_time is not None]
        times = (f"{choose(found):.3f}" if found else "" for choose, found in ((min, starts), (max, ends)))
        table.writerow([*times, part[0].speaker or "", " ".join(word.text for word in part)])
    warn_of_estimates([part[0].is_estimated for part in parts], f"{rows}s")
    return file.getvalue()


def _divide(words: Sequence[Word], begins: Sequence[bool]) -> list[list[Word]]:
    parts: list[list[Word]] = []
    for word, is_first in zip(words, begins, strict=True):
        if is_first or not parts:
            parts.append([])
        parts[-1].append(word)
    return parts


def _list_paragraphs(words: Sequence[Word]) -> Iterator[tuple[float | None, str | None, list[str]]]:
    """Lists the start and the speaker of each turn, and its lines. Further paragraphs of a turn have no start and no
    speaker."""
    # Ends of lines and turns need no marks, as in chats.
    ends = [
        word
        for word, after in pairwise(words)
        if after.begins_sentence and not (after.begins_line or after.begins_turn)
    ]
    ends += words[-1:]
    are_marked = 2 * sum(FINAL.search(word.text) is not None for word in ends) >= len(ends)
    paragraphs = _divide(words, [word.begins_turn or word.begins_paragraph for word in words])
    warn_of_estimates([turn[0].is_estimated for turn in paragraphs if turn[0].begins_turn], "turns")
    all_lines = [_divide(paragraph, [word.begins_line for word in paragraph]) for paragraph in paragraphs]
    lengths = [_measure(line) for lines in all_lines for line in lines]
    width = max(float(np.quantile(lengths or [0], LONGEST, method="lower")), MIN_WIDTH)
    for paragraph, lines in zip(paragraphs, all_lines, strict=True):
        kept = _find_kept_lines(lines) | (_find_ended_lines(lines, width) if are_marked else set())
        begins = [word.start in kept or (word.begins_sentence and not are_marked) for word in paragraph]
        first = paragraph[0]
        known = (first.start_time, first.speaker) if first.begins_turn else (None, None)
        yield *known, [_join(line) for line in _divide(paragraph, begins)]


def _join(words: Sequence[Word]) -> str:
    """Joins words by spaces, and those that are hyphenated at the end of a line directly."""
    parts = [words[0].text]
    for before, word in pairwise(words):
        is_hyphenated = word.begins_line and HYPHENATED.search(before.text) and word.text[0].islower()
        parts += [word.text] if is_hyphenated else [" ", word.text]
    return "".join(parts)


def _find_kept_lines(lines: Sequence[Sequence[Word]]) -> Set[int]:
    """Finds the first tokens of the lines of a paragraph that are kept for what they are."""
    kept: set[int] = set()
    is_code = is_signature = False
    for before, (word, *_) in pairwise(lines):
        is_code ^= before[0].text.startswith("```")
        is_signature |= before[0].text == "--" and len(before) == 1
        is_item = word.begins_sentence and ITEM.match(word.text)
        if is_code or is_signature or is_item or word.text.startswith(KEPT) or before[0].text.startswith(KEPT):
            kept.add(word.start)
    return kept


def _find_ended_lines(lines: Sequence[Sequence[Word]], width: float) -> Set[int]:
    """Finds the first tokens of the lines of a paragraph that follow a line which somebody ended: all of them, or those
    whose first word would have had room in the line before. Several lines below half the width are a list, too."""
    if len(lines) > 2 and all(2 * _measure(line) < width for line in lines):
        return {line[0].start for line in lines[1:]}
    roomy = [line[0] for before, line in pairwise(lines) if _measure(before) + len(line[0].text) < width]
    for firsts in ([line[0] for line in lines[1:]], roomy) if roomy else ():
        n = sum(word.begins_sentence or word.text.lstrip(OPENERS)[:1].isupper() for word in firsts)
        if n >= ENDED * len(firsts):
            return {word.start for word in firsts}
    return set()


def _measure(line: Sequence[Word]) -> int:
    return sum(len(word.text) + 1 for word in line)


def _introduce(start: float | None, speaker: str | None) -> str:
    time = "" if start is None else f"[{format_clock(start, digits=0)}]"
    return " ".join(filter(None, (time, speaker and f"{' '.join(speaker.split())}:")))


def _wrap(text: str, width: int | None) -> list[str]:
    if width is None:
        return [text]
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _escape(text: str) -> str:
    return INLINE.sub(r"\\\g<0>", text)


def _escape_start(line: str) -> str:
    match = AT_START.match(line)
    if match is None:
        return line
    # In a list, the backslash goes after the number.
    at = match.end() if match[0].isdecimal() else 0
    return f"{line[:at]}\\{line[at:]}"
