"""Shared by benchmarks: the accuracy of pipelines that predict tags, trees and sentence boundaries of gold tokens.

Attachment scores count all tokens.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_joint.corpora.examples import make_example
from spacy_joint.scoring.boundaries_and_trees import score_boundaries_and_trees
from spacy_joint.scoring.tags import score_tags

MEASURES = {"tag acc.": "tag_acc", "boundary F1": "boundary_f", "UAS": "dep_uas_punct", "LAS": "dep_las_punct"}


def find_split(treebank: Path, split: str) -> Path:
    """The path of one split of a treebank."""
    found = sorted(treebank.glob(f"*-{split}.conllu"))
    if len(found) != 1:
        raise typer.BadParameter(f"{treebank} has {len(found)} files *-{split}.conllu, not one.")
    return found[0]


def score_documents(nlp: Language, references: list[Doc]) -> dict[str, float]:
    """Annotate the tokens of documents, which share the pipeline's vocabulary, and score the predictions."""
    scores = score_all(nlp.pipe, references)
    return {name: scores[key] for name, key in MEASURES.items()}


def score_all(annotate: Callable[[list[Doc]], Iterable[Doc]], references: list[Doc]) -> dict[str, Any]:
    """Score the tags, boundaries and trees of any function that annotates the tokens of documents."""
    examples = [make_example(reference) for reference in references]
    predicted = annotate([example.predicted for example in examples])
    examples = [Example(doc, example.reference) for doc, example in zip(predicted, examples, strict=True)]
    return {**score_tags(examples), **score_boundaries_and_trees(examples)}
