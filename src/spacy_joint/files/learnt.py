"""Files that commands make for configs: word classes, tokenizer exceptions and labels.

Their readers are registered. Without a path they give nothing, so that a config is valid before its files are made.
"""

from __future__ import annotations

from pathlib import Path

import srsly

from ..errors import Errors, JointFileNotFoundError

# The default numbers of word classes, one for each granularity.
WORD_CLASS_SIZES = (64, 256, 1024)


def read_word_classes(path: str | Path | None) -> dict[str, list[int]] | None:
    """Read the classes of lower-cased words, registered as `spacy_joint.read_word_classes.v1`.

    path: A file that `spacy joint word-classes` wrote. None: no classes.
    Raises FileNotFoundError (J520) if it does not exist.
    """
    return None if path is None else srsly.read_msgpack(_require(path, "word-classes"))


def read_tokenizer_exceptions(path: str | Path | None) -> dict[str, list[str]]:
    """Read strings and the pieces that they are split into, registered as `spacy_joint.read_tokenizer_exceptions.v1`.

    path: A file that `spacy joint tokenizer-exceptions` wrote. None: no exceptions.
    Raises FileNotFoundError (J520) if it does not exist.
    """
    return {} if path is None else srsly.read_json(_require(path, "tokenizer-exceptions"))


def read_labels(path: str | Path | None) -> list[str] | None:
    """Read the labels of a component, registered as `spacy_joint.read_labels.v1`.

    path: A file that `spacy init labels` wrote. None: labels are collected from the training documents.
    Raises FileNotFoundError (J402) if it does not exist.
    """
    if path is not None and not Path(path).is_file():
        raise JointFileNotFoundError(Errors.J402, path=path)
    return None if path is None else srsly.read_json(path)


def _require(path: str | Path, command: str) -> Path:
    if not Path(path).is_file():
        raise JointFileNotFoundError(
            Errors.J520, path=path, command=command, setting=f"paths.{command.replace('-', '_')}"
        )
    return Path(path)
