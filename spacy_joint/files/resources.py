"""Registered readers of files that commands make for configs: word classes, tokenizer exceptions and labels. Without a
path, they read nothing, so a config is valid before its files exist."""

from pathlib import Path
from typing import Any

import srsly

from ..errors import Errors, JointFileNotFoundError, JointOSError
from .reading import read_json, read_json_object

# The default numbers of word classes, one for each granularity.
WORD_CLASS_SIZES = (64, 256, 1024)


class Table(dict[str, Any]):
    """The entries of a file. spaCy shows all settings in the errors of a config, so its representation is short."""

    def __repr__(self) -> str:
        return f"<{len(self)} entries>"


def read_word_classes(path: str | Path | None) -> dict[str, list[int]] | None:
    """Read the classes of lower-cased words from a file of `spacy joint word-classes`. RAISES FileNotFoundError: If it
    does not exist (J520). RAISES OSError: If it is another file (J441)."""
    if path is None:
        return None
    try:
        classes = srsly.read_msgpack(_require(path, "word-classes"))
    except ValueError:
        classes = None
    if not isinstance(classes, dict):
        raise JointOSError(Errors.J441, path=path, reason="`word-classes` has not written it")
    return Table(classes)


def read_tokenizer_exceptions(path: str | Path | None) -> dict[str, list[str]]:
    """Read strings and the pieces that they are split into from a file of `spacy joint tokenizer-exceptions`. RAISES
    FileNotFoundError: If it does not exist (J520)."""
    return Table({} if path is None else read_json_object(_require(path, "tokenizer-exceptions")))


def read_labels(path: str | Path | None) -> list[str] | None:
    """Read the labels of a component from a file of `spacy init labels`. Without it, training collects them. RAISES
    FileNotFoundError: If it does not exist (J402)."""
    return None if path is None else read_json(path)


def _require(path: str | Path, command: str) -> Path:
    if not Path(path).is_file():
        setting = f"paths.{command.replace('-', '_')}"
        raise JointFileNotFoundError(Errors.J520, path=path, command=command, setting=setting)
    return Path(path)
