"""Measures what a parser gains from word classes and a teacher's documents: trains small parsers and scores them.

A student has one weight table and learns without dropout, so training takes minutes. Gold and silver documents have
predicted tags (`jackknife`, `distill`); the shipped pipeline tags those to score. Scores are boundary F1 and LAS over
all tokens, of whole documents with gold tokens. Speed is in words learnt from per second, and includes all that `spacy
train` does.
"""

from measure import PARSER, Output, format_table, get_peak_memory, read_references, report, score_all

# isort: split
import io
import time
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.language import Language
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config, registry
from thinc.api import Config

import spacy_joint
from spacy_joint.cli.training.configs import CONFIGS

CONFIG = CONFIGS / f"{PARSER}.cfg"
STUDENT = {"n_tables": 1, "min_changes": 1, "beam_width": 16, "threads": 1, "table_bits": 22}


def configure(gold: Path, word_classes: Path | None, silver: Path | None) -> Config:
    """The training config of a student, which sees as many silver words as gold ones."""
    model = {f"components.{PARSER}.model.{name}": value for name, value in STUDENT.items()}
    paths = {"paths.train": str(gold), "paths.dev": str(gold)}
    paths["paths.word_classes"] = None if word_classes is None else str(word_classes)
    config = load_config(CONFIG, overrides={**model, **paths, "training.dropout": 0.0, "training.patience": 0})
    # Scored afterwards, on other documents.
    config["corpora"]["dev_original"]["limit"] = 1
    config["training"] |= {"dev_corpus": "corpora.dev_original", "eval_frequency": 10**9}
    if silver is not None:
        of_gold = config["corpora"]["train"]
        config["corpora"]["train"] = {
            "@readers": "spacy_joint.MixedCorpus.v1",
            "corpora": {"gold": of_gold, "silver": {**of_gold, "path": str(silver)}},
            "shares": {"gold": 1.0, "silver": 1.0},
        }
    return config


def count_words(nlp: Language, config: Config, max_batches: int) -> int:
    """The words of a pass over the training corpus, or of a number of batches, in as many passes as needed."""
    corpus = registry.resolve({"corpus": config.interpolate()["corpora"]["train"]})["corpus"]
    examples = corpus(nlp)
    if max_batches:
        n_docs = (max_batches + 1) * config["training"]["batcher"]["size"]
        examples = islice(chain.from_iterable(map(corpus, repeat(nlp))), n_docs)
    return sum(len(example.reference) for example in examples)


def main(
    gold: Annotated[Path, typer.Argument(help="Gold documents in both kinds with jackknifed tags (.spacy).")],
    corpora: Annotated[list[Path], typer.Argument(help="CoNLL-U files to score.")],
    word_classes: Annotated[Path | None, typer.Option(help="Word classes. None: no classes.")] = None,
    silver: Annotated[Path | None, typer.Option(help="Directory that `distill` wrote. None: gold only.")] = None,
    epochs: Annotated[int, typer.Option(min=1)] = 6,
    max_batches: Annotated[int, typer.Option(help="Batches to stream instead of epochs. 0: epochs.")] = 0,
    output: Output = None,
) -> None:
    """Train a student and score it."""
    config = configure(gold, word_classes, silver)
    config["training"]["max_epochs"] = -1 if max_batches else epochs
    config["training"]["max_steps"] = max_batches
    if max_batches:
        labels = init_nlp(configure(gold, None, None)).get_pipe(PARSER).label_data
        config["initialize"]["components"][PARSER]["labels"] = labels
    nlp = init_nlp(config)
    n_words = count_words(nlp, config, max_batches) * (1 if max_batches else epochs)
    start, start_of_process = time.perf_counter(), time.process_time()
    train(nlp, None, stdout=io.StringIO(), stderr=io.StringIO())
    seconds, of_process = time.perf_counter() - start, time.process_time() - start_of_process
    results: dict[str, Any] = {
        "words": n_words,
        "words_per_second": n_words / seconds,
        "words_per_cpu_second": n_words / of_process,
        "megabytes": get_peak_memory() / 1e6,
    }
    shipped = spacy_joint.load()
    tagger, parser = shipped.get_pipe("sequence_tagger"), nlp.get_pipe(PARSER)
    for path in corpora:
        for star in ("", "*"):
            references = read_references(path, shipped.vocab, starred=bool(star))
            scores = score_all(lambda docs: parser.pipe(map(tagger, docs)), references)
            results[path.stem + star] = f"{100 * scores['boundary_f']:.1f} / {100 * scores['dep_las_punct']:.1f}"
    row = [f"{value:,.0f}" if isinstance(value, float) else value for value in results.values()]
    report(format_table(list(results), [row]), results, output)


if __name__ == "__main__":
    typer.run(main)
