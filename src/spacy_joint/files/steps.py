"""The steps of a long run, each of which makes a file or a directory. A run that was interrupted is started again.

`NAME.json` records what the output of a step was made from: settings, digests of files and of earlier outputs, and the
version of this package. A step whose record would be the same is not repeated. Steps write their outputs beside and
rename them (see `replacing`), and records are written last, so whatever is recorded is complete.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..about import __version__
from .replacing import replace_when_written


class Steps:
    """Runs steps.

    records (Path): The directory of the records.
    tell (Callable): Prints a line: which step begins, and how long it took.
    """

    def __init__(self, records: Path, tell: Callable[[str], object]) -> None:
        self.records = records
        self.tell = tell
        self.digests: dict[Path, str] = {}

    def run(
        self,
        name: str,
        output: Path,
        make: Callable[[], object],
        *,
        after: Iterable[Path] = (),
        settings: Mapping[str, Any] = {},
    ) -> Path:
        """Runs a step, unless it has been run before.

        name (str): Its name.
        output (Path): What it makes.
        make (Callable): Makes it; nothing may be left of it if this is interrupted.
        after (Iterable[Path]): The outputs of earlier steps of this run that it reads.
        settings (Mapping): Everything else that it depends on, as for JSON.
        RETURNS (Path): The output.
        """
        record = self.records / f"{name}.json"
        made_from = {
            "version": __version__,
            "output": output.name,
            "after": [self.digests[path] for path in after],
            "settings": dict(settings),
        }
        self.digests[output] = hashlib.sha256(json.dumps(made_from, sort_keys=True).encode("utf8")).hexdigest()
        if output.exists() and record.is_file() and json.loads(record.read_bytes())["digest"] == self.digests[output]:
            self.tell(f"{name}: unchanged")
            return output
        record.unlink(missing_ok=True)
        self.tell(f"{name} ...")
        start = time.perf_counter()
        make()
        seconds = time.perf_counter() - start
        with replace_when_written(record) as path:
            content = {"digest": self.digests[output], **made_from, "seconds": round(seconds, 1)}
            path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf8")
        self.tell(f"{name}: {seconds:.1f} s")
        return output


def digest(paths: Iterable[Path]) -> list[str]:
    """Digests of the contents of files, for the settings of steps."""
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


def digest_mentioned(settings: Mapping[str, Any]) -> list[str]:
    """The same for all files and directories whose paths are values of settings, at whatever depth."""
    digests: list[str] = []
    for value in settings.values():
        if isinstance(value, Mapping):
            digests += digest_mentioned(value)
        elif isinstance(value, str) and value:
            path = Path(value)
            digests += digest(file for file in [path, *sorted(path.rglob("*"))] if file.is_file())
    return digests
