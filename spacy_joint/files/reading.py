"""Finds files (one, or all of a format in a directory, without subdirectories), and reads them as UTF-8 text."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import Errors, JointFileNotFoundError, JointOSError, JointValueError
from .compression import READ_ERRORS


def require_file(path: str | Path) -> Path:
    """Check that a path is a file or pipe, not a directory (J402)."""
    if not Path(path).exists() or Path(path).is_dir():
        raise JointFileNotFoundError(Errors.J402, path=path)
    return Path(path)


def list_files(path: Path, *suffixes: str, other_names: str = "(?!)") -> list[Path]:
    """List the files of a corpus: a file with any name, or the files of a directory that have one of the suffixes or
    whose names match the regular expression `other_names`, sorted by name. RAISES FileNotFoundError: If `path` does not
    exist (J101), or the directory has no such files (J102)."""
    files = [path] if path.is_file() else []
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.is_file())
        files = [file for file in found if file.name.endswith(suffixes) or re.fullmatch(other_names, file.name)]
    if not files:
        message = Errors.J102 if path.is_dir() else Errors.J101
        raise JointFileNotFoundError(message, path=path, suffix=" or ".join(suffixes))
    return files


def read_lines(source: BinaryIO, name: str | Path, encoding: str = "utf-8-sig") -> Iterator[str]:
    """Read lines, line endings included; errors (J403, J441) call the source by `name`. The encoding "utf-8-sig" skips
    a byte order mark, "utf-8" keeps it as a character."""
    number, line = 0, b""
    try:
        for number, line in enumerate(source, start=1):
            yield line.decode(encoding if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise JointValueError(Errors.J403, source=name, line=number, byte=f"0x{line[error.start]:02x}") from error
    except READ_ERRORS as error:
        # With a code, so that it is not mistaken for an error of the file being written.
        raise JointOSError(Errors.J441, path=name, reason=getattr(error, "strerror", None) or error) from error


def read_text(file: str | Path, encoding: str = "utf-8-sig") -> str:
    """Read a whole file, which must exist (J402): see `read_lines`."""
    with require_file(file).open("rb") as source:
        return "".join(read_lines(source, file, encoding))


def read_json(file: str | Path) -> Any:
    """Read a JSON file, which must exist (J402). RAISES ValueError: If it is not valid (J464)."""
    try:
        return json.loads(read_text(file))
    except json.JSONDecodeError as error:
        raise JointValueError(Errors.J464, file=file, line=error.lineno, format="JSON", reason=error.msg) from error


def read_json_object(file: str | Path) -> dict[str, Any]:
    """Read a JSON file that has an object: see `read_json`. RAISES ValueError: If it has another value (J464)."""
    found = read_json(file)
    if not isinstance(found, dict):
        raise JointValueError(Errors.J464, file=file, line=1, format="JSON", reason="Expecting an object")
    return found


@cache
def read_word_lists(path: Path) -> dict[str, frozenset[str]]:
    """Read lists of words from a text file, by the name above each: `[name]`. Lines with `#` are comments."""
    text = re.sub("(?m)^#.*\n", "", path.read_text(encoding="utf8"))
    sections = re.findall(r"^\[([\w ]+)\]\n([^[]*)", text, re.MULTILINE)
    return {name: frozenset(words.split()) for name, words in sections}
