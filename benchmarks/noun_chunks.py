"""Measures `noun_chunks` against gold phrases.

Where there are gold constituents, their base noun phrases are the reference: each NP or WHNP that contains no other,
except for possessors, which belong to the phrase. Otherwise, the chunks of gold trees are.
"""

from itertools import accumulate
from pathlib import Path
from typing import Annotated

import spacy
import typer
from constituent_boundaries import add_trees
from measure import Output, format_table, percent, read_references, report
from spacy.scorer import PRFScore
from spacy.symbols import PUNCT
from spacy.tokens import Doc

from spacy_joint.annotation.noun_chunks import find_base_phrases
from spacy_joint.corpora.examples import make_example
from spacy_joint.parsing.noun_chunks import noun_chunks
from spacy_joint.pipes.components import enable_components

Extents = set[tuple[int, int]]
CONSTITUENCY_PARSER = "constituency_parser"


def list_chunks(doc: Doc) -> Extents:
    """The extents of noun chunks."""
    return {(start, end) for start, end, _ in noun_chunks(doc)}


def renumber(phrases: Extents, references: Doc) -> Extents:
    """The extents of phrases in the document without its punctuation."""
    places = [0, *accumulate(token.pos != PUNCT for token in references)]
    return {(places[start], places[end]) for start, end in phrases if places[start] < places[end]}


def main(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file, English.")],
    brackets: Annotated[Path | None, typer.Option(help="Constituents of the same sentences, as .ptb.")] = None,
    output: Output = None,
) -> None:
    """Precision, recall and F1 of the noun chunks of Universal Dependencies trees; punctuation does not count.

    If the pipeline has a constituency_parser, also of its base noun phrases.
    """
    nlp = spacy.load(model)
    enable_components(nlp, CONSTITUENCY_PARSER)
    references = read_references(corpus, nlp.vocab)
    if brackets is not None:
        add_trees(references, brackets)
    # Documents of punctuation only have no starred variant.
    edited = [doc for doc in references if any(token.pos != PUNCT for token in doc)]
    starred = read_references(corpus, nlp.vocab, starred=True)
    gold = [renumber(list_chunks(doc) if brackets is None else set(find_base_phrases(doc)), doc) for doc in edited]
    predicted, predicted_starred = (
        list(nlp.pipe(make_example(reference).predicted for reference in docs)) for docs in (edited, starred)
    )
    found = {
        "gold trees": [renumber(list_chunks(doc), doc) for doc in edited],
        "predicted trees": [
            renumber(list_chunks(doc), reference) for doc, reference in zip(predicted, edited, strict=True)
        ],
        "gold trees, *": list(map(list_chunks, starred)),
        "predicted trees, *": list(map(list_chunks, predicted_starred)),
    }
    if CONSTITUENCY_PARSER in nlp.pipe_factories.values():
        found["predicted constituents"] = [
            renumber(set(find_base_phrases(doc)), reference) for doc, reference in zip(predicted, edited, strict=True)
        ]
        found["predicted constituents, *"] = [set(find_base_phrases(doc)) for doc in predicted_starred]
    results = {}
    for name, documents in found.items():
        score = PRFScore()
        for chunks, right in zip(documents, gold, strict=True):
            score.score_set(chunks, right)
        results[name] = score.to_dict()
    rows = [[name, *map(percent, score.values())] for name, score in results.items()]
    report(format_table([corpus.stem, "P", "R", "F1"], rows), results, output)


if __name__ == "__main__":
    typer.run(main)
