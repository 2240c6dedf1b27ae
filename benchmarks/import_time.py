"""Measures what the package adds to spaCy's start-up time, by its own import and by being installed.

Fresh processes are measured in turn: spaCy alone, and with this package imported; an empty pipeline, for which spaCy
imports the factories of all installed packages, with and without ours; and spaCy's command line, likewise. Times are
medians of CPU seconds.
"""

from measure import format_table, interleave, write_results

# isort: split
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

# The same environment with and without the entry points of the package.
INSTALLED = (
    "import catalogue, importlib.metadata as m; catalogue.AVAILABLE_ENTRY_POINTS = m.EntryPoints("
    "e for d in m.distributions() for e in d.entry_points if {}); "
)
WITH, WITHOUT = INSTALLED.format("True"), INSTALLED.format("not e.value.startswith('spacy_joint')")
BLANK = 'import spacy; spacy.blank("en")'
COMMANDS = "import spacy.cli; spacy.util.registry.cli.get_all()"
PAIRS = {
    "import of both, of spacy alone": ("import spacy", "import spacy, spacy_joint"),
    'spacy.blank("en")': (WITHOUT + BLANK, WITH + BLANK),
    "python -m spacy": (WITHOUT + COMMANDS, WITH + COMMANDS),
}


def time_process(code: str) -> Callable[[], float]:
    """Return a function that times a fresh interpreter running code, from start to exit."""

    def measure() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return measure


def main(
    rounds: Annotated[int, typer.Option(help="Processes of each kind.")] = 15,
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
) -> None:
    """Print the milliseconds of both and their difference."""
    systems = {f"{name}{kind}": code for name, pair in PAIRS.items() for kind, code in zip("-+", pair, strict=True)}
    seconds = interleave({name: time_process(code) for name, code in systems.items()}, rounds)
    rows = [
        [name, *(f"{1000 * value:.0f}" for value in (without, with_, with_ - without))]
        for name in PAIRS
        for without, with_ in [(seconds[f"{name}-"], seconds[f"{name}+"])]
    ]
    print(format_table(["", "without, ms", "with, ms", "difference, ms"], rows))
    write_results(seconds, output)


if __name__ == "__main__":
    typer.run(main)
