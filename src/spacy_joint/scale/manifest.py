"""What is known of the output of a corpus: `settings.json`, what was asked for; `manifest.jsonl`, its shards in the
order of the corpus; `errors.jsonl`, the records that failed.

The settings are written first, and a run with other settings is refused. The other two are made of the records of the
pieces when all are done, so `manifest.jsonl` lists a complete corpus.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from ..errors import Errors, JointValueError
from .annotator import DONE, SHARDS, Annotation
from .storage import Directory

SETTINGS, MANIFEST, ERRORS = "settings.json", "manifest.jsonl", "errors.jsonl"


def claim(output: Directory, annotation: Annotation) -> None:
    """Writes the settings of a run to its output directory.

    RAISES ValueError: If the directory has the output of other settings (J713).
    """
    settings = {**annotation._asdict(), "reading": annotation.reading._asdict(), "inputs": list(annotation.inputs)}
    # Where the pipeline is does not matter.
    del settings["model"]
    earlier = output.read(SETTINGS)
    if earlier is None:
        output.replace(SETTINGS, [json.dumps(settings, indent=2).encode("utf8")])
        return
    found = json.loads(earlier)
    changed = [f"{key} is {found.get(key)!r} there" for key in settings if found.get(key) != settings[key]]
    if changed:
        raise JointValueError(Errors.J713, address=output.address, differences=", ".join(changed))


def list_done(output: Directory) -> set[str]:
    """The names of the pieces that are done: both of their files are there."""
    shards = {PurePosixPath(name).stem for name in output.list_names(SHARDS)}
    return shards.intersection(PurePosixPath(name).stem for name in output.list_names(DONE))


def complete(output: Directory, names: Sequence[str]) -> dict[str, int]:
    """Writes the manifest and the failures, and removes what is left of earlier inputs and of processes that died.

    names (Sequence[str]): The names of all pieces, in the order of the corpus.
    RETURNS (dict[str, int]): The numbers of `shards`, `records`, `documents`, `words` and `failures`.
    """
    totals = dict.fromkeys(("shards", "records", "documents", "words", "failures"), 0)

    def read() -> Iterator[dict[str, Any]]:
        yield from map(json.loads, output.read_all([f"{DONE}/{name}.json" for name in names]))

    def describe() -> Iterator[bytes]:
        for done in read():
            described = {**done, "shards": 1, "failures": len(done["failures"])}
            for key in totals:
                totals[key] += described[key]
            del described["shards"]
            yield _to_line(described)

    output.replace(ERRORS, (_to_line(failure) for done in read() for failure in done["failures"]))
    output.replace(MANIFEST, describe())
    _remove_others(output, set(names))
    return totals


def _to_line(described: dict[str, Any]) -> bytes:
    return (json.dumps(described, ensure_ascii=False) + "\n").encode("utf8")


def _remove_others(output: Directory, names: set[str]) -> None:
    for folder in (SHARDS, DONE):
        for name in output.list_names(folder):
            if PurePosixPath(name).stem not in names:
                output.remove(f"{folder}/{name}")
