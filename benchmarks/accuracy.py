"""Measures the accuracy of whole pipelines on a treebank and on its starred variant: tags, boundaries, trees.

Tokens are gold; the pipeline predicts everything else, with its tagger and then its parser. Attachment scores count all
tokens. Works for any pipeline that predicts tags, trees and sentence boundaries.
"""

from measure import find_pipeline, format_table, read_references, write_results

# isort: split
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import spacy
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


def score(nlp: Language, path: Path, *, starred: bool) -> dict[str, float]:
    """Annotate the documents of a file and score the predictions."""
    return score_documents(nlp, read_references(path, nlp.vocab, starred=starred))


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


def main(
    treebank: Annotated[Path, typer.Argument(help="Directory with *-dev.conllu and *-test.conllu.")],
    models: Annotated[list[Path], typer.Argument(parser=find_pipeline, help="Pipelines to compare.")],
    split: Annotated[str, typer.Option(help="dev or test.")] = "dev",
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
) -> None:
    """Score pipelines."""
    path = find_split(treebank, split)
    results: dict[str, dict[str, dict[str, float]]] = {"edited": {}, "starred": {}}
    for model in models:
        nlp = spacy.load(model)
        for text in results:
            results[text][str(model)] = score(nlp, path, starred=text == "starred")
    for text, scores_by_model in results.items():
        rows = [
            [Path(model).name, *(f"{100 * value:.1f}" for value in scores.values())]
            for model, scores in scores_by_model.items()
        ]
        print(f"\n{path.stem}{'*' if text == 'starred' else ''}\n")
        print(format_table(["pipeline", *MEASURES], rows))
    write_results({"file": path.name, **results}, output)


if __name__ == "__main__":
    typer.run(main)
