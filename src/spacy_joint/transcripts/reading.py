"""Reading transcripts in all supported formats, which are known by the suffix of a file or by its first lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..errors import Errors, JointValueError
from ..files.reading import read_text, require_file
from .captions import is_srt, is_vtt, read_srt, read_vtt
from .labels import are_turns
from .transcript import Transcript, Turn, join
from .turns import read_turns
from .whisper import read_whisper

TEXT, TURNS, SRT, VTT, WHISPER = FORMATS = ("text", "turns", "srt", "vtt", "whisper")
SUFFIXES = {".srt": SRT, ".vtt": VTT, ".json": WHISPER}
READERS = {TURNS: read_turns, SRT: read_srt, VTT: read_vtt}
LINE_END = re.compile(r"\r\n|\r|\n")


def read(path: str | Path, format: str | None = None) -> Transcript:
    """Reads a transcript from a file in UTF-8.

    path (str | Path): The file.
    format (str | None): "turns" (plain text in which turns begin with names, `ANNA: ...`), "srt", "vtt", "whisper" (the
        JSON of Whisper, WhisperX or whisper.cpp), or "text" (any other text: one turn of an unknown speaker). None
        guesses it, as `guess_format` does.
    RETURNS (Transcript): Its words, turns and times.
    RAISES OSError: If the file does not exist (J402) or cannot be read (J441).
    RAISES ValueError: If it is not UTF-8 (J403), its format is unknown (J404), or it is damaged (J460-J468).
    """
    text = read_text(require_file(path))
    return read_string(text, format or guess_format(text, path), str(path))


def read_string(text: str, format: str, source: str = "The transcript") -> Transcript:
    """Reads a transcript from a string.

    text (str): The content of a file.
    format (str): See `read`.
    source (str): What errors call it.
    RETURNS (Transcript): Its words, turns and times.
    RAISES ValueError: If the format is unknown (J404), or the content is damaged (J460-J468).
    """
    require_format(format)
    if format == TEXT:
        turns = [Turn(None, text, 0, len(text))] if text else []
        return Transcript(text, turns, [turn.start for turn in turns], [])
    if format == WHISPER:
        return join(read_whisper(text, source))
    return join(READERS[format](split_lines(text), source))


def require_format(format: str) -> None:
    """RAISES ValueError: If a format is unknown (J404)."""
    if format not in FORMATS:
        raise JointValueError(Errors.J404, found=format, allowed=", ".join(FORMATS))


def guess_format(text: str, path: str | Path = "") -> str:
    """The format of a file (str), by its suffix or else by its content: see `read`.

    Plain text is "turns" if its first line begins with a name, and the names in the file recur or are marked.
    """
    suffix = Path(path).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    lines = split_lines(text)
    return guess_captions(lines) or (TURNS if are_turns(lines) else TEXT)


def guess_captions(lines: Sequence[str]) -> str | None:
    """The format of captions (str), by their first two lines; None if they are none."""
    return VTT if is_vtt(lines) else SRT if is_srt(lines) else None


def split_lines(text: str) -> list[str]:
    """The lines of a text (list[str]), without line ends."""
    return LINE_END.split(text)
