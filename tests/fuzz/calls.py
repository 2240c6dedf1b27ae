"""`python -m tests.fuzz.calls --steps 10000 --seed 0`: random calls in random order, which must not change results.

A life is a pipeline with some hundred steps. Whatever has been done to a pipeline, it must annotate a document like a
process that has done nothing else (see pipelines.py), or like a twin that has been spared the rest. Errors need codes.
All of a life derives from the seed and its number, and each step from its own number, so that steps can be left out: of
each kind of failure, the first one is replayed with ever fewer steps, and a command that repeats it is printed.
"""

import argparse
import faulthandler
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import srsly.msgpack

from .lives import Life
from .pipelines import Oracle
from .steps import STEPS

STEPS_OF_LIFE = 1000
# A step that takes longer hangs; the first one of a pipeline asks the oracle, which takes seconds.
SECONDS_OF_STEP = 300


def live(oracle: Oracle, seed: int, number: int, steps: Sequence[int]) -> tuple[int, str] | None:
    """Returns the step that fails, and how."""
    doing: Callable[..., None] = Life
    with tempfile.TemporaryDirectory() as directory:
        life, at = Life(oracle, seed, number, Path(directory)), 0
        try:
            for at in steps:
                # Ends the process, and says where it is.
                faulthandler.dump_traceback_later(SECONDS_OF_STEP, exit=True)
                chance = Random(f"{seed} {number} {at}")
                doing = chance.choices(list(STEPS), list(STEPS.values()))[0]
                doing(life, chance)
        except Exception as error:
            # With its place in the code, so that failures of the same kind are told.
            places = [
                f"{Path(place.filename).name}:{place.lineno}" for place in traceback.extract_tb(error.__traceback__)
            ]
            how = f"{doing.__name__} with {life.nlp.pipe_names}: {type(error).__name__} {error}"
            return at, f"{how} ({' '.join(places[-3:])})"
        finally:
            faulthandler.cancel_dump_traceback_later()
    return None


def minimise(oracle: Oracle, seed: int, number: int, last: int) -> list[int]:
    """As few steps as easily found that fail like all steps to the last."""

    def fails(steps: Sequence[int]) -> bool:
        failure = live(oracle, seed, number, steps)
        return failure is not None and failure[0] == last

    length = 1
    while length <= last and not fails(range(last + 1 - length, last + 1)):
        length *= 4
    steps = list(range(max(0, last + 1 - length), last + 1))
    width = len(steps) // 2
    while width:
        for start in range(0, len(steps) - 1, width):
            fewer = steps[:start] + steps[min(start + width, len(steps) - 1) :]
            if len(fewer) < len(steps) and fails(fewer):
                steps = fewer
                break
        else:
            width //= 2
    return steps


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.calls", description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000, help="How many steps.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="The number of the first life.")
    parser.add_argument("--only", type=int, nargs="+", help="Steps of the first life; others are left out.")
    parser.add_argument("--kept", type=Path, help="A directory where the oracle keeps what it knows.")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    faulthandler.enable()
    # Nothing here adds any; looking for them again with each document took a fifth of the time.
    srsly.msgpack.msgpack_encoders.entry_points = srsly.msgpack.msgpack_decoders.entry_points = False
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as directory:
        oracle = Oracle(given.kept or Path(directory))
        if given.only:
            failure = live(oracle, given.seed, given.first, given.only)
            print(failure or "nothing found")
            return failure is not None
        done, number, began = 0, given.first, time.time()
        while done < given.steps:
            # Printed first, because of crashes.
            print(f"{done} steps, {time.time() - began:.0f} s, life {number}", file=sys.stderr, flush=True)
            n_steps = min(STEPS_OF_LIFE, given.steps - done)
            failure = live(oracle, given.seed, number, range(n_steps))
            done += n_steps if failure is None else failure[0] + 1
            if failure is not None:
                last, how = failure
                kind = f"{how.split(' with ')[0]} {how.split(' (')[-1]}"
                if kinds[kind] < 3:
                    steps = minimise(oracle, given.seed, number, last)
                    only = " ".join(map(str, steps))
                    print(
                        f"{how}\n  python -m tests.fuzz.calls --seed {given.seed} --first {number} --only {only}",
                        flush=True,
                    )
                kinds[kind] += 1
            number += 1
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{done} steps, {time.time() - began:.0f} s, {most} MB; failed lives: {dict(kinds)}")
    return bool(kinds)


if __name__ == "__main__":
    sys.exit(main())
