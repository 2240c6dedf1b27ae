"""Writes transcripts as readable text, Markdown and CSV.

A turn is a paragraph that begins with its time and its speaker, as in `[00:01:02] ANNA: At the garage.`, which the
reader of `turns` understands. In prose without final marks, each sentence has its own line. Otherwise, deliberate line
breaks are kept, with indentation and columns, as in lists, code, signatures and verse, and wrapped lines are joined.
"""

import csv
import io
import re
import textwrap
from collections.abc import Iterator, Sequence, Set
from itertools import accumulate, pairwise

from spacy.tokens import Doc

from ..annotation.speech import format_clock
from .words import FINAL_MARK, GAP, Word, find_prose, has_marks, line_length, list_words, split_words, warn_of_estimates

# A word that is continued on the next line.
HYPHENATED = re.compile(r"[^\W\d_]-$")
WORD = re.compile(r"[^\W\d_]+")
ROWS = ("sentence", "word")
COLUMNS = ("start", "end", "speaker", "text")
# Text is wrapped at the length of its longest lines, except for a few of many, from MIN_WIDTH to MAX_WIDTH characters.
# Line breaks are deliberate if at least the share ENDED of the lines after them begin a sentence, or do not begin in
# lower case. Wrapped lines of prose have at least the share RAGGED of the length of the longest.
LONGEST, MANY_LINES, MIN_WIDTH, MAX_WIDTH, ENDED, RAGGED = 0.95, 20, 45, 130, 0.75, 0.75
# Lines that begin like this are kept, and those after them: quoted mail, tables, code. So are items of lists.
KEPT = (">", "|", "```", "#", "//")
CODE = re.compile(r"\s[-+*/:]?=\s|[{}:;)\]]$")
ITEM = re.compile(r"(?:[-+*•–—·●▪◦‣]|\(?\w{1,3}[.)])$")
MARK = re.compile(r"[^\w\s]$")
# Numbers of pages, `17`, `- 17 -`, `[p. 17]`, rules, and notes such as `[Illustration]`.
ASIDE = re.compile(r"[\W\d_]*[^\s.,;:!?…]|\[[^\[\]]+\]")
OPENERS = "\"'“‘«([_*"
# Text that Markdown would read as markup: anywhere, and at the beginning of a line.
INLINE = re.compile(r"[\\`*_\[\]<>]|&(?=#?\w+;)")
AT_START = re.compile(r"^(?:#{1,6}(?=\s|$)|[-+](?=\s)|[=~-]{3,}|\d{1,9}(?=[.)]\s))")


def write_text(doc: Doc, wrap: int | None = None) -> str:
    """Writes a paragraph per turn, in lines of at most `wrap` characters if it is given."""
    written: list[str] = []
    for start, speaker, lines in _list_paragraphs(list_words(doc)):
        introduction = _introduce(start, speaker)
        lines[0] = f"{introduction} {lines[0].lstrip()}" if introduction else lines[0]
        written.append("\n".join(each for line in lines for each in _wrap(line, wrap)))
    return textwrap.dedent("\n\n".join(written)) + "\n" if written else ""


def write_markdown(doc: Doc, wrap: int | None = None) -> str:
    """Writes a paragraph per turn in Markdown, with names and times in bold."""
    written: list[str] = []
    for start, speaker, texts in _list_paragraphs(list_words(doc)):
        introduction = _introduce(start, speaker and _escape(speaker))
        lines = [_escape(" ".join(text.split())) for text in texts]
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
    parts = split_words(words, [word.begins_sentence or word.begins_turn or rows == "word" for word in words])
    for part in parts:
        starts = [word.start_time for word in part if word.start_time is not None]
        ends = [word.end_time for word in part if word.end_time is not None]
        times = (f"{choose(found):.3f}" if found else "" for choose, found in ((min, starts), (max, ends)))
        table.writerow([*times, part[0].speaker or "", " ".join(word.text for word in part)])
    warn_of_estimates([part[0].is_estimated for part in parts], f"{rows}s")
    return file.getvalue()


def _list_paragraphs(words: Sequence[Word]) -> Iterator[tuple[float | None, str | None, list[str]]]:
    """Lists the start and the speaker of each turn, and its lines. Further paragraphs of a turn have no start and no
    speaker."""
    paragraphs = split_words(words, [word.begins_turn or word.begins_paragraph for word in words])
    warn_of_estimates([turn[0].is_estimated for turn in paragraphs if turn[0].begins_turn], "turns")
    all_lines = split_words(words, [word.begins_turn or word.begins_paragraph or word.begins_line for word in words])
    lengths = sorted(map(_find_end, all_lines)) or [0]
    last = len(lengths) - 1
    width = max(lengths[last if last < MANY_LINES else int(LONGEST * last)], MIN_WIDTH)
    kept = _find_kept_lines(all_lines, width)
    known = {part.lower() for word in words for part in WORD.findall(word.text)}
    are_marked = has_marks(words)
    for paragraph, is_prose in zip(paragraphs, find_prose(paragraphs, are_marked), strict=True):
        first = paragraph[0]
        lines = split_words(paragraph, [word.begins_line for word in paragraph])
        ended = _find_ended_lines(lines, width, is_prose)
        if not are_marked and is_prose:
            ended |= {word.start for word in paragraph if word.begins_sentence}
        elif not are_marked and not any(ITEM.match(line[0].text) for line in lines):
            ended |= {line[0].start for line in lines}
        begins = [word.start in kept or word.start in ended for word in paragraph]
        texts = []
        for part in split_words(paragraph, begins):
            indentation = part[0].space if part[0] is first or part[0].begins_line else ""
            texts.append(indentation + _join(part, known))
        yield (first.start_time, first.speaker, texts) if first.begins_turn else (None, None, texts)


