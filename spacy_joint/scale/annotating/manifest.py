"""The output directory of a corpus, which `settings.json` claims. Workers write shards to `shards/`, and then records
to `done/`. At the end, records become `manifest.jsonl`, and their failures `errors.jsonl`.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from ...errors import Errors, JointOSError, JointValueError
from .locks import lock
from .storage import Directory

SETTINGS, MANIFEST, ERRORS = "settings.json", "manifest.jsonl", "errors.jsonl"
SHARDS, DONE = "shards", "done"
# The names of partitions' files; other files belong to users.
PARTITION_FILE = re.compile(r"[0-9a-f]{40}\.\w+")
# Settings that tell these files from others of the same name.
TYPICAL = {"pipeline", "reading", "shard_bytes", "inputs"}


@contextmanager
def claim(output: Directory, settings: Mapping[str, Any]) -> Iterator[Callable[[], None]]:
    """Locks an output directory (see `lock`), and writes the settings of this run. Raises J713 if another run has the
    lock, or the directory has output of other settings, or files but no settings."""
    with lock(output) as check:
        content, reason = output.read(SETTINGS), ""
        if content is None:
            if files := [name for name in output.list_sizes() if not name.startswith(".")]:
                reason = f"it has other files, such as {min(files)}"
        elif (found := _parse(content, TYPICAL)) is None:
            reason = f"its {SETTINGS} is damaged"
        elif changed := [f"{key}: {found.get(key)!r}" for key in settings if found.get(key) != settings[key]]:
            reason = f"it has the output of other settings ({', '.join(changed)})"
        if reason:
            raise JointValueError(Errors.J713, address=output.address, reason=reason)
        if content is None:
            output.replace(SETTINGS, [json.dumps(settings, indent=2).encode("utf8")])
        yield check


def find_output(address: str) -> str | None:
    """Finds the output directory to which a file would belong by its name."""
    folder, _, name = address.rpartition("/")
    above, _, last = folder.rpartition("/")
    if last in (SHARDS, DONE):
        return above
    return folder if name in (SETTINGS, MANIFEST, ERRORS) else None


def is_output(address: str) -> bool:
    """Returns whether a directory is the output of a run."""
    return _parse(Directory(address).read(SETTINGS), TYPICAL) is not None


def write_shard(
    output: Directory, name: str, suffix: str, parts: Iterable[bytes], describe: Callable[[], Mapping[str, Any]]
) -> None:
    """Writes the shard of a partition as its parts arrive, and then its record."""
    size, digest = 0, sha256()

    def measure() -> Iterator[bytes]:
        nonlocal size
        for part in parts:
            size += len(part)
            digest.update(part)
            yield part

    shard = f"{SHARDS}/{name}{suffix}"
    output.replace(shard, measure())
    done = {"shard": shard, "bytes": size, "sha256": digest.hexdigest(), **describe()}
    output.replace(f"{DONE}/{name}.json", [_to_line(done)])


def list_done(output: Directory) -> set[str]:
    """Lists the names of the partitions that have a record and a complete shard, and no transient failures."""
    shards = output.list_sizes(SHARDS)
    names = [PurePosixPath(name).stem for name in output.list_sizes(DONE) if PARTITION_FILE.fullmatch(name)]
    return {
        name
        for name, done in _read_records(output, names)
        if done
        and shards.get(PurePosixPath(done["shard"]).name) == done["bytes"]
        and not any(failure["transient"] for failure in done["failures"])
    }


def complete(output: Directory, names: Sequence[str]) -> dict[str, int]:
    """Completes the output with the shards and failures of all partitions, named in the order of the corpus, and
    returns totals. Removes partitions of earlier inputs. Raises J441 if a record is missing."""
    totals = dict.fromkeys(("shards", "records", "documents", "words", "failures", "transient"), 0)

    def read() -> Iterator[dict[str, Any]]:
        for name, done in _read_records(output, names):
            if done is None:
                reason = "it is damaged or missing; the same command makes it again"
                raise JointOSError(Errors.J441, path=f"{output.address}/{DONE}/{name}.json", reason=reason)
            yield done

    def describe() -> Iterator[bytes]:
        for done in read():
            transient = sum(failure["transient"] for failure in done["failures"])
            described = {**done, "failures": len(done["failures"]), "transient": transient}
            for key in totals:
                totals[key] += 1 if key == "shards" else described[key]
            yield _to_line(described)

    output.replace(ERRORS, (_to_line(failure) for done in read() for failure in done["failures"]))
    # Up to here, the manifest lists the shards of an earlier run, all of which still exist.
    output.replace(MANIFEST, describe())
    # Others are of earlier inputs, or of processes that died.
    kept = set(names)
    for folder in (SHARDS, DONE):
        for name in filter(PARTITION_FILE.fullmatch, output.list_sizes(folder)):
            if PurePosixPath(name).stem not in kept:
                output.remove(f"{folder}/{name}")
    output.remove_leftovers()
    return totals


def _read_records(output: Directory, names: Sequence[str]) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Reads the records of partitions; None for damaged or missing ones."""
    contents = output.read_all([f"{DONE}/{name}.json" for name in names])
    records = (_parse(content, {"shard", "bytes", "failures"}) for content in contents)
    return zip(names, records, strict=True)


def _parse(content: bytes | None, keys: Iterable[str]) -> dict[str, Any] | None:
    """Parses an object with these keys; returns None if the content is not one."""
    with suppress(ValueError, RecursionError):
        found = json.loads(content or b"")
        return found if isinstance(found, dict) and found.keys() >= set(keys) else None
    return None


def _to_line(described: Mapping[str, Any]) -> bytes:
    # File names may not be valid text.
    return (json.dumps(described, ensure_ascii=False) + "\n").encode("utf8", "backslashreplace")
