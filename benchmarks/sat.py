"""Measures boundaries of unpunctuated text by the protocol of SaT (Frohmann et al. 2024), beside its published figures.

    python benchmarks/sat.py GUM/en_gum-ud-test.conllu PIPELINE...

Sentences are tokenised by Moses' rules, lose the tokens that are single punctuation characters, are detokenised and
lower-cased. Those of all documents are joined by spaces into one stream, in which boundaries are places between
characters. Every tenth boundary and the end of the stream are not scored. Unlike in the other benchmarks, nothing says
where documents begin, and tokens are predicted.
"""

import string
import unicodedata
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Annotated

import typer
from measure import format_table
from sacremoses import MosesDetokenizer, MosesTokenizer

import spacy_joint
from spacy_joint.scoring.quotations import Counts

# One in so many boundaries is not scored.
LEFT_OUT = 10
TEXT = "# text = "


def read_sentences(path: Path) -> list[str]:
    """The sentences of a CoNLL-U file as they are scored, without those of which nothing is left."""
    tokenizer, detokenizer = MosesTokenizer("en"), MosesDetokenizer("en")
    sentences = []
    with path.open(encoding="utf8") as file:
        for line in file:
            if line.startswith(TEXT):
                text = unicodedata.normalize("NFKC", line.removeprefix(TEXT).strip()).removeprefix("-").strip()
                words = [word for word in tokenizer.tokenize(text, escape=False) if not is_punctuation(word)]
                sentences.append(detokenizer.detokenize(words, unescape=False).lower())
    return list(filter(None, sentences))


def is_punctuation(word: str) -> bool:
    """Whether a token is a single punctuation character."""
    return len(word) == 1 and (word in string.punctuation or unicodedata.category(word).startswith("P"))


def find_starts(sentences: Iterable[str]) -> list[int]:
    """The characters of the stream at which sentences start, without the first one, and the end of the stream."""
    return list(accumulate(len(sentence) + 1 for sentence in sentences))


def count(right: list[int], found: set[int]) -> Counts:
    """Counts the boundaries that are scored."""
    left_out = {*right[LEFT_OUT - 1 :: LEFT_OUT], right[-1]}
    scored, found = set(right) - left_out, found - left_out
    return Counts(len(scored & found), len(found), len(scored & found), len(scored))


def main(
    treebank: Annotated[Path, typer.Argument(help="CoNLL-U file.")],
    pipelines: Annotated[list[str], typer.Argument(help="Paths or packages of pipelines.")],
) -> None:
    """Print a table."""
    sentences = read_sentences(treebank)
    right = find_starts(sentences)
    rows = []
    for pipeline in pipelines:
        doc = spacy_joint.load(pipeline)(" ".join(sentences))
        counts = count(right, {sentence.start_char for sentence in doc.sents} - {0})
        values = counts.precision, counts.recall, counts.f_score
        rows.append([pipeline, *(f"{100 * value:.1f}" for value in values)])
    typer.echo(format_table(["pipeline", "P", "R", "F1"], rows))


if __name__ == "__main__":
    typer.run(main)
