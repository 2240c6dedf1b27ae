"""Compares quotations in text with a paragraph per line and in the same text wrapped at several widths.

LitBank has no paragraphs, so sentences are put into paragraphs of at least WORDS words here, none of which ends inside
a quotation. The shipped pipeline tags and parses each variant from its words, and the rules find the quotations.
"""

from measure import Document, Output, format_table, percent, report

# isort: split
import textwrap
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.annotation.quotations import QUOTATIONS
from spacy_joint.corpora.litbank import read_litbank

WIDTHS = (60, 72, 80)
WORDS = 60
Run = tuple[int, int]
# Words, or line breaks.
Tokens = list[str]


def find_paragraphs(doc: Doc) -> list[list[str]]:
    """The words of each paragraph."""
    inside = {i for span in doc.spans[QUOTATIONS] for i in range(span.start + 1, span.end)}
    paragraphs: list[list[str]] = [[]]
    for sentence in doc.sents:
        if len(paragraphs[-1]) >= WORDS and sentence.start not in inside:
            paragraphs.append([])
        paragraphs[-1] += [token.text for token in sentence]
    return paragraphs


def lay_out(paragraphs: list[list[str]], width: int | None) -> Tokens:
    """The words with a blank line between paragraphs, whose lines are cut at a width, if one is given."""
    tokens: Tokens = []
    for words in paragraphs:
        text = " ".join(words)
        # Words are cut nowhere, so that they stay tokens of the corpus.
        whole = {"break_long_words": False, "break_on_hyphens": False}
        for line in textwrap.wrap(text, width, **whole) if width else [text]:
            tokens += [*line.split(" "), "\n"]
        tokens[-1] = "\n\n"
    return tokens[:-1]


def find_quotations(nlp: Language, tokens: Tokens) -> tuple[set[Run], set[Run]]:
    """The quotations (first word, end), and those that go over a line end."""
    doc = nlp(Doc(nlp.vocab, words=tokens))
    words = [i for i, token in enumerate(tokens) if not token.isspace()]
    numbers = {token: number for number, token in enumerate(words)}
    broken = {
        (numbers[span.start], numbers[span.end - 1] + 1): "\n" in [token.text for token in span]
        for span in doc.spans[QUOTATIONS]
    }
    return set(broken), {run for run, is_broken in broken.items() if is_broken}


def main(
    corpus: Annotated[Path, typer.Argument(help="Directory of LitBank's quotations.")],
    output: Output = None,
    document: Document = None,
) -> None:
    """Measure all layouts."""
    nlp = spacy_joint.load()
    nlp.add_pipe("quotation_spans")
    novels = list(read_litbank(corpus, nlp.vocab))
    gold = [{(span.start, span.end) for span in doc.spans[QUOTATIONS]} for doc in novels]
    results = {}
    rows = []
    for width in (None, *WIDTHS):
        found = [find_quotations(nlp, lay_out(find_paragraphs(doc), width)) for doc in novels]
        right = sum(len(runs & expected) for (runs, _), expected in zip(found, gold, strict=True))
        precision = right / sum(len(runs) for runs, _ in found)
        recall = right / sum(map(len, gold))
        result = {
            "precision": precision,
            "recall": recall,
            "f": 2 * precision * recall / (precision + recall),
            "over_line_ends": sum(len(broken) for _, broken in found),
        }
        name = f"{width} columns" if width else "a paragraph per line"
        results[name] = result
        scores = [percent(result[score]) for score in ("precision", "recall", "f")]
        rows.append([name, *scores, f"{result['over_line_ends']:,}"])
    table = format_table(["layout", "P", "R", "F1", "quotations over line ends"], rows)
    report(table, results, output, document, "wrapping")


if __name__ == "__main__":
    typer.run(main)
