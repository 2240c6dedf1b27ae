"""A small corpus, a pipeline that is fast, and what is in an output directory."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import spacy

N_SHARDS = 200
TEXT = "Record {}. The old man left. They stayed."


def save_splitter(path: Path) -> Path:
    """Save a pipeline that only splits sentences."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(path)
    return path


def write_records(path: Path, n: int, first: int = 0) -> Path:
    """Write records as JSON lines, all of the same length."""
    lines = [json.dumps({"text": TEXT.format(f"{number:06}")}) for number in range(first, first + n)]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    return path


def read_tree(directory: Path) -> dict[str, bytes]:
    """The files below a directory."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def count_done(directory: Path) -> int:
    return len(list((directory / "done").glob("*.json")))


def start(*arguments: object, inside: Sequence[str] = (), cwd: Path | None = None) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own, by another command that is given its words, in a directory."""
    command = [*inside, sys.executable, "-m", "spacy", "joint", "annotate", *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd)


def wait_until_done(run: subprocess.Popen[bytes], directory: Path, n: int, timeout: float = 200) -> None:
    """Wait until a run has made so many shards."""
    end = time.monotonic() + timeout
    while count_done(directory) < n:
        assert run.poll() is None, "the run has ended"
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.002)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def list_children(pid: int, name: str) -> list[int]:
    """The children of a process whose command has a name in it (Linux)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children if name in Path(f"/proc/{child}/cmdline").read_text()]
