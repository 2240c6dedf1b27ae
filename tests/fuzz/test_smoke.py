"""A short run of each fuzz target with unguided mutations; `python -m tests.fuzz` runs longer."""

import random

import pytest

from .targets import TARGETS, check, mutate

# Inputs for each target.
MANY = 50


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_bytes_are_accepted_or_refused_by_a_coded_error(name, tmp_path):
    (run, make_seeds), chance = TARGETS[name], random.Random(0)
    seeds = make_seeds()
    for seed in seeds:
        run(seed, tmp_path)
    for content in (b"", b"\n", b"\x00" * 100, *(mutate(chance.choice(seeds), chance) for _ in range(MANY))):
        check(run, content, tmp_path)
