"""Measures the speed-up of `nlp.pipe` by threads: words per second with one thread and with several, in turn."""

from measure import count_words, find_pipeline, format_table, interleave, read_references, write_results

# isort: split
import time
from pathlib import Path
from typing import Annotated

import spacy
import typer

from spacy_joint.corpora.examples import make_example


def main(
    model: Annotated[Path, typer.Argument(parser=find_pipeline, help="Pipeline of components of this package.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file with the documents.")],
    threads: Annotated[int, typer.Option(min=2, help="Threads to compare with one.")] = 2,
    least: Annotated[int, typer.Option(help="Minimum words of a document.")] = 300,
    copies: Annotated[int, typer.Option(min=1, help="Annotations of each document per round.")] = 3,
    rounds: Annotated[int, typer.Option(min=1, help="Measurements of each, after a warm-up.")] = 5,
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
) -> None:
    """Print words per second, and the speed-up; wall-clock time."""
    nlp = spacy.load(model)
    references = read_references(corpus, nlp.vocab)
    docs = [make_example(reference).predicted for reference in references if len(reference) >= least] * copies
    found: dict[int, list[bytes]] = {}

    def annotate(n: int) -> float:
        for _, pipe in nlp.pipeline:
            pipe.perceptron.threads = n
        fresh = [doc.copy() for doc in docs]
        start = time.perf_counter()
        annotated = list(nlp.pipe(fresh))
        seconds = time.perf_counter() - start
        found[n] = [doc.to_bytes() for doc in annotated]
        return seconds

    seconds = interleave({str(n): lambda n=n: annotate(n) for n in (1, threads)}, rounds)
    speeds = {n: count_words(docs) / each for n, each in seconds.items()}
    print(format_table(["threads", "words per second"], [[n, f"{speed:,.0f}"] for n, speed in speeds.items()]))
    print(f"{speeds[str(threads)] / speeds['1']:.2f} times as fast; same bytes: {found[1] == found[threads]}")
    write_results({"words": count_words(docs), "words_per_second": speeds}, output)


if __name__ == "__main__":
    typer.run(main)
