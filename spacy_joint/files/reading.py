"""Finding and reading files: one file, or all files of a format in one directory; and text, which is UTF-8.

Subdirectories are not searched, so that a corpus is never larger than it looks. What is in the files is not known here.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import Errors, JointFileNotFoundError, JointOSError, JointValueError


def require_path(path: str | Path | None, suffix: str) -> Path:
    """Check that a path was given at all; configs leave it None until the command line fills it in.

    path: The file or directory, which need not exist yet.
    suffix: How the corpus's files end, for the message.
    Raises ValueError (J100) if the path is None.
    """
    if path is None:
        raise JointValueError(Errors.J100, suffix=suffix)
    return Path(path)


def require_file(path: str | Path) -> Path:
    """Check that there is something to read, which may be a pipe.

    Raises FileNotFoundError (J402) if there is not.
    """
    if not Path(path).exists():
        raise JointFileNotFoundError(Errors.J402, path=path)
    return Path(path)


def list_files(path: Path, *suffixes: str, other_names: str = "(?!)") -> list[Path]:
    """List the files of a corpus, sorted by name.

    path: A file, whatever it is called, or a directory.
    suffixes: What the names of files to read from a directory end in, with the dot.
    other_names: A regular expression for names of files that are read, too; none by default.
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
    """Read lines with their ends, which are not translated.

    name: What to call the source in errors.
    encoding: "utf-8-sig" passes over a byte order mark, "utf-8" keeps it as a character.
    Raises ValueError (J403) if a line is not UTF-8, and OSError (J441) if it cannot be read.
    """
    for number, line in enumerate(_read(source, name), start=1):
        try:
            yield line.decode(encoding if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            byte = f"0x{line[error.start]:02x}"
            raise JointValueError(Errors.J403, source=name, line=number, byte=byte) from error


def _read(source: BinaryIO, name: str | Path) -> Iterator[bytes]:
    try:
        yield from source
    except OSError as error:
        # Not what is being written meanwhile.
        raise JointOSError(Errors.J441, path=name, reason=error.strerror or error) from error


def read_text(file: Path, encoding: str = "utf-8-sig") -> str:
    """Read all of a file: see `read_lines`."""
    with file.open("rb") as source:
        return "".join(read_lines(source, file, encoding))
