"""A short run of each fuzz target with unguided mutations; `python -m tests.fuzz` runs longer."""

import random

import pytest

from .targets import TARGETS, check

# Inputs for each target.
MANY = 150


def mutate(content: bytes, chance: random.Random) -> bytes:
    """Bytes with some changed, removed, repeated or inserted."""
    mutated = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8))):
        begin = chance.randrange(len(mutated) + 1)
        end = min(len(mutated), begin + chance.choice((1, 1, 4, 64, len(mutated))))
        kind = chance.randrange(5)
        if kind == 0:
            mutated[begin:end] = b""
        elif kind == 1:
            mutated[begin:begin] = mutated[begin:end][:256]
        elif kind == 2:
            mutated[begin:begin] = chance.choice(
                (b"\x00", b"\xff", b"\n", b"\t", b"-1", b"999999999999", b"(", b"\xe2")
            )
        elif begin < len(mutated):
            mutated[begin] ^= 1 << chance.randrange(8)
    return bytes(mutated)


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_bytes_are_accepted_or_refused_by_a_coded_error(name, tmp_path):
    target, chance = TARGETS[name], random.Random(0)
    seeds = target.make_seeds()
    for seed in seeds:
        target.run(seed, tmp_path)
    for content in (b"", b"\n", b"\x00" * 100, *(mutate(chance.choice(seeds), chance) for _ in range(MANY))):
        check(target, content, tmp_path)
