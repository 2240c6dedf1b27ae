"""`word-classes`: learn word classes from text, and write them to a file for configs."""

from pathlib import Path
from typing import Annotated

import spacy
import typer

from ...errors import require_packages
from ..options import SeedOption


def word_classes(
    texts: Annotated[list[Path], typer.Argument(help=".txt (UTF-8), .conllu or .spacy files.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output msgpack file.", dir_okay=False)],
    min_count: Annotated[int, typer.Option(min=1, help="Minimum occurrences of a word.")] = 3,
    language: Annotated[str, typer.Option(help="Language of the tokenizer for .txt files.")] = "en",
    seed: SeedOption = 0,
) -> None:
    """Learn word classes from plain text and treebanks.

    They are features of all components. Annotation is ignored. The paragraphs of .txt files are separated by blank
    lines.
    """
    require_packages("train", "scipy")
    from ...training.word_classes import learn_classes

    learn_classes(texts, output, spacy.blank(language), min_count=min_count, seed=seed)
