"""Where the files of a corpus are: one file, or all files of a format in one directory; and their text.

Subdirectories are not searched, so that a corpus is never larger than it looks. What is in the files is not known here.
"""

from pathlib import Path

from ..errors import Errors


def require_path(path: str | Path | None, suffix: str) -> Path:
    """Check that a path was given at all; configs leave it None until the command line fills it in.

    path: The file or directory, which need not exist yet.
    suffix: How the corpus's files end, for the message.
    Raises ValueError (J100) if the path is None.
    """
    if path is None:
        raise ValueError(Errors.J100.format(suffix=suffix))
    return Path(path)


def list_files(path: Path, *suffixes: str) -> list[Path]:
    """List the files of a corpus, sorted by name.

    path: A file, whatever it is called, or a directory.
    suffixes: What the names of files to read from a directory end in, with the dot.
    Raises FileNotFoundError (J101, J102) if there is nothing to read.
    """
    suffix = " or ".join(suffixes)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.name.endswith(suffixes) and file.is_file())
        if not files:
            raise FileNotFoundError(Errors.J102.format(path=path, suffix=suffix))
        return files
    if not path.is_file():
        raise FileNotFoundError(Errors.J101.format(path=path, suffix=suffix))
    return [path]


def read_text(file: Path, encoding: str = "utf-8") -> str:
    """Read a file as it is: ends of lines are not translated.

    encoding: "utf-8", or "utf-8-sig", which passes over a byte order mark.
    Raises ValueError (J403) if it is not UTF-8.
    """
    try:
        return file.read_bytes().decode(encoding)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = f"0x{error.object[error.start]:02x}"
        raise ValueError(Errors.J403.format(source=file, line=line, byte=byte)) from error
