"""Reads transcripts in all supported formats, which the suffix or the lines of a file determine. To add a format, write
a module with a `Format`, and list it in ALL."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from ..errors import Errors, JointValueError, check_choice
from ..files.reading import read_text
from .captions import SRT, VTT
from .recognisers import RECOGNISER
from .timed_lines import CTM, OTTER, TSV, YOUTUBE
from .transcript import LINE_END, Format, Transcript, Turn, join
from .turns import TURNS

BYTE_ORDER_MARK = "\ufeff"
# Any other text: see `read`.
TEXT = "text"
# In the order in which they are tried: the first one that recognises the lines. Of MARKED, the first two lines suffice.
MARKED = (VTT, SRT, RECOGNISER, CTM, TSV)
ALL = (*MARKED, OTTER, TURNS, YOUTUBE)
FORMATS = (*(format.name for format in ALL), TEXT)
# Suffixes of files with columns, which are not transcripts, apart from Whisper's .tsv.
TABLES = (".csv", ".tsv")
SUFFIXES = {suffix: format.name for format in ALL for suffix in format.suffixes}


def read(path: str | Path, format: str | None = None) -> Transcript:
    """Reads a transcript from a file in UTF-8.

    path (str | Path): The file.
    format (str | None): "turns" (plain text in which turns begin with names, `ANNA: ...`), "srt", "vtt",
        "recogniser" (JSON of Whisper, vosk, AWS Transcribe, Google and others), "ctm", "tsv" (of Whisper), "otter" or
        "youtube" (their text), or "text" (any other text: one turn of an unknown speaker). None guesses it, as
        `guess_format` does.
    RETURNS (Transcript): Its words, turns and times.
    RAISES OSError: If the file does not exist (J402) or cannot be read (J441).
    RAISES ValueError: If it is not UTF-8 (J403), its format is unknown (J040), or it is damaged (J460-J468).
    """
    text = read_text(path)
    return read_string(text, format or guess_format(text, path), str(path))


def read_string(text: str, format: str | None = None, source: str = "The transcript") -> Transcript:
    """Reads a transcript from the content of a file, which errors call `source`: see `read`. If the format is None, the
    content determines it."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    format = guess_format(text) if format is None else format
    check_choice("format", format, FORMATS)
    if format == TEXT:
        turns = [Turn(None, text, 0, len(text))] if text else []
        return Transcript(text, turns, [turn.start for turn in turns], [])
    return join(ALL[FORMATS.index(format)].read(text, source))


def guess_format(text: str, path: str | Path = "") -> str:
    """Guesses the format of a file by its suffix, or else by its content: see `read`. Plain text is "turns" if its
    first line begins with a name, and the names in the file recur or are marked.
    RAISES ValueError: If it has JSON lines or columns (J469)."""
    suffix, lines = Path(path).suffix.lower(), LINE_END.split(text.removeprefix(BYTE_ORDER_MARK))
    likely = [format for format in ALL if suffix in format.suffixes]
    name = _find_format(lines, likely or ALL, str(path)) or (likely[-1].name if likely else TEXT)
    if name == TEXT and suffix in TABLES:
        raise JointValueError(Errors.J469, source=str(path))
    return name


def guess_marked(lines: Sequence[str]) -> str | None:
    """Guesses the format from the first two lines, if they suffice, as in captions; returns None otherwise.
    RAISES ValueError: If they are JSON lines (J469)."""
    return _find_format(lines, MARKED)


def _find_format(lines: Sequence[str], formats: Sequence[Format], source: str = "") -> str | None:
    """Finds the first format that recognises lines. RAISES ValueError: If they are JSON lines (J469)."""
    if sum(map(_is_object, islice(filter(str.strip, lines), 2))) > 1:
        raise JointValueError(Errors.J469, source=source or "The text")
    return next((format.name for format in formats if format.recognise(lines)), None)


def _is_object(line: str) -> bool:
    """Returns whether a line is an object of JSON, other than a result of vosk, which is part of a transcript."""
    try:
        return line.lstrip().startswith("{") and "result" not in json.loads(line)
    except (RecursionError, ValueError):
        return False
