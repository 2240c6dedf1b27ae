"""Runs test code in a separate process, with little memory or with interrupts."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

# `fails` calls a function with this much more memory than the process needs, in megabytes.
LIMIT = """
import resource
from spacy_joint.errors import JointMemoryError

def fails(call, megabytes):
    pages = int(open("/proc/self/statm").read().split()[0])
    usual = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(megabytes * 2**20), usual[1]))
    try:
        call()
    except MemoryError as error:
        assert isinstance(error, JointMemoryError), repr(error)
        assert error.code == "J003"
        return True
    finally:
        resource.setrlimit(resource.RLIMIT_AS, usual)
    return False
"""

INTERRUPT = """
import signal, time

signals = 0

def handle(*_):
    global signals
    if signals:
        signals -= 1
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, handle)

def interrupt(call, seconds, again=0.0):
    '''Interrupts a call after `seconds`, and once more after `again`. Returns the CPU time that it then took to stop,
    because the machine may be busy; None if it had already ended.'''
    global signals
    signals = 2 if again else 1
    begin = time.process_time()
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, again)
            call()
        finally:
            signals = 0
    except KeyboardInterrupt:
        return time.process_time() - begin - seconds
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None
"""

# The toys of these tests, and what they import.
TOYS = """
import sys
sys.path.insert(0, sys.argv[1])
from toys import *
from spacy_joint.engine.stream import Stream
"""

# What Python itself says of a thread that had no memory to begin; to us it is an error like others.
STILLBORN = re.compile(r"Exception ignored in thread started by: .*\nMemoryError: *\n")

# A sanitizer reserves terabytes of addresses for itself.
limited = pytest.mark.skipif(
    sys.platform != "linux" or "asan" in os.environ.get("LD_PRELOAD", ""), reason="limits are those of Linux"
)


def run_alone(setup, code):
    """Run setup and code in a separate process; fail if it fails or prints errors."""
    command = [sys.executable, "-c", setup + textwrap.dedent(code), str(Path(__file__).parent)]
    # Freed memory returns to the system at once, and threads share one heap, so the limit is exact.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}
    finished = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert (finished.returncode, STILLBORN.sub("", finished.stderr)) == (0, ""), finished.stderr
