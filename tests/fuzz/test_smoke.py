"""A short run of each fuzz target with unguided mutations, and of random calls; `python -m tests.fuzz` and
`python -m tests.fuzz.calls` run longer."""

import random
import sys
import warnings

import pytest

from .calls import live
from .pipelines import Oracle
from .targets import TARGETS, check, mutate

# Inputs for each target.
MANY = 150


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_bytes_are_accepted_or_refused_by_a_coded_error(name, tmp_path):
    target, chance = TARGETS[name], random.Random(0)
    seeds = target.make_seeds()
    for seed in seeds:
        target.run(seed, tmp_path)
    for content in (b"", b"\n", b"\x00" * 100, *(mutate(chance.choice(seeds), chance) for _ in range(MANY))):
        check(target, content, tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_random_calls_do_not_change_results(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert live(Oracle(tmp_path), seed=0, number=3, steps=range(300)) is None
