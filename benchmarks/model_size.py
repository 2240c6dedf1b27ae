"""Measures a saved model: its size on disk, its loading time, and the LAS lost to pruning and quantisation.

Loading is timed in fresh processes, after spaCy itself is imported. For the loss, the parser runs three times on the
same tags: with the released weights, with the pruned features restored, and with the exact averages. The exact averages
need a pipeline saved with its `learning` part, which is not released and does not count in the size.
"""

from measure import PARSER, find_pipeline, format_table, measure_in_fresh_process, read_references, write_results

# isort: split
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Annotated

import numpy as np
import spacy
import typer
from spacy.language import Language
from spacy.training import Example

from spacy_joint.corpora.examples import make_example
from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.perceptron import Perceptron
from spacy_joint.engine.weights import Weights
from spacy_joint.pipes.architectures import get_perceptron
from spacy_joint.scoring.boundaries_and_trees import score_boundaries_and_trees

LEARNING = "learning"
Predict = Callable[[Columns], np.ndarray]


def sum_sizes(model: Path) -> dict[str, int]:
    """The bytes of each part of a saved pipeline, without the parts that only learning needs."""
    sizes: dict[str, int] = {}
    for file in model.rglob("*"):
        if file.is_file() and file.name != LEARNING:
            part = file.relative_to(model).parts[0]
            sizes[part] = sizes.get(part, 0) + file.stat().st_size
    return sizes


def list_variants(perceptron: Perceptron) -> dict[str, Predict]:
    """Prediction with the model as it is, with pruned features restored, and with exact averages."""
    trained = perceptron.weights
    all_kept = np.full_like(trained.kept, 255)
    unpruned = Weights(trained.bits, trained.width)
    unpruned.predict_with(trained.averaged, all_kept, trained.scale)
    exact = Weights(trained.bits, trained.width)
    averages = perceptron.averages()
    exact.restore(averages, np.zeros_like(averages), trained.n_changes.copy(), 0)
    search = Search(perceptron.system, perceptron.templates, perceptron.beam_width)
    return {
        "as released": perceptron.predict,
        "not pruned": lambda columns: search.predict(unpruned, columns),
        "exact averages": lambda columns: search.predict(exact, columns, exact=True),
    }


def score_variants(nlp: Language, corpus: Path) -> dict[str, float]:
    """LAS (all tokens) of the variants on predicted tags."""
    parser = nlp.get_pipe(PARSER)
    examples = [make_example(reference) for reference in read_references(corpus, nlp.vocab)]
    with nlp.select_pipes(disable=[PARSER]):
        tagged = list(nlp.pipe(example.predicted for example in examples))
    scores = {}
    for name, predict in list_variants(get_perceptron(parser.model)).items():
        parsed = []
        for doc, example in zip(tagged, examples, strict=True):
            copy = doc.copy()
            columns, tokens = parser.get_columns(copy, parser.get_constraints(copy))
            parser.annotate(copy, parser.read(tokens, predict(columns)))
            parsed.append(Example(copy, example.reference))
        scores[name] = score_boundaries_and_trees(parsed)["dep_las_punct"]
    return scores


def main(
    model: Annotated[Path, typer.Argument(parser=find_pipeline, help="Pipeline with a joint_sbd_parser.")],
    corpus: Annotated[Path | None, typer.Argument(help="CoNLL-U file to score on; none: sizes and times only.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Processes that load the model.")] = 5,
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
    load_only: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Measure size, loading time and loss of LAS."""
    if load_only:
        start = time.perf_counter()
        spacy.load(model)
        print(json.dumps({"seconds": time.perf_counter() - start}))
        return
    sizes = sum_sizes(model)
    loads = [measure_in_fresh_process("model_size.py", model, "--load-only")["seconds"] for _ in range(rounds)]
    results = {"bytes": sizes, "total_bytes": sum(sizes.values()), "seconds_to_load": median(loads)}
    rows = [[part, f"{size / 1e6:.2f}"] for part, size in sorted(sizes.items())]
    print(format_table(["part", "MB"], [*rows, ["total", f"{results['total_bytes'] / 1e6:.2f}"]]))
    print(f"Loads in {results['seconds_to_load']:.2f} s.")
    if corpus is not None:
        nlp = spacy.load(model)
        if not get_perceptron(nlp.get_pipe(PARSER).model).weights.is_learning:
            raise typer.BadParameter(f"{model} was saved without '{LEARNING}': its exact averages are gone.")
        scores = score_variants(nlp, corpus)
        results["las"] = scores
        lost = 100 * (scores["exact averages"] - scores["as released"])
        print(format_table(["weights", "LAS"], [[name, f"{100 * las:.2f}"] for name, las in scores.items()]))
        print(f"Pruning and quantising cost {lost:.2f} points of LAS.")
    write_results(results, output)


if __name__ == "__main__":
    typer.run(main)
