"""Measures what predicted sentence boundaries cost a constituency parser, on a treebank with both kinds of trees.

Whole documents are tagged, split and parsed, with the boundaries of the treebank or of the joint parser; also
lower-cased and without punctuation (*). Brackets are those of EVALB, but compared over whole documents, so a
constituent may be correct even if its sentence is not.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import spacy
import typer
from measure import Output, format_table, percent, read_references, report
from spacy.symbols import PUNCT
from spacy.tokens import Doc, Token
from spacy.training import Example

from spacy_joint.annotation.constituents import set_trees
from spacy_joint.corpora.brackets import clean
from spacy_joint.corpora.constituency_treebanks import read_treebank
from spacy_joint.corpora.examples import make_example
from spacy_joint.corpora.traces import TRACE
from spacy_joint.pipes.components import enable_components
from spacy_joint.scoring.boundaries_and_trees import score_boundaries_and_trees
from spacy_joint.scoring.brackets import load_parameters
from spacy_joint.scoring.constituents import score_constituents
from spacy_joint.training.unpunctuated import unpunctuate
from spacy_joint.trees.constituency_trees import Tree, assemble, flatten

COLUMNS = ("boundary_f", "constituents_p", "constituents_r", "constituents_f", "constituents_exact")


def add_trees(references: list[Doc], path: Path) -> list[list[Tree]]:
    """Add the constituents of the same sentences to documents.

    Returns the trees of each document.
    """
    trees = read_treebank(path)
    added = []
    for reference in references:
        added.append([next(trees) for _ in reference.sents])
        set_trees(reference, added[-1])
    return added


def star(reference: Doc, trees: list[Tree]) -> Doc | None:
    """Make the document without punctuation and capitals, with trees to match; None if nothing is left."""
    starred = unpunctuate(reference)
    if starred is not None:
        tokens = iter(reference)
        set_trees(starred, filter(None, [remove_punctuation(tree, tokens) for tree in trees]))
    return starred


def remove_punctuation(tree: Tree, tokens: Iterator[Token]) -> Tree | None:
    """Remove punctuation from a continuous tree, as if it were traces; None if nothing is left.

    tokens: Those of the document, from the first of the sentence on.
    """
    nodes, parents = flatten(tree)
    for place, node in enumerate(nodes):
        if node.is_preterminal and next(tokens).pos == PUNCT:
            nodes[place] = replace(node, label=TRACE)
    marked = assemble(nodes, parents)
    return None if marked is None else clean(marked)


def main(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser and a constituency_parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file.")],
    brackets: Annotated[Path, typer.Argument(help="Constituents of the same sentences, as .ptb.")],
    output: Output = None,
) -> None:
    """Print boundary F1, precision, recall and F1 of constituents, and the share of sentences without an error."""
    nlp = spacy.load(model)
    enable_components(nlp, "constituency_parser")
    references = read_references(corpus, nlp.vocab)
    trees = add_trees(references, brackets)
    starred = [variant for pair in zip(references, trees, strict=True) if (variant := star(*pair)) is not None]
    results = {}
    for name, docs in ((corpus.stem, references), (f"{corpus.stem}*", starred)):
        for sentences, keep in (("given", ["SENT_START"]), ("found", [])):
            predicted = nlp.pipe([make_example(doc, keep).predicted for doc in docs])
            examples = [Example(doc, reference) for doc, reference in zip(predicted, docs, strict=True)]
            scores = score_boundaries_and_trees(examples) | score_constituents(examples, load_parameters("evalb"))
            results[f"{name}, sentences {sentences}"] = {column: scores[column] for column in COLUMNS}
    rows = [[name, *map(percent, scores.values())] for name, scores in results.items()]
    report(format_table(["", "boundary F1", "P", "R", "F1", "exact"], rows), results, output)


if __name__ == "__main__":
    typer.run(main)
