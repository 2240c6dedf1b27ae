"""Finding files (one file, or all files of a format in a directory) and reading UTF-8 text.

Subdirectories are not searched, so that a corpus is never larger than it looks. The formats are implemented elsewhere.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import Errors, JointFileNotFoundError, JointOSError, JointValueError


def require_path(path: str | Path | None, suffix: str) -> Path:
    """Check that a path was given; in configs it is None until it is set on the command line.

    path: The file or directory, which need not exist yet.
    suffix: The suffix of the corpus's files, for the message.
    Raises ValueError (J100) if the path is None.
    """
    if path is None:
        raise JointValueError(Errors.J100, suffix=suffix)
    return Path(path)


def require_file(path: str | Path) -> Path:
    """Check that a file, which may be a pipe, exists.

    Raises FileNotFoundError (J402) if it does not.
    """
    if not Path(path).exists():
        raise JointFileNotFoundError(Errors.J402, path=path)
    return Path(path)


def list_files(path: Path, *suffixes: str, other_names: str = "(?!)") -> list[Path]:
    """List the files of a corpus, sorted by name.

    path: A file with any name, or a directory.
    suffixes: The suffixes, with the dot, of the files to read from a directory.
    other_names: A regular expression for the names of further files to read; none by default.
    Raises FileNotFoundError (J101, J102) if there is nothing to read.
    """
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.is_file())
        files = [file for file in found if file.name.endswith(suffixes) or re.fullmatch(other_names, file.name)]
        if not files:
            raise JointFileNotFoundError(Errors.J102, path=path, suffix=" or ".join(suffixes))
        return files
    if not path.is_file():
        raise JointFileNotFoundError(Errors.J101, path=path, suffix=" or ".join(suffixes))
    return [path]


def read_lines(source: BinaryIO, name: str | Path, encoding: str = "utf-8-sig") -> Iterator[str]:
    """Read lines with their line endings, which are not translated.

    name: The name of the source in errors.
    encoding: "utf-8-sig" skips a byte order mark, "utf-8" keeps it as a character.
    Raises ValueError (J403) if a line is not UTF-8, and OSError (J441) if it cannot be read.
    """
    for number, line in enumerate(_read(source, name), start=1):
        yield decode_line(line, name, number, encoding if number == 1 else "utf-8")


def decode_line(line: bytes, name: str | Path, number: int, encoding: str = "utf-8") -> str:
    """Decode a line of a file.

    name, number: The name of the file and the number of the line in errors.
    encoding: See `read_lines`.
    Raises ValueError (J403) if it is not UTF-8.
    """
    try:
        return line.decode(encoding)
    except UnicodeDecodeError as error:
        byte = f"0x{line[error.start]:02x}"
        raise JointValueError(Errors.J403, source=name, line=number, byte=byte) from error


def _read(source: BinaryIO, name: str | Path) -> Iterator[bytes]:
    try:
        yield from source
    except OSError as error:
        # Coded here, so that it is not taken for an error of the file being written.
        raise JointOSError(Errors.J441, path=name, reason=error.strerror or error) from error


def read_text(file: Path, encoding: str = "utf-8-sig") -> str:
    """Read a whole file: see `read_lines`."""
    with file.open("rb") as source:
        return "".join(read_lines(source, file, encoding))
