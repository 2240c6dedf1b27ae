"""Measures what other quotation marks, apostrophes, decomposed letters (NFD) and wrapped lines cost a pipeline on the
raw text of a treebank.

Each document is rewritten as others would type it and annotated. Scores are those of the CoNLL 2018 shared task (Words
and LAS), after the original characters are restored.
"""

from measure import Output, format_table, report

# isort: split
import textwrap
import unicodedata
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc

from spacy_joint.annotation.multiword_tokens import are_joined, join, read_words, set_words
from spacy_joint.scoring.pipelines import read_raw_texts
from spacy_joint.scoring.raw_text import score_raw_text
from spacy_joint.training.rewriting import copy_words, rewrite

WIDTH = 72
SCORES = ("raw_words_f", "raw_sents_f", "raw_las_f")


def write_quotes(text: str, opening: str, closing: str) -> str:
    """Alternate opening and closing marks, and write apostrophes as quotation marks."""
    marks = cycle((opening, closing))
    return "".join(next(marks) if mark == '"' else mark for mark in text).replace("'", "’")


def wrap(text: str) -> str:
    """Cut the lines of paragraphs."""
    whole = {"break_long_words": False, "break_on_hyphens": False}
    return "\n\n".join("\n".join(textwrap.wrap(each, WIDTH, **whole)) for each in text.split("\n\n"))


CHANGES: Mapping[str, Callable[[str], str]] = {
    "unchanged": str,
    "‘’ and “”": lambda text: write_quotes(text, "“", "”"),
    "« »": lambda text: write_quotes(text, "«", "»"),
    '"" for « »': lambda text: text.replace("«", '"').replace("»", '"'),
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "wrapped": wrap,
}


def put_back(doc: Doc, text: str) -> Doc:
    """The document with the characters of the text that was changed."""
    characters = iter("".join(text.split()))
    words = copy_words(doc)
    for place, word in enumerate(words):
        given = unicodedata.normalize("NFC", "".join(word.text.split()))
        words[place] = word._replace(text="".join(next(characters) for _ in given) or word.text)
    copy = rewrite(doc, words)
    for place, its_words in read_words(doc[:]).items():
        set_words(copy[place], its_words)
    for token, is_joined in zip(copy, are_joined(doc[:]), strict=True):
        if is_joined:
            join(token)
    return copy


def main(
    pipeline: Annotated[str, typer.Argument(help="Pipeline trained on the treebank.")],
    corpus: Annotated[Path, typer.Argument(help=".conllu file, composed (NFC).")],
    documents: Annotated[str, typer.Option(help="`--documents` of train-treebank.")] = "10",
    output: Output = None,
) -> None:
    """Measure all changes."""
    nlp = spacy.load(pipeline)
    references = read_raw_texts([corpus], nlp, documents)
    texts = [reference.text for reference in references]
    results = {}
    for name, change in CHANGES.items():
        changed = list(map(change, texts))
        if changed == texts and name != "unchanged":
            continue
        docs = [put_back(doc, text) for doc, text in zip(nlp.pipe(changed), texts, strict=True)]
        results[name] = {score: 100 * value for score, value in score_raw_text(docs, references).items()}
    rows = [[name, *(f"{result[score]:.2f}" for score in SCORES)] for name, result in results.items()]
    report(format_table(["text", "Words", "Sents", "LAS"], rows), results, output)


if __name__ == "__main__":
    typer.run(main)
