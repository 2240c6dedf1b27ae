"""Writes annotated documents as text, captions and tables. To add a format, add a row to WRITERS."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..errors import Errors, JointValueError, check_choice, check_range
from ..files.atomic import open_atomic
from .caption_writing import write_captions
from .captioning import Limits
from .text_writing import ROWS, write_csv, write_markdown, write_text

WRITERS: dict[str, Callable[..., str]] = {
    "text": write_text,
    "markdown": write_markdown,
    "srt": partial(write_captions, format="srt"),
    "vtt": partial(write_captions, format="vtt"),
    "csv": write_csv,
}
CAPTION_SETTINGS = (*Limits._fields, "recut")
SETTINGS = {
    "text": ("wrap",),
    "markdown": ("wrap",),
    "srt": CAPTION_SETTINGS,
    "vtt": CAPTION_SETTINGS,
    "csv": ("rows", "has_header"),
}
SUFFIXES = {".txt": "text", ".md": "markdown", ".srt": "srt", ".vtt": "vtt", ".csv": "csv"}


def write(doc: Doc, path: str | Path, format: str | None = None, **settings: Any) -> None:
    """Writes a document as a transcript to a file, which it replaces: see `write_string`. If the format is None, the
    suffix of the file determines it: .txt, .md, .srt, .vtt or .csv."""
    format = format or SUFFIXES.get(Path(path).suffix.lower())
    if format is None:
        raise JointValueError(Errors.J040, name="file type", value=str(path), allowed=", ".join(SUFFIXES))
    written = write_string(doc, format, **settings)
    with open_atomic(Path(path)) as file:
        file.write(written)


def write_string(doc: Doc, format: str, **settings: Any) -> str:
    """Writes a document as a transcript to a string.

    doc (Doc): The document, with sentence boundaries. Any trees, speakers, times and restored marks are used.
    format (str): "text" or "markdown" (a paragraph per turn, with its time and speaker), "srt" or "vtt" (captions, cut
        where syntax allows it), or "csv" (start, end, speaker, text).
    settings (Any): Of text and markdown: `wrap`, the width of lines (None: not wrapped). Of csv: `rows`, "sentence" or
        "word". Of captions: `max_lines` (2), `max_width` (42, characters of a line), `min_seconds` (1),
        `max_seconds` (7) and `max_rate` (20, characters per second); `recut` (False) also cuts those captions of the
        source that are within these limits.
    RETURNS (str): The transcript.
    RAISES ValueError: If the format is unknown (J040), a setting is out of range (J030), or the words have no times for
        captions (J470).
    """
    check_choice("format", format, tuple(WRITERS))
    check_settings(format, settings)
    return WRITERS[format](doc, **settings)


def check_settings(format: str, settings: Mapping[str, Any]) -> None:
    """Checks settings. RAISES ValueError: If the format lacks one (J040), or one is out of range (J030, J040)."""
    for name, value in settings.items():
        check_choice(f"setting of {format}", name, SETTINGS[format])
        if name == "wrap" and value is not None:
            check_range("wrap", value, 1)
        elif name == "rows":
            check_choice("rows", value, ROWS)
    Limits(**{name: value for name, value in settings.items() if name in Limits._fields}).check()