def _join(words: Sequence[Word], known: Set[str]) -> str:
    """Joins words by spaces, and those that are hyphenated at the end of a line directly: without the hyphen, if that
    is a known word. Columns of a single line stay."""
    is_wrapped = any(word.begins_line for word in words[1:])
    parts = [words[0].text]
    for before, word in pairwise(words):
        if word.begins_line and HYPHENATED.search(before.text):
            halves = WORD.findall(before.text)[-1:] + WORD.findall(word.text)[:1]
            parts[-1] = parts[-1].removesuffix("-") if "".join(halves).lower() in known else parts[-1]
        else:
            parts.append(word.space if GAP.search(word.space) and not is_wrapped else " ")
        parts.append(word.text)
    return "".join(parts)


def _find_kept_lines(lines: Sequence[Sequence[Word]], width: float) -> Set[int]:
    """Finds the first tokens of lines that are kept because of their form, such as items, code and tables."""
    kept: set[int] = set()
    for before, line in pairwise(lines):
        signs = (
            line[0].text.startswith(KEPT) or before[0].text.startswith(KEPT),
            # Sentences end in marks, except headings, rows and the like.
            line[0].begins_sentence and (ITEM.match(line[0].text) or not MARK.search(before[-1].text)),
            any(ASIDE.fullmatch(" ".join(word.text for word in each)) for each in (before, line)),
            not _list_columns(before).isdisjoint(_list_columns(line)),
            _is_moved(before, line, width),
            _find_end(before) > MAX_WIDTH,
            _has_room(before, line, width) and CODE.search(" ".join(word.text for word in before)),
        )
        if any(signs):
            kept.add(line[0].start)
    return kept


def _is_moved(before: Sequence[Word], line: Sequence[Word], width: float) -> bool:
    """Returns whether indentation changes after a deliberate line break: by more than one space, unless the next line
    is below the first word of an item, or the line before is full and the next one begins no sentence, as in an
    indented paragraph."""
    deeper = _compare_indentation(before, line)
    hangs = ITEM.match(before[0].text) and deeper == len(before[0].text) + len(before[1:] and before[1].space)
    begins = _has_room(before, line, width) or (deeper > 0 and line[0].begins_sentence) or line[0].text.endswith(":")
    return abs(deeper) > 1 and not hangs and begins


def _find_ended_lines(lines: Sequence[Sequence[Word]], width: float, is_prose: bool) -> Set[int]:
    """Finds the first tokens of the lines of a paragraph that follow a deliberate line break: all lines of a list, or
    lines at the same indentation, if most of them, or of those whose first word would have fitted in the line before,
    begin like sentences. Three or more lines below half the width are a list, and so are lines without marks in most of
    which the next word would have fitted."""
    longest = max(map(_find_end, lines))
    room = max(MIN_WIDTH, RAGGED * longest) if is_prose else max(width, longest)
    if any(FINAL_MARK.search(word.text) for line in lines for word in line):
        is_list = len(lines) > 2 and all(2 * line_length(line) < width for line in lines)
    else:
        is_list = sum(_has_room(*pair, room) for pair in pairwise(lines)) >= ENDED * (len(lines) - 1)
    if is_list:
        return {line[0].start for line in lines[1:]}
    pairs = [(before, line) for before, line in pairwise(lines) if abs(_compare_indentation(before, line)) < 2]
    roomy = [line[0] for before, line in pairs if _has_room(before, line, width)]
    for firsts in ([line[0] for _, line in pairs], roomy) if roomy else ():
        n = sum(word.begins_sentence or not word.text.lstrip(OPENERS)[:1].islower() for word in firsts)
        if n >= ENDED * len(firsts):
            return {word.start for word in firsts if word in roomy or not word.text[:1].islower()}
    return set()


def _list_columns(line: Sequence[Word]) -> Set[int]:
    """Lists the characters of a line at which a column begins, after a gap; after a tabulator, 0."""
    ends = accumulate(len(word.space) + len(word.text) for word in line)
    columns = zip(line[1:], ends, strict=False)
    return {0 if "\t" in word.space else end + len(word.space) for word, end in columns if GAP.search(word.space)}


def _compare_indentation(before: Sequence[Word], line: Sequence[Word]) -> int:
    """Returns how much further a line is indented than the one before."""
    return len(line[0].space.expandtabs()) - len(before[0].space.expandtabs())


def _find_end(line: Sequence[Word]) -> int:
    """Returns the length of a line with its indentation."""
    return len(line[0].space.expandtabs()) + line_length(line)


def _has_room(before: Sequence[Word], line: Sequence[Word], width: float) -> bool:
    """Returns whether the first word of a line would have had room in the line before."""
    return _find_end(before) + len(line[0].text) < width


def _introduce(start: float | None, speaker: str | None) -> str:
    time = "" if start is None else f"[{format_clock(start, digits=0)}]"
    return " ".join(filter(None, (time, speaker and f"{speaker}:")))


def _wrap(text: str, width: int | None) -> list[str]:
    if width is None:
        return [text]
    indentation = text[: -len(text.lstrip())]
    return textwrap.wrap(text, width, subsequent_indent=indentation, break_long_words=False, break_on_hyphens=False)


def _escape(text: str) -> str:
    return INLINE.sub(r"\\\g<0>", text)


def _escape_start(line: str) -> str:
    match = AT_START.match(line)
    if match is None:
        return line
    # In a list, the backslash goes after the number.
    at = match.end() if match[0].isdecimal() else 0
    return f"{line[:at]}\\{line[at:]}"
