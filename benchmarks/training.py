"""Times the training of the joint parser: an epoch against parsing the same documents, and two threads against one.

Times cover everything that `nlp.update` does, including the oracle and the columns, and everything that parsing does.
Tags are gold. Two threads must learn exactly the same weights as one. An epoch is compared with parsing in CPU seconds,
threads are compared by wall-clock time. The settings come from a config; an epoch with several weight tables counts as
one epoch per table.
"""

from measure import PARSER, count_words, format_table, read_references, time_annotation, write_results

# isort: split
import random
import time
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from confection import Config
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed, minibatch

from spacy_joint.corpora.examples import make_example
from spacy_joint.pipes.architectures import get_perceptron


def make_learner(corpus: Path, limit: int, model: dict[str, Any]) -> tuple[Language, list[Example]]:
    """An initialised pipeline with only the joint parser, and its examples."""
    nlp = spacy.blank("en")
    nlp.add_pipe(PARSER, config={"model": model})
    references = read_references(corpus, nlp.vocab)[: limit or None]
    examples = [make_example(reference, ["TAG"]) for reference in references]
    # The same random state for all.
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    return nlp, examples


def time_epoch(
    nlp: Language, examples: list[Example], batch_size: int, dropout: float, seed: int
) -> tuple[float, float]:
    """Train for an epoch, in shuffled order; return wall-clock and CPU seconds."""
    shuffled = list(examples)
    random.Random(seed).shuffle(shuffled)
    copies = [Example(example.predicted.copy(), example.reference) for example in shuffled]
    start, start_of_process = time.perf_counter(), time.process_time()
    for batch in minibatch(copies, size=batch_size):
        nlp.update(batch, drop=dropout)
    return time.perf_counter() - start, time.process_time() - start_of_process


def dump_weights(nlp: Language) -> bytes:
    """Serialise the weights, both finished and in training."""
    perceptron = get_perceptron(nlp.get_pipe(PARSER).model)
    return perceptron.to_bytes() + (perceptron.learning_to_bytes() or b"")


def main(
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file with the training documents.")],
    config: Annotated[Path | None, typer.Option(help="Training config. None: the component's defaults.")] = None,
    beam_width: Annotated[int, typer.Option(min=1)] = 8,
    batch_size: Annotated[int, typer.Option(min=1, help="Documents per batch, for one and two threads.")] = 32,
    epochs: Annotated[int, typer.Option(min=1)] = 2,
    limit: Annotated[int, typer.Option(help="Documents to use. 0: all.")] = 0,
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
) -> None:
    """Measure epochs of training."""
    model: dict[str, Any] = {"@architectures": "spacy_joint.BeamPerceptron.v1"}
    dropout = 0.0
    if config is not None:
        settings = Config().from_disk(config)
        model, dropout = settings["components"][PARSER]["model"], settings["training"]["dropout"]
    model["beam_width"] = beam_width
    learners = {threads: make_learner(corpus, limit, {**model, "threads": threads}) for threads in (1, 2)}
    alone, examples = learners[1]
    parser: Any = alone.get_pipe(PARSER)
    n_tables = parser.perceptron.n_tables
    docs = [example.predicted for example in examples]
    results = []
    for epoch in range(epochs):
        (one, processor), (two, _) = (
            time_epoch(nlp, own_examples, batch_size, dropout, seed=epoch) for nlp, own_examples in learners.values()
        )
        # The first call computes averages, which is not part of parsing.
        parser(docs[0].copy())
        parsing = time_annotation(lambda copies: [parser(doc) for doc in copies], docs)
        results.append(
            {
                "epoch": epoch + 1,
                "wall clock, 1 thread": one,
                "wall clock, 2 threads": two,
                "speed-up": one / two,
                "CPU, 1 thread": processor,
                "CPU, parsing": parsing,
                "epoch per table / parsing": processor / n_tables / parsing,
            }
        )
    identical = dump_weights(alone) == dump_weights(learners[2][0])
    print(
        f"{count_words(docs):,} words, beam {beam_width}, batches of {batch_size} documents, {n_tables} tables; seconds"
    )
    print(format_table(list(results[0]), [[f"{value:.2f}" for value in result.values()] for result in results]))
    print(f"The weights of one and of two threads are {'identical' if identical else 'DIFFERENT'}.")
    write_results({"batch_size": batch_size, "n_tables": n_tables, "epochs": results, "identical": identical}, output)


if __name__ == "__main__":
    typer.run(main)
