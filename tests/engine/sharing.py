"""Calls in several threads at once."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread

from spacy_joint.errors import JointValueError


def call_at_once(*calls):
    """What each call gives in a thread of its own, all started together: its result, or the code of its error."""
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
    """A call that another thread makes meanwhile."""

    def __init__(self, call):
        self.thread = Thread(target=call)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.thread.join()

    def wait_until_refused(self, call):
        """Wait until the call of the thread, which may not have begun yet, makes another one fail."""
        while self.thread.is_alive():
            try:
                call()
            except JointValueError:
                return

    def refused(self, call):
        """The codes of the errors of a call that is tried as long as the other one lasts."""
        codes = set()
        while self.thread.is_alive():
            try:
                call()
            except JointValueError as error:
                codes.add(error.code)
            time.sleep(1e-3)
        return codes
