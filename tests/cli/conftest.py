"""Commands that run as processes, and pipelines for commands."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial

import pytest
import spacy


@pytest.fixture
def start():
    """Start a command as a process: its arguments, or with `shell=True` the rest of its line."""
    started = []

    def start(*arguments, shell=False, **options):
        command = [sys.executable, "-m", "spacy", "joint", *map(str, arguments)]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        # A process that runs in the background ignores Ctrl-C, and so would those that it starts.
        heed = None if sys.platform == "win32" else partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        env = {"PYTHONPATH": os.getcwd(), **os.environ}
        command = " ".join(command) if shell else command
        started.append(subprocess.Popen(command, shell=shell, env=env, preexec_fn=heed, **options))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
            with suppress(BrokenPipeError):
                pipe.close()


@pytest.fixture
def save_pipeline(tmp_path):
    """Save an English pipeline of untrained components with these settings, and return its directory."""

    def save_pipeline(*factories, **config):
        nlp = spacy.blank("en")
        for factory in factories:
            nlp.add_pipe(factory, config=config)
        path = tmp_path / ("_".join(factories) or "blank")
        nlp.to_disk(path)
        return path

    return save_pipeline
