"""The steps of a long run that can be interrupted. Each makes a file or a directory, atomically (see `atomic`).

`NAME.json` records what a step was made from: settings, digests of files and of earlier outputs, and the version of
this package. A step with the same record is not repeated. Records are written last, so their outputs are complete.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..about import __version__
from .atomic import write_json


class Steps:
    """Runs steps, keeps their records in a directory, and reports when each begins and how long it took."""

    def __init__(self, records: Path, tell: Callable[[str], object]) -> None:
        self.records, self.tell = records, tell
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
        """Run a step, unless it has been run before, and return its output. `make` writes it atomically, and depends
        only on `after`, outputs of earlier steps of this run, and the JSON-serialisable settings."""
        record = self.records / f"{name}.json"
        earlier = [self.digests[path] for path in after]
        made_from = {"version": __version__, "output": output.name, "after": earlier, "settings": dict(settings)}
        self.digests[output] = digest_json(made_from)
        if output.exists() and _read(record) == (self.digests[output], _measure(output)):
            self.tell(f"{name}: unchanged")
            return output
        record.unlink(missing_ok=True)
        self.tell(f"{name} ...")
        start, start_cpu = time.perf_counter(), time.process_time()
        make()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - start_cpu
        found = {"digest": self.digests[output], "bytes": _measure(output)}
        write_json(record, {**found, **made_from, "seconds": round(seconds, 1), "cpu_seconds": round(cpu_seconds, 1)})
        self.tell(f"{name}: {seconds:.1f} s")
        return output


def _read(record: Path) -> tuple[str, int | None] | None:
    """Read the digest and the length in a record; None if it is damaged or missing."""
    try:
        found = json.loads(record.read_bytes())
        return found["digest"], found["bytes"]
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return None


def _measure(output: Path) -> int | None:
    """Measure the length of a file, to detect truncation; None for a directory."""
    return output.stat().st_size if output.is_file() else None


def digest_json(value: Any) -> str:
    """Digest a JSON-serialisable value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf8")).hexdigest()


def digest(path: Path) -> str:
    """Digest the content of a file."""
    content = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            content.update(block)
    return content.hexdigest()


def digest_directory(path: Path) -> str:
    """Digest the names and contents of all files below a directory."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    listed = "\n".join(f"{file.relative_to(path).as_posix()} {digest(file)}" for file in files)
    return hashlib.sha256(listed.encode("utf8")).hexdigest()


def digest_mentioned(settings: Any) -> list[str]:
    """Digest all files and directories that are values of settings, at any depth."""
    if isinstance(settings, Mapping):
        settings = list(settings.values())
    if isinstance(settings, list):
        return [found for value in settings for found in digest_mentioned(value)]
    # Unlike `Path.exists`, without errors for long values.
    if not isinstance(settings, str) or not os.path.exists(settings):
        return []
    path = Path(settings)
    return [digest(file) for file in [path, *sorted(path.rglob("*"))] if file.is_file()]
