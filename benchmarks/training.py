"""Time of training the joint parser: an epoch beside parsing the same documents, and two threads beside one.

Everything that `nlp.update` does is timed, the oracle and the columns too, and everything that parsing does. Tags are
the reference's. Two threads must come to exactly the weights of one. An epoch and parsing are compared in seconds of
the processor, threads by the clock. The settings are those of a config; several tables, each of which learns in its own
time, count as so many epochs.
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
    """An initialised pipeline of the joint parser alone, and its examples."""
    nlp = spacy.blank("en")
    nlp.add_pipe(PARSER, config={"model": model})
    references = read_references(corpus, nlp.vocab)[: limit or None]
    examples = [make_example(reference, ["TAG"]) for reference in references]
    # The same chance for all.
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    return nlp, examples


def time_epoch(
    nlp: Language, examples: list[Example], batch_size: int, dropout: float, seed: int
) -> tuple[float, float]:
    """Train for an epoch, in an order of its own; the seconds of the clock and of the processor."""
    shuffled = list(examples)
    random.Random(seed).shuffle(shuffled)
    copies = [Example(example.predicted.copy(), example.reference) for example in shuffled]
    start, start_of_process = time.perf_counter(), time.process_time()
    for batch in minibatch(copies, size=batch_size):
        nlp.update(batch, drop=dropout)
    return time.perf_counter() - start, time.process_time() - start_of_process


def dump_weights(nlp: Language) -> bytes:
    """What was learnt, finished and raw."""
    perceptron = get_perceptron(nlp.get_pipe(PARSER).model)
    return perceptron.to_bytes() + (perceptron.learning_to_bytes() or b"")


def main(
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file with the training documents.")],
    config: Annotated[Path | None, typer.Option(help="Training config. None: the component's defaults.")] = None,
    beam_width: Annotated[int, typer.Option(min=1)] = 8,
    batch_size: Annotated[int, typer.Option(min=1, help="Documents of a batch, with one and with two threads.")] = 32,
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
    n_tables = model.get("n_tables", 1)
    learners = {threads: make_learner(corpus, limit, {**model, "threads": threads}) for threads in (1, 2)}
    alone, examples = learners[1]
    parser = alone.get_pipe(PARSER)
    docs = [example.predicted for example in examples]
    results = []
    for epoch in range(epochs):
        (one, processor), (two, _) = (
            time_epoch(nlp, own_examples, batch_size, dropout, seed=epoch) for nlp, own_examples in learners.values()
        )
        # Averages are made when first asked for: not a part of parsing.
        parser(docs[0].copy())
        parsing = time_annotation(lambda copies: [parser(doc) for doc in copies], docs)
        results.append(
            {
                "epoch": epoch + 1,
                "clock, 1 thread": one,
                "clock, 2 threads": two,
                "speed-up": one / two,
                "processor, 1 thread": processor,
                "processor, parsing": parsing,
                "epoch of a table / parsing": processor / n_tables / parsing,
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
