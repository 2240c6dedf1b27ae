"""Fixtures of training, and processes that are killed."""

import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy

PROJECT = Path(__file__).parents[2] / "projects" / "english"


@pytest.fixture(scope="module")
def script(request):
    """The script of the English project that a test module is about (`SCRIPT`), as a module."""
    path = PROJECT / request.module.SCRIPT
    if not path.exists():
        pytest.skip("there is only the installed package")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


def read_parts(directory: Path, name: str = "model-last") -> dict[str, bytes]:
    """All files of a tagger that a training saved."""
    parts = ("cfg", "learning", "model")
    return {part: (directory / name / "sequence_tagger" / part).read_bytes() for part in parts}


def run_until_killed(is_time: Callable[[], object], *arguments: object, later: float = 0.0) -> int:
    """Run Python until it is time, and some seconds more; then kill the process. Returns its exit code."""
    command = [sys.executable, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 300
        while not is_time():
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.005)
        time.sleep(later)
    finally:
        process.kill()
        code = process.wait()
    return code
