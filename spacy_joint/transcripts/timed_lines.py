"""Formats with times in lines: the CTM files of speech research (`FILE CHANNEL START DURATION WORD`), the .tsv files of
Whisper (`start end text`, in milliseconds), labels of Audacity (the same in seconds), the text of Otter (`Anna  0:02`
above her words; also `Anna 00:02` if the first time is at the beginning, Riverside's `Anna (00:02.12)`, Fathom's
`0:02 - Anna`, and `Anna | 0:02`), and that of YouTube (`0:02` above or before the words; also `[00:02.000 -->
00:04.000]` or `[2.00s -> 4.00s]`, as Whisper and faster-whisper print it, and lyrics: `[00:02.00]So`). Chats of Slack,
Discord, Telegram, Teams and Facebook are like Otter's text, but their times, which are times of day, are left out:
`Anna Smith  10:02 AM`, `Anna — Today at 10:02 AM`, `Anna, [12.03.2024 10:02]`, `[10:02 AM] Anna`, or a time below or
above the name, or below her words. Word's transcripts have `00:00:02 Anna` above her words."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, takewhile

from ..errors import Errors, JointValueError
from .labels import DATE, HALF, NUMBERED
from .transcript import CLOCK, DECIMALS, LINE_END, TIMES, Format, Segment, is_sound, read_clock, set_times

NUMBER = r"\d+(?:\.\d+)?"
CTM_LINE = re.compile(rf"\S+\s+\S+\s+(?P<start>{NUMBER})\s+(?P<length>{NUMBER})\s+(?P<word>\S+)(?:\s+\S+){{0,3}}")
# Pauses and noise.
CTM_SILENCE = re.compile(r"<(?:eps|sil|s|/s|noise|unk_noise)>|SIL", re.IGNORECASE)
TSV_HEADER = "start\tend\ttext"
TSV_LINE = re.compile(rf"(?P<start>{NUMBER})\t(?P<end>{NUMBER})\t(?P<text>.*)")
# The labels of Audacity, in seconds.
SECONDS = re.compile(r"\d+\.\d+\t\d+\.\d+\t.*")
DAY = rf"(?:{DATE}|\d\d?[./]\d\d?[.]?|Today|Yesterday),?\s(?:at\s)?"
WHEN = rf"(?:{DAY})?{CLOCK}{HALF}"
OTTER_NAME = re.compile(
    rf"""
    (?:(?P<before>\[{WHEN}\]|\d\d:\d\d:\d\d|(?:\d:)?\d?\d:\d\d(?=\s[-|]\s))(?:\s-\s{CLOCK})?\s+(?:[-|]\s+)?)?
    (?!\w+\s\d\d?,\s\d{{4}})(?P<name>[^\W\d_][^\t:|\[]{{0,60}}?)
    (?(before)|(?:\s{{2,}}|\t|[ ]—[ ]|,[ ]\[|[ ](?P<opening>[(\[]|\|[ ]|(?=\d\d:\d\d)))
    (?P<time>{WHEN})(?(opening)[)\]]?|\]?))\s*
    """,
    re.VERBOSE,
)
# Slack writes the times of further messages above them.
FURTHER = re.compile(rf"\s*(?P<time>{WHEN})\s*")
YOUTUBE_TIME = re.compile(rf"\s*\[?(?=(?P<time>{CLOCK})){TIMES}\]?:?(?:(?:\s+|(?<=\]))(?P<text>.*))?")
# Titles and the like in lyrics: [ti: So]
LRC_TAG = re.compile(r"\[[a-z]{2,6}:[^\[\]]*\]\s*")
# A line with a time alone, perhaps after a date; and the share of such lines that must be next to names that recur.
TIME_ALONE, NAMED_SHARE = re.compile(rf"(?:[\w./]+,?\s+){{0,4}}(?P<time>{CLOCK}{HALF})"), 0.5
# The first time is below this, in seconds, unlike in programmes of events.
BEGINNING = 60
# The most lines above the first name in chats, or the first time; and the fewest characters per second of speech,
# unlike in lists of chapters.
MAX_HEADER, MIN_RATE = 6, 0.5
# Headings above the first name in Otter's exports.
OTTER_HEADER = frozenset(("SUMMARY KEYWORDS", "SPEAKERS"))
OTTER_END = re.compile(r"Transcribed by https?://otter\.ai\s*")


def read_ctm(content: str, source: str) -> Iterator[Segment]:
    """Reads CTM. RAISES ValueError: If a line has other fields (J467)."""
    channel: list[str] = []
    for number, line in enumerate(LINE_END.split(content), start=1):
        if not line.strip() or line.startswith(";;"):
            continue
        match = CTM_LINE.fullmatch(line.strip())
        if match is None:
            fields = "file, channel, start, duration, word"
            raise JointValueError(Errors.J467, source=source, line=number, found=line, format="CTM", fields=fields)
        begins_turn, channel = channel != line.split()[:2], line.split()[:2]
        if not CTM_SILENCE.fullmatch(match["word"]):
            start = float(match["start"])
            end = start + float(match["length"])
            yield Segment(f" {match['word']}", None, (start, end), begins_turn, is_word=True)


def read_tsv(content: str, source: str) -> Iterator[Segment]:
    """Reads the .tsv of Whisper, or labels of Audacity. RAISES ValueError: If a line has other fields (J467)."""
    per_second = 1 if SECONDS.match(content.lstrip()) else 1000
    for number, line in enumerate(LINE_END.split(content), start=1):
        if not line.strip() or (number == 1 and line.strip() == TSV_HEADER):
            continue
        match = TSV_LINE.fullmatch(line)
        if match is None or float(match["end"]) < float(match["start"]):
            format_, fields = "Whisper's .tsv or Audacity's labels", "start, end, text, separated by tabs"
            raise JointValueError(Errors.J467, source=source, line=number, found=line, format=format_, fields=fields)
        start, end = (round(float(match[time]) / per_second, DECIMALS) for time in ("start", "end"))
        *names, words = match["text"].split("\t")
        yield Segment(f" {words}", " ".join(names) or None, (start, end), is_sound=is_sound(words))


def read_otter(content: str, source: str) -> Iterator[Segment]:
    """Reads the text of Otter, or a chat. RAISES ValueError: If no turn begins anywhere (J468)."""
    lines = [line for line in _join_times(LINE_END.split(content)) if not OTTER_END.fullmatch(line)]
    segments: list[Segment] = []
    stamps: list[tuple[int, str]] = []
    speaker, begins_turn, is_export = None, False, _has_header(lines)
    for line in lines:
        head = OTTER_NAME.fullmatch(line) or (FURTHER.fullmatch(line) if stamps else None)
        if head:
            speaker, begins_turn = head.groupdict().get("name", speaker), True
            stamps.append((len(segments), head["time"] or head["before"].strip("[]")))
        elif stamps or not is_export:
            begins = (begins_turn, not stamps and not line.strip())
            segments.append(Segment(f" {line}", speaker, None, *begins, is_sound(line), begins_line=True))
            begins_turn &= not line.strip()
    if not stamps and any(map(str.strip, lines)):
        raise JointValueError(Errors.J468, source=source)
    set_times(segments, stamps, may_be_daytime=True)
    yield from segments


def read_youtube(content: str, source: str) -> Iterator[Segment]:
    """Reads a transcript copied from YouTube, or lyrics (.lrc). RAISES ValueError: If no line begins with a time
    (J467)."""
    lines = [line for line in LINE_END.split(content) if not LRC_TAG.fullmatch(line)]
    heads = {number: match for number, line in enumerate(lines) if (match := YOUTUBE_TIME.fullmatch(line))}
    texts = [heads[number]["text"] or "" if number in heads else line for number, line in enumerate(lines)]
    said = [number for number, text in enumerate(texts) if text.strip()]
    if said and not heads:
        line, fields = lines[said[0]], "time, text"
        raise JointValueError(Errors.J467, source=source, line=said[0] + 1, found=line, format="YouTube", fields=fields)
    indices = list(heads)
    blocks = {n: list(block) for n, block in groupby(said, key=lambda number: bisect(indices, number))}
    # Chapters have a title: above the first time, and below the last words of the chapter before.
    header = blocks.pop(0, [])
    last = [block[-1] for block in blocks.values() if len(block) > 1]
    titles = {*header, *last} if len(header) == 1 and 2 * len(last) < len(heads) else set()
    segments: list[Segment] = []
    stamps: list[tuple[int, str]] = []
    for number, text in enumerate(texts):
        if number in heads:
            stamps.append((0 if titles and not stamps else number, heads[number]["time"]))
        begins_turn = number in indices[:1] and not titles
        begins_paragraph = not titles.isdisjoint((number - 1, number)) or not (stamps or text.strip())
        segment = Segment(f" {text}", None, None, begins_turn, begins_paragraph, is_sound(text))
        segments.append(segment._replace(begins_line=not stamps))
    set_times(segments, stamps)
    yield from segments


def _join_times(lines: Sequence[str]) -> Sequence[str]:
    """Moves times on separate lines next to names, if several names recur, or are numbered, directly above them, or
    below them and in the first line."""
    filled = [line.strip() for line in lines if line.strip()]
    times = {index: match["time"] for index, line in enumerate(filled) if (match := TIME_ALONE.fullmatch(line))}
    for beginnings in ([index - 1 for index in times], [0, *(index + 1 for index in times)]):
        possible = [index for index in beginnings if index in range(len(filled)) and index not in times]
        counts = Counter(filled[index] for index in possible)
        named = {index for index in possible if counts[filled[index]] > 1 or re.fullmatch(NUMBERED, filled[index])}
        if len(named) > max(counts.values(), default=0) and len(named) >= NAMED_SHARE * len(times):
            indices, clocks = [*times], [*times.values(), "0:00"]
            heads = {index: f"{filled[index]}\t{clocks[bisect(indices, index) - (0 in times)]}" for index in named}
            return [heads.get(index, line) for index, line in enumerate(filled) if index not in times]
    return lines


def _has_header(lines: Sequence[str]) -> bool:
    """Returns whether lines before the first name are the header of an export."""
    above = takewhile(lambda line: not OTTER_NAME.fullmatch(line), lines)
    return any(line.strip() in OTTER_HEADER for line in above)


def _is_tsv(lines: Sequence[str]) -> bool:
    filled = [line for line in lines[:20] if line.strip()]
    has_header = [line.strip() for line in lines[:1]] == [TSV_HEADER]
    return has_header or (bool(filled) and all(map(SECONDS.fullmatch, filled)))


def _is_ctm(lines: Sequence[str]) -> bool:
    filled = [line.strip() for line in lines if line.strip() and not line.startswith(";;")][:20]
    # Tables of numbers have no letters.
    return all(map(CTM_LINE.fullmatch, filled)) and any(map(str.isalpha, "".join(filled)))


def _is_otter(lines: Sequence[str]) -> bool:
    filled = [line for line in _join_times(lines) if line.strip()]
    heads = {index: match for index, line in enumerate(filled) if (match := OTTER_NAME.fullmatch(line))}
    first = next(iter(heads.values()), None)
    is_event = first and first["opening"] == "" and not first["time"].startswith("00:")
    if is_event or any(after - before == 1 for before, after in pairwise(heads)):
        return False
    # After another header, or without columns, only recurring names count.
    recurs = len({match["name"] for match in heads.values()}) < len(heads)
    if _has_header(filled) or (0 in heads and not heads[0]["before"] and heads[0]["opening"] is None):
        return len(heads) > 1 or any(map(OTTER_END.fullmatch, filled))
    return recurs and next(iter(heads)) <= MAX_HEADER


def _is_youtube(lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    heads = {index: match for index, line in enumerate(filled) if (match := YOUTUBE_TIME.fullmatch(line))}
    times = [read_clock(match["time"]) or 0.0 for match in heads.values()]
    beside = {index: (match["text"] or "").strip() for index, match in heads.items()}
    gaps = [after - before for before, after in pairwise([*heads, len(filled)])]
    has_words = all(text or gap > 1 for text, gap in zip(beside.values(), gaps, strict=True))
    has_columns = any("\t" in text for text in beside.values())
    if not (len(heads) > 2 and has_words and times == sorted(times)) or has_columns:
        return False
    if sum(len(beside.get(index, line)) for index, line in enumerate(filled)) < MIN_RATE * (times[-1] - times[0]):
        return False
    # Below a header, such as the title of a chapter, and next to words, the first time is at the beginning.
    header = next(iter(heads))
    return header <= MAX_HEADER and (times[0] < BEGINNING or not (header or any(beside.values())))


CTM = Format("ctm", read_ctm, _is_ctm, (".ctm",))
TSV = Format("tsv", read_tsv, _is_tsv)
OTTER = Format("otter", read_otter, _is_otter)
YOUTUBE = Format("youtube", read_youtube, _is_youtube, (".lrc",))
