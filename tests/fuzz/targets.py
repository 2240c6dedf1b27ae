"""All targets and their requirement: bytes are accepted, or refused by one coded error.

Other exceptions, crashes, and excessive memory or time are failures.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

from spacy_joint.errors import JointValueError

from .readers import READERS
from .saved import load_component, make_charts, make_guides, make_perceptrons, make_seeds

SAVED = {"models": make_perceptrons, "charts": make_charts, "guides": make_guides}
# What reads bytes, with a directory for its files, and what makes bytes that it can read.
Target = tuple[Callable[[bytes, Path], None], Callable[[], list[bytes]]]
TARGETS: dict[str, Target] = {
    **READERS,
    **{name: (partial(load_component, make), partial(make_seeds, make)) for name, make in SAVED.items()},
}


def check(run: Callable[[bytes, Path], None], content: bytes, directory: Path) -> None:
    """Run a target, and raise only forbidden exceptions."""
    with suppress(JointValueError):
        run(content, directory)


def mutate(content: bytes, chance: Random) -> bytes:
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
