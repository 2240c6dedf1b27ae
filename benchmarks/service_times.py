"""Measures how long shards of raw text take to annotate, from text to CoNLL-U: the input of cluster_simulation.py.

Each shard is a stretch of whole lines of the given files, drawn at random. Its time is CPU time, which a busy machine
affects less than wall-clock time; reading and writing files is not part of it.
"""

from measure import count_words, write_results

# isort: split
import io
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language

import spacy_joint
from spacy_joint.corpora.export import write_conllu

SEED = 0


def cut(text: str, size: int) -> Iterator[str]:
    """Cut a text at ends of lines into shards of at least so many bytes, without the rest."""
    lines, n_bytes = [], 0
    for line in text.splitlines(keepends=True):
        lines.append(line)
        n_bytes += len(line.encode())
        if n_bytes >= size:
            yield "".join(lines)
            lines, n_bytes = [], 0


def annotate(nlp: Language, shard: str) -> dict[str, float]:
    """Annotate a shard, whose paragraphs are documents."""
    start = time.process_time()
    # As when a corpus is annotated in batches, so that the vocabulary stays small.
    with nlp.memory_zone():
        docs = list(nlp.pipe(filter(str.strip, shard.split("\n\n"))))
        written = io.StringIO()
        write_conllu(docs, written)
        seconds = time.process_time() - start
        return {
            "bytes": len(shard.encode()),
            "words": count_words(docs),
            "written_bytes": len(written.getvalue().encode()),
            "seconds": round(seconds, 4),
        }


def main(
    output: Annotated[Path, typer.Argument(help="JSON file to write.")],
    files: Annotated[list[Path], typer.Argument(help="Raw text, the same number of shards from each file.")],
    pipeline: Annotated[str, typer.Option()] = spacy_joint.PRETRAINED,
    shards: Annotated[int, typer.Option(min=1, help="Shards of each file.")] = 15,
    kilobytes: Annotated[int, typer.Option(min=1, help="Size of a shard.")] = 250,
) -> None:
    """Measure the shards in random order."""
    draw = random.Random(SEED)
    drawn = [
        shard
        for path in files
        for shard in choose(draw, list(cut(path.read_text(encoding="utf8"), 1000 * kilobytes)), shards)
    ]
    draw.shuffle(drawn)
    start = time.process_time()
    nlp = spacy_joint.load(pipeline)
    load_seconds = time.process_time() - start
    annotate(nlp, drawn[0])
    measured = [annotate(nlp, shard) for shard in drawn]
    words, seconds = (sum(shard[key] for shard in measured) for key in ("words", "seconds"))
    print(f"{len(measured)} shards, {words:,} words, {words / seconds:,.0f} words per CPU second")
    write_results({"pipeline": pipeline, "load_seconds": round(load_seconds, 2), "shards": measured}, output)


def choose(draw: random.Random, shards: Sequence[str], n: int) -> list[str]:
    """Draw some shards of a file, or take all if it has fewer."""
    return draw.sample(shards, min(n, len(shards)))


if __name__ == "__main__":
    typer.run(main)
