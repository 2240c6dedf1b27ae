"""Measures parts of speech, features and lemmas of a whole pipeline, and the time that they take.

Tokens are gold; everything else is predicted. Features are correct if all features of a token are, with the features
that only English has.
"""

from measure import (
    Document,
    Output,
    count_words,
    find_split,
    format_table,
    interleave,
    read_references,
    report,
    time_annotation,
)

# isort: split
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.corpora.examples import make_example
from spacy_joint.corpora.treebank import name_treebank

MEASURES = {"UPOS": "pos_acc", "features": "morph_acc", "lemmas": "lemma_acc"}
ADDED = ["sequence_morphologizer", "sequence_lemmatizer"]
SPLITS = ("dev", "test")


def score(nlp: Language, path: Path, *, starred: bool) -> dict[str, float]:
    """The accuracy of a pipeline on the documents of a file."""
    examples = [make_example(reference) for reference in read_references(path, nlp.vocab, starred=starred)]
    scores = nlp.evaluate(examples)
    return {name: scores[key] for name, key in MEASURES.items()}


def measure_times(nlp: Language, references: Sequence[Doc], rounds: int) -> dict[str, float]:
    """The CPU seconds per word, without and with the components, in turn."""
    docs = [make_example(reference).predicted for reference in references]

    def annotate(disabled: list[str]) -> float:
        with nlp.select_pipes(disable=disabled):
            return time_annotation(lambda copies: deque(nlp.pipe(copies), maxlen=0), docs) / count_words(docs)

    return interleave({"without": lambda: annotate(ADDED), "with": lambda: annotate([])}, rounds)


def main(
    model: Annotated[str, typer.Argument(help="Pipeline with a sequence_morphologizer and a sequence_lemmatizer.")],
    treebanks: Annotated[list[Path], typer.Argument(help="Directories with *-dev.conllu and *-test.conllu.")],
    rounds: Annotated[int, typer.Option(min=1, help="Measurements of each time, after a warm-up.")] = 5,
    output: Output = None,
    document: Document = None,
) -> None:
    """Score the pipeline, and time it on the first treebank."""
    nlp = spacy_joint.load(model)
    files = [[find_split(treebank, split) for split in SPLITS] for treebank in treebanks]
    # Not those of directories, which may be versions.
    names = [(name_treebank({"": parts})[1] or parts[0].stem).upper() for parts in files]
    if len(set(names)) < len(names):
        raise typer.BadParameter(f"Two treebanks have the same name: {', '.join(names)}.")
    scores = {
        f"{name}{'*' if starred else ''}": [score(nlp, path, starred=starred) for path in parts]
        for name, parts in zip(names, files, strict=True)
        for starred in (False, True)
    }
    rows = [
        [name.replace("*", r"\*"), *(" / ".join(f"{100 * each[key]:.1f}" for each in found) for key in MEASURES)]
        for name, found in scores.items()
    ]
    timed = files[0][-1]
    seconds = measure_times(nlp, read_references(timed, nlp.vocab), rounds)
    speeds = [
        [f"{name} morphologizer and lemmatizer", f"{1e6 * each:.1f}", f"{1 / each:,.0f}"]
        for name, each in seconds.items()
    ]
    accuracy = format_table([f"accuracy, {' / '.join(SPLITS)}", *MEASURES], rows)
    costs = format_table([timed.stem, "microseconds per word", "words per second"], speeds)
    results = {"splits": SPLITS, "accuracy": scores, "seconds_per_word": seconds}
    report(f"{accuracy}\n\n{costs}", results, output, document, "whole_token")


if __name__ == "__main__":
    typer.run(main)
