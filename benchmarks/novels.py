"""Measures how well the rules find direct speech in novels (LitBank), in double marks, in single ones, or after dashes.

LitBank annotates direct speech only, so only predictions of type DIRECT count. Its text has no paragraphs, so dialogue
marked by dashes (71 quotations of the first 80 novels) is not found. The rules were tuned on the first 80 novels.
"""

from measure import Document, Output, format_table, percent, report

# isort: split
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.annotation.quotations import DIRECT, QUOTATIONS
from spacy_joint.corpora.litbank import read_litbank

N_SEEN = 80


def score(novels: list[Doc], found: list[Doc]) -> dict[str, float]:
    """The precision and recall of direct quotations, and the recall of those in double marks."""
    counts = dict.fromkeys(("direct", "right", "gold", "double", "double found"), 0)
    for doc, predicted in zip(novels, found, strict=True):
        gold = {(span.start, span.end): span.label_ for span in doc.spans[QUOTATIONS]}
        direct = {(span.start, span.end) for span in predicted.spans[QUOTATIONS] if span.label_ == DIRECT}
        double = {run for run, label in gold.items() if label == DIRECT}
        counts["direct"] += len(direct)
        counts["right"] += len(direct & gold.keys())
        counts["gold"] += len(gold)
        counts["double"] += len(double)
        counts["double found"] += len(direct & double)
    return {
        "precision": counts["right"] / counts["direct"],
        "recall": counts["right"] / counts["gold"],
        "double_recall": counts["double found"] / counts["double"],
        "quotations": counts["gold"],
        "in_double_marks": counts["double"],
    }


def main(
    corpus: Annotated[Path, typer.Argument(help="Directory of LitBank's quotations.")],
    model: Annotated[str | None, typer.Option(help="Pipeline that tags and parses. Default: en_joint_english.")] = None,
    output: Output = None,
    document: Document = None,
) -> None:
    """Measure the default settings."""
    nlp = spacy_joint.load(model)
    novels = list(read_litbank(corpus, nlp.vocab))
    rules = nlp.create_pipe("quotation_spans")
    found = [rules(nlp(Doc(nlp.vocab, words=[token.text for token in doc]))) for doc in novels]
    results: dict[str, Any] = {}
    rows = []
    for name, part in (("first 80", slice(N_SEEN)), ("last 20", slice(N_SEEN, None))):
        result = results[name] = score(novels[part], found[part])
        values = [percent(result[measure]) for measure in ("precision", "recall", "double_recall")]
        rows.append([name, *values, f"{result['in_double_marks']:,} of {result['quotations']:,}"])
    table = format_table(["novels", "P", "R", "R, double marks", "in double marks"], rows)
    report(table, results, output, document, "novels")


if __name__ == "__main__":
    typer.run(main)
