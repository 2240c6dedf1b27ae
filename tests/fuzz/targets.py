"""All targets, and what is asked of each: bytes are taken, or refused by one coded error.

Not another exception, not the end of the process, not memory or time beyond reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spacy_joint.errors import is_coded

from . import models
from .readers import READERS


@dataclass(frozen=True)
class Target:
    """What reads bytes.

    run: Reads the bytes, in a directory for its files.
    make_seeds: Bytes that it can read.
    """

    run: Callable[[bytes, Path], None]
    make_seeds: Callable[[], list[bytes]]


TARGETS = {name: Target(*functions) for name, functions in READERS.items()}
TARGETS["models"] = Target(models.load_component, models.make_seeds)


def check(target: Target, content: bytes, directory: Path) -> None:
    """Raise what the target must not raise."""
    try:
        target.run(content, directory)
    except ValueError as error:
        if not is_coded(error):
            raise
