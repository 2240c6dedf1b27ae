"""Measures how well the ends of turns are found: the share of ends whose `end_probability` is above that of nine tenths
of the other places (the true positive rate at a true negative rate of 0.9).

Turns are lines of transcripts, lower-cased and without punctuation, evenly from all files. The pipeline reads each turn
up to its end, or up to a random word before it, without what was said earlier. Other places are all words before the
end, or only those where no sentence ends: where the transcript has no mark.
"""

from measure import Output, format_table, report

# isort: split
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import spacy_joint
from spacy_joint.pipes.streaming import end_probability

FINAL = re.compile(r"[.?!…][\"'”’)]*$")
OUTER = re.compile(r"^[^\w$]+|[^\w%]+$")
TRUE_NEGATIVES = 0.9


def clean(words: list[str]) -> str:
    """Words in lower case, without marks."""
    cleaned = (OUTER.sub("", word).replace("’", "'").lower() for word in words)
    return " ".join(filter(None, cleaned))


def read_turns(directory: Path, n: int, least: int, draw: random.Random) -> Iterator[list[str]]:
    """Turns of at least this number of words, from evenly many files."""
    paths = sorted(directory.glob("*.txt"))
    for number, path in enumerate(paths):
        turns = [line.split() for line in path.read_text(encoding="utf8").splitlines()]
        turns = [turn for turn in turns if len(turn) >= least]
        yield from draw.sample(turns, min(len(turns), n * (number + 1) // len(paths) - n * number // len(paths)))


def find_true_positives(ends: np.ndarray, others: np.ndarray) -> float:
    """The true positive rate where `TRUE_NEGATIVES` of the others are below the threshold."""
    return float((ends > np.quantile(others, TRUE_NEGATIVES)).mean())


def main(
    models: Annotated[list[str], typer.Argument(help="Calibrated pipelines.")],
    turns: Annotated[Path, typer.Option(help="Directory of text files with a turn per line.")],
    n: Annotated[int, typer.Option(min=1, help="Number of turns.")] = 1000,
    least: Annotated[int, typer.Option(min=2, help="Minimum number of words in a turn.")] = 5,
    seed: Annotated[int, typer.Option()] = 0,
    output: Output = None,
) -> None:
    """Print a table with a row per pipeline."""
    draw = random.Random(seed)
    chosen = list(read_turns(turns, n, least, draw))
    cuts = [draw.randrange(1, len(turn)) for turn in chosen]
    ends_sentence = np.array([bool(FINAL.search(turn[cut - 1])) for turn, cut in zip(chosen, cuts, strict=True)])
    results = {}
    for model in models:
        nlp = spacy_joint.load(model)
        ends = np.array([end_probability(nlp, clean(turn)) for turn in chosen], dtype=float)
        others = np.array(
            [end_probability(nlp, clean(turn[:cut])) for turn, cut in zip(chosen, cuts, strict=True)], float
        )
        results[Path(model).name] = {
            "others": find_true_positives(ends, others),
            "no_sentence_end": find_true_positives(ends, others[~ends_sentence]),
            "auc": float((ends[:, None] > others).mean() + (ends[:, None] == others).mean() / 2),
        }
    header = ["", "all others", "where no sentence ends", "area under the curve"]
    table = format_table(header, [[name, *(f"{n:.3f}" for n in found.values())] for name, found in results.items()])
    report(table, {"turns": len(chosen), "sentence_ends": int(ends_sentence.sum()), **results}, output)


if __name__ == "__main__":
    typer.run(main)
