"""Writing captions: SubRip (.srt) and WebVTT (.vtt).

Cues of the source stay unchanged (in the same format, all but their numbers) if their words are unchanged, and if
neither they nor cues that share sentences with them are too wide, too long, or end a line badly. Other words are cut
into new captions (captioning.py). The reader finds the same turns in the output: names of speakers are written
accordingly.
"""

import html
from collections.abc import Sequence
from itertools import compress, pairwise
from typing import Any

from spacy.tokens import Doc

from ..annotation.speech import format_clock
from ..errors import Errors, JointValueError
from .captioning import Caption, Limits, Unit, count_breaches, cut_captions
from .captions import ARROW, HEADER, divide_cues, read_srt, read_vtt, strip_markup
from .transcript import LINE_END, join
from .words import FORBIDDEN, Word, fill_times, list_words, split_words, warn_of_estimates

# Characters that the reader would mistake for markup.
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "{": "&#123;", "\\": "&#92;"})
MARK = ">> "
# How names of speakers are written. Later forms are tried if the reader does not find the same turns.
PLAIN, MARKED, BRACKETED, VOICE = "{}: ", ">> {}: ", "[{}]: ", "<v {}>"
LABELS = {"srt": (PLAIN, MARKED, BRACKETED), "vtt": (VOICE,)}
READERS = {"srt": read_srt, "vtt": read_vtt}
# The maximum number of captions that a comment lists.
MAX_LISTED = 20


def write_captions(doc: Doc, format: str, *, recut: bool = False, **settings: Any) -> str:
    """Writes a document as captions, "srt" or "vtt", within `Limits`; if `recut`, all cues of the source are cut again.
    RAISES ValueError: If no word has a time (J470)."""
    words, limits = list_words(doc), Limits(**settings)
    if not words:
        return f"{HEADER}\n" if format == "vtt" else ""
    if not any(word.start_time is not None and word.end_time is not None for word in words):
        raise JointValueError(Errors.J470, format=format)
    words = fill_times(words)
    cue = words[0].cue
    header = cue.header.lstrip() if cue and cue.format == format else ""
    if recut:
        words = [word._replace(cue=None) for word in words]
    turns = split_words(words, [word.begins_turn for word in words])
    expected = [(turn[0].speaker, " ".join(" ".join(word.text for word in turn).split())) for turn in turns]
    # First with the blocks of unchanged cues, which may write names of speakers in another way.
    own = LABELS[format][0]
    if any(
        word.cue and word.cue.format == format == "srt" and f"[{word.speaker}]:" in word.cue.block for word in words
    ):
        # As WhisperX writes them.
        own = BRACKETED
    for keeps_blocks, label in ((True, own), *((False, label) for label in LABELS[format])):
        captions = _arrange(words, make_units(words, label), limits)
        blocks = [_get_block(doc, words, caption, format) if keeps_blocks else None for caption in captions]
        text = _join(words, captions, blocks, header, format, label)
        if [(turn.speaker, turn.text) for turn in join(READERS[format](text, "")).turns] == expected:
            break
    if format != "vtt":
        # WebVTT has a comment instead.
        warn_of_estimates([_is_estimated(words, caption) for caption in captions], "captions")
    return text


def _is_estimated(words: Sequence[Word], caption: Caption) -> bool:
    return caption.cue is None and words[caption.starts[0]].is_estimated


def make_units(words: Sequence[Word], label: str = "") -> list[Unit]:
    """Makes the words to cut. Names of speakers take up room unless they are tags."""
    return [
        Unit(
            len(word.text) + (0 if label == VOICE else len(_introduce(words, index, label))),
            word.start_time or 0.0,
            word.end_time or 0.0,
            word.cost,
            word.begins_turn or index == 0 or word.is_sound != words[index - 1].is_sound,
            word.begins_turn,
            word.begins_sentence,
        )
        for index, word in enumerate(words)
    ]


def _introduce(words: Sequence[Word], index: int, label: str) -> str:
    """Makes the text before the first word of a turn."""
    speaker = words[index].speaker
    if not label or not words[index].begins_turn:
        return ""
    # The same name again would not begin a turn.
    is_same = index > 0 and words[index - 1].speaker == speaker
    mark = MARK if is_same or (index and speaker is None and label != VOICE) else ""
    return mark if label == VOICE or speaker is None else mark + label.removeprefix(mark).format(speaker)


