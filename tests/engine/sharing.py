"""Calls in several threads at once."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread

from spacy_joint.errors import JointValueError


def call_at_once(*calls):
    """Call several functions at the same time, each in its own thread. Return their results, or the codes of errors."""
    barrier = Barrier(len(calls))

    def run(call):
        barrier.wait()
        try:
            return call()
        except JointValueError as error:
            return error.code

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


class Busy:
    """Runs a function in another thread during a `with` block, which ends only when the function does."""

    def __init__(self, call):
        self.thread = Thread(target=call)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.thread.join()

    def wait_until_refused(self, call):
        """Call a function until it fails because the other thread, which may still be starting, is busy."""
        while self.thread.is_alive():
            try:
                call()
            except JointValueError:
                return

    def refused(self, call):
        """Call a function again and again while the other thread is busy, and return the codes of its errors."""
        codes = set()
        while self.thread.is_alive():
            try:
                call()
            except JointValueError as error:
                codes.add(error.code)
            time.sleep(1e-3)
        return codes
