"""Measures how well the rules find quotations in novels (LitBank), also if lines are wrapped.

    python benchmarks/novels.py speech LITBANK --document docs/experiments/quotations.md
    python benchmarks/novels.py wrapping LITBANK --document docs/experiments/quotations.md

LitBank annotates direct speech only, in double marks, in single ones, or after dashes. Its text has no paragraphs, so
`speech` does not find dialogue marked by dashes (71 quotations of the first 80 novels, on which the rules were tuned);
only predictions of type DIRECT count. `wrapping` puts sentences into paragraphs of at least WORDS words, none of which
ends inside a quotation: a paragraph per line, and the same text wrapped at several widths. The pipeline tags and parses
each variant from its words.
"""

from measure import Document, Output, format_table, percent, report

# isort: split
import textwrap
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.scorer import PRFScore
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.annotation.quotations import DIRECT, QUOTATIONS
from spacy_joint.corpora.litbank import read_litbank

app = typer.Typer(help=__doc__)
N_SEEN = 80
WIDTHS = (60, 72, 80)
WORDS = 60
Run = tuple[int, int]
Corpus = Annotated[Path, typer.Argument(help="Directory of LitBank's quotations.")]
Model = Annotated[str | None, typer.Option(help="Pipeline that tags and parses. Default: en_joint_english.")]


def load(model: str | None) -> Language:
    """Load a pipeline, with the rules at the end."""
    nlp = spacy_joint.load(model)
    nlp.add_pipe("quotation_spans")
    return nlp


@app.command("speech")
def measure_speech(corpus: Corpus, model: Model = None, output: Output = None, document: Document = None) -> None:
    """Measure the default settings: precision, recall, and recall of quotations in double marks."""
    nlp = load(model)
    novels = list(read_litbank(corpus, nlp.vocab))
    results, rows = {}, []
    for name, part in (("first 80", novels[:N_SEEN]), ("last 20", novels[N_SEEN:])):
        score, of_double = PRFScore(), PRFScore()
        for novel in part:
            doc = nlp(Doc(nlp.vocab, words=[token.text for token in novel]))
            found = {(span.start, span.end) for span in doc.spans[QUOTATIONS] if span.label_ == DIRECT}
            gold = {(span.start, span.end): span.label_ for span in novel.spans[QUOTATIONS]}
            score.score_set(found, set(gold))
            of_double.score_set(found, {run for run, label in gold.items() if label == DIRECT})
        n_gold, n_double = (each.tp + each.fn for each in (score, of_double))
        scores = {"precision": score.precision, "recall": score.recall, "double_recall": of_double.recall}
        results[name] = {**scores, "quotations": n_gold, "in_double_marks": n_double}
        rows.append([name, *map(percent, scores.values()), f"{n_double:,} of {n_gold:,}"])
    table = format_table(["novels", "P", "R", "R, double marks", "in double marks"], rows)
    report(table, results, output, document, "novels")


@app.command("wrapping")
def measure_wrapping(corpus: Corpus, model: Model = None, output: Output = None, document: Document = None) -> None:
    """Compare a paragraph per line with wrapped lines."""
    nlp = load(model)
    novels = list(read_litbank(corpus, nlp.vocab))
    results, rows = {}, []
    for width in (None, *WIDTHS):
        score, n_broken = PRFScore(), 0
        for novel in novels:
            broken = find_quotations(nlp, lay_out(find_paragraphs(novel), width))
            score.score_set(set(broken), {(span.start, span.end) for span in novel.spans[QUOTATIONS]})
            n_broken += sum(broken.values())
        name = f"{width} columns" if width else "a paragraph per line"
        scores = {"precision": score.precision, "recall": score.recall, "f": score.fscore}
        results[name] = {**scores, "over_line_ends": n_broken}
        rows.append([name, *map(percent, scores.values()), f"{n_broken:,}"])
    table = format_table(["layout", "P", "R", "F1", "quotations over line ends"], rows)
    report(table, results, output, document, "wrapping")


def find_paragraphs(doc: Doc) -> list[list[str]]:
    """The words of each paragraph."""
    inside = {i for span in doc.spans[QUOTATIONS] for i in range(span.start + 1, span.end)}
    paragraphs: list[list[str]] = [[]]
    for sentence in doc.sents:
        if len(paragraphs[-1]) >= WORDS and sentence.start not in inside:
            paragraphs.append([])
        paragraphs[-1] += [token.text for token in sentence]
    return paragraphs


def lay_out(paragraphs: list[list[str]], width: int | None) -> list[str]:
    """The words with a blank line between paragraphs, whose lines are cut at a width, if one is given."""
    tokens: list[str] = []
    for words in paragraphs:
        text = " ".join(words)
        # Words are cut nowhere, so that they stay tokens of the corpus.
        whole = {"break_long_words": False, "break_on_hyphens": False}
        for line in textwrap.wrap(text, width, **whole) if width else [text]:
            tokens += [*line.split(" "), "\n"]
        tokens[-1] = "\n\n"
    return tokens[:-1]


def find_quotations(nlp: Language, tokens: list[str]) -> dict[Run, bool]:
    """The quotations (first word, end), and whether they go over a line end."""
    doc = nlp(Doc(nlp.vocab, words=tokens))
    words = [i for i, token in enumerate(tokens) if not token.isspace()]
    numbers = {token: number for number, token in enumerate(words)}
    return {
        (numbers[span.start], numbers[span.end - 1] + 1): "\n" in [token.text for token in span]
        for span in doc.spans[QUOTATIONS]
    }


if __name__ == "__main__":
    app()
