"""All targets and their requirement: bytes are accepted, or refused by one coded error.

Other exceptions, crashes, and excessive memory or time are failures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spacy_joint.errors import JointError

from . import charts, guides, models
from .readers import READERS


@dataclass(frozen=True)
class Target:
    """A target that reads bytes.

    run: Reads the bytes, with a directory for its files.
    make_seeds: Bytes that it can read.
    """

    run: Callable[[bytes, Path], None]
    make_seeds: Callable[[], list[bytes]]


TARGETS = {name: Target(*functions) for name, functions in READERS.items()}
TARGETS["models"] = Target(models.load_component, models.make_seeds)
TARGETS["charts"] = Target(charts.load_charts, charts.make_seeds)
TARGETS["guides"] = Target(guides.load_guide, guides.make_seeds)


def check(target: Target, content: bytes, directory: Path) -> None:
    """Run a target, and raise only forbidden exceptions."""
    try:
        target.run(content, directory)
    except ValueError as error:
        if not isinstance(error, JointError):
            raise