def _arrange(words: Sequence[Word], units: Sequence[Unit], limits: Limits) -> list[Caption]:
    """Makes all captions: cues of the source, or new cuts, in stretches of cues between ends of sentences."""
    starts = [0, *(index for index, word in enumerate(words) if index and word.cue and word.begins_sentence)]
    captions: list[Caption] = []
    for start, end in pairwise([*starts, len(words)]):
        own = _list_cues(words, start, end)
        n = count_breaches(units, limits, own, FORBIDDEN)
        made = cut_captions(units, limits, start, end) if n or not own else own
        captions += made if not own or count_breaches(units, limits, made, FORBIDDEN) < n else own
    return captions


def _list_cues(words: Sequence[Word], start: int, end: int) -> list[Caption]:
    """Lists the cues of a stretch; none unless all words have one."""
    indices = [index for index in range(start, end) if words[index].cue is not None]
    if indices[:1] != [start]:
        return []
    found: list[Caption] = []
    for first, last in pairwise([*indices, end]):
        cue = words[first].cue
        assert cue is not None
        begins = (words[index].begins_line or words[index].begins_turn for index in range(first + 1, last))
        lines = (first, *compress(range(first + 1, last), begins))
        found.append(Caption(lines, last, cue.start_time, cue.end_time, cue))
    return found


def _get_block(doc: Doc, words: Sequence[Word], caption: Caption, format: str) -> str | None:
    """Returns the block of a cue in the source, if it stays unchanged."""
    cue = caption.cue
    if cue is None or cue.format != format or not cue.block:
        return None
    said = words[caption.starts[0] : caption.end]
    return cue.block if all(word.text == doc[word.start : word.end].text for word in said) else None


def _join(
    words: Sequence[Word],
    captions: Sequence[Caption],
    blocks: Sequence[str | None],
    header: str,
    format: str,
    label: str,
) -> str:
    if None not in blocks:
        return header + "".join(filter(None, blocks))
    is_vtt = format == "vtt"
    parts: list[str] = []
    if is_vtt:
        parts.append(header.strip() or HEADER)
        estimated = [number for number, each in enumerate(captions, start=1) if _is_estimated(words, each)]
        if estimated:
            listed = ", ".join(map(str, estimated[:MAX_LISTED])) + (", ..." if len(estimated) > MAX_LISTED else "")
            parts.append(f"NOTE {len(estimated)} of {len(captions)} captions begin at estimated times: {listed}")
    for number, (caption, block) in enumerate(zip(captions, blocks, strict=True), start=1):
        lines = _write_lines(words, caption, label) if block is None else _renumber(block, number, is_vtt)
        if block is None:
            times = (caption.start_time, caption.end_time)
            lines.insert(0, f" {ARROW} ".join(format_clock(time, "." if is_vtt else ",") for time in times))
            lines = lines if is_vtt else [str(number), *lines]
        parts.append("\n".join(lines))
    text = "\n\n".join(parts) + "\n"
    return text.replace("\n", "\r\n") if any(block and "\r\n" in block for block in blocks) else text


def _renumber(block: str, number: int, is_vtt: bool) -> list[str]:
    """Lists the lines of a block; in SubRip, with its new number, and without cues that have no words or numbers."""
    lines = LINE_END.split((block if is_vtt else divide_cues(block)[1]).strip())
    return lines if is_vtt or ARROW in lines[0] else [str(number), *lines[1:]]


def _write_lines(words: Sequence[Word], caption: Caption, label: str) -> list[str]:
    is_vtt = label == VOICE
    voice: str | None = None
    lines: list[str] = []
    for start, end in pairwise([*caption.starts, caption.end]):
        introduction, name = _introduce(words, start, label), words[start].speaker
        tag = ""
        if is_vtt and start > caption.starts[0] and words[start].begins_turn and not words[start].is_estimated:
            tag = f"<{format_clock(words[start].start_time or 0.0)}>"
        if is_vtt and name != voice:
            tag += "</v>" if name is None else label.format(html.escape(name, quote=False))
        voice = name
        text = _escape(" ".join(word.text for word in words[start:end]), is_vtt)
        lines.append(tag + (html.escape(introduction, quote=False) if is_vtt else introduction) + text)
    return lines


def _escape(text: str, is_vtt: bool) -> str:
    """Escapes text that looks like markup. SubRip has no escapes, so text is only escaped there if it must be."""
    escaped = html.escape(text, quote=False) if is_vtt else text
    is_plain = ARROW not in escaped and strip_markup(escaped) == " ".join(text.split())
    return escaped if is_plain else text.translate(ESCAPES)
