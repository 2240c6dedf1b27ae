"""`python -m tests.fuzz TARGET --seconds 600 --seed 0`: looks for bytes that a target neither reads nor refuses.

Uses atheris (`pip install atheris`), which is guided by coverage. At the first failure it exits with an error and
writes the input to the working directory. `--corpus` continues earlier runs.
"""

import argparse
import resource
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["spacy_joint"]):
    from .targets import TARGETS, check

# Limit of address space; beyond it there is a MemoryError, which fails the target.
MAX_MEMORY = 6 << 30


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--corpus", type=Path, help="A directory that keeps inputs that reach new code, in a folder for each target."
    )
    parser.add_argument("inputs", nargs="*", help="Files to try once, such as those of earlier failures.")
    arguments = parser.parse_args()
    run, make_seeds = TARGETS[arguments.target]
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        # libFuzzer reads both, and writes to the first one.
        kept, given = (arguments.corpus or directory / "kept") / arguments.target, directory / "seeds"
        for folder in (kept, given):
            folder.mkdir(parents=True, exist_ok=True)
        seeds = make_seeds()
        for number, seed in enumerate(seeds):
            (given / str(number)).write_bytes(seed)
        # libFuzzer treats seed 0 as no seed.
        options = [f"-max_total_time={arguments.seconds}", f"-seed={arguments.seed + 1}", "-timeout=30"]
        options += [f"-max_len={4 * max(map(len, seeds))}", "-print_final_stats=1", "-verbosity=1"]
        inputs = arguments.inputs or [str(kept), str(given)]
        atheris.Setup([sys.argv[0], *options, *inputs], lambda content: check(run, content, directory))
        atheris.Fuzz()


main()
