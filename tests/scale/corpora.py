"""A small corpus, a pipeline that is fast, and what is in an output directory."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import spacy

from spacy_joint.scale.annotating.annotator import Annotator
from spacy_joint.scale.annotating.partitions import read_partitions

N_SHARDS = 200
TEXT = "Record {}. The old man left. They stayed."


def save_splitter(path: Path) -> Path:
    """Save a pipeline that only splits sentences."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(path)
    return path


TRAP = """
import os, signal
from spacy.language import Language

@Language.component("trap")
def trap(doc):
    if "kill" in doc.text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "memory" in doc.text:
        raise MemoryError
    if "answer" in doc.text:
        raise TimeoutError("no answer")
    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise ValueError("several threads")
    return doc
"""


def save_trap(directory: Path) -> Path:
    """Save a pipeline that fails as texts say, in a directory that must be in PYTHONPATH."""
    (directory / "trap.py").write_text(TRAP, encoding="utf8")
    package = directory / "trap-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: trap\nVersion: 1.0\n", encoding="utf8")
    (package / "entry_points.txt").write_text("[spacy_factories]\ntrap = trap:trap\n", encoding="utf8")
    code = "import spacy, trap; nlp = spacy.blank('en'); nlp.add_pipe('sentencizer'); nlp.add_pipe('trap')"
    subprocess.run([sys.executable, "-c", f"{code}; nlp.to_disk('pipeline')"], cwd=directory, check=True)
    return directory / "pipeline"


def write_records(path: Path, n: int, first: int = 0) -> Path:
    """Write records as JSON lines, all of the same length."""
    lines = [
        json.dumps({"text": TEXT.format(f"{number:06}"), "digit": number % 10}) for number in range(first, first + n)
    ]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    return path


def read_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def read_tree(directory: Path) -> dict[str, bytes]:
    """The files below a directory."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def read_rows(output):
    """The lines of all shards, in the order of the corpus."""
    return [row for each in read_lines(output / "manifest.jsonl") for row in read_lines(output / each["shard"])]


def count_done(directory: Path) -> int:
    return len(list((directory / "done").glob("*.json")))


def start(*arguments: object, inside: Sequence[str] = (), **settings: Any) -> subprocess.Popen[bytes]:
    """Start the command in a separate process, by another command that takes its words as arguments."""
    command = [*inside, sys.executable, "-m", "spacy", "joint", "annotate-corpus", *map(str, arguments)]
    return subprocess.Popen(command, **settings)


def wait_until_done(run: subprocess.Popen[bytes], directory: Path, n: int, timeout: float = 200) -> None:
    """Wait until a run has made this number of shards."""
    end = time.monotonic() + timeout
    while count_done(directory) < n:
        assert run.poll() is None, "the run has ended"
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.002)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def wait_until_ended(pids: Collection[int], timeout: float = 30) -> None:
    """Wait until processes have died."""
    end = time.monotonic() + timeout
    while any(map(is_running, pids)):
        assert time.monotonic() < end, "they live"
        time.sleep(0.01)


def list_children(pid: int, name: str) -> list[int]:
    """The children of a process whose command has a name in it (Linux)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children if name in Path(f"/proc/{child}/cmdline").read_text()]


def is_running(pid: int) -> bool:
    """False for a process that has died, even if nobody has asked for its exit code yet (Linux)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Here:
    """A runner that annotates in this process and stops after a number of partitions."""

    def __init__(self, limit=None):
        self.limit = limit

    def run(self, groups, done, annotation):
        worker = Annotator(annotation)
        partitions = (
            partition
            for group in groups
            for partition in read_partitions(group, annotation.reading, annotation.shard_bytes, done)
        )
        yield from map(worker, islice(partitions, self.limit))
        if self.limit is not None:
            raise KeyboardInterrupt
