"""Scores of the constituents of documents, continuous or discontinuous: see brackets.py.

Roots of sentences are not constituents here. The predicted document may have other tokens than the reference.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.constituents import CONSTITUENTS, group_blocks
from ..annotation.sentences import list_places, list_sentences
from ..trees.constituency_trees import Block
from .brackets import Bracket, BracketScores, Parameters, count_brackets, load_parameters


def make_constituent_scorer(parameters: str = "proper") -> Callable[..., dict[str, Any]]:
    """Make the scorer, registered as `spacy_joint.constituent_scorer.v1`. For `parameters`, what counts, see
    `load_parameters`."""
    # Not a local function: components are pickled with their scorer.
    return partial(score_constituents, parameters=load_parameters(parameters))


def score_constituents(
    examples: Iterable[Example], parameters: Parameters | None = None, **kwargs: Any
) -> dict[str, Any]:
    """Score the constituents of documents. Scores are between 0 and 1.

    - `constituents_p`, `constituents_r`, `constituents_f`: labelled brackets; `constituents_per_type`: by label.
    - `constituents_exact`: the share of sentences of the reference whose brackets are all correct.
    - `constituents_disc_p`, ...: the same for discontinuous constituents. Sentences without any, predicted or in the
      reference, do not count for `constituents_disc_exact`.

    All are None if no reference or no predicted document has constituents, or if there is nothing to score.

    parameters (Parameters | None): What counts; by default, as in disco-dop ("proper").
    """
    parameters = load_parameters("proper") if parameters is None else parameters
    scores = BracketScores()
    for example in examples:
        for found, expected in compare_sentences(example, parameters):
            scores.add(found, expected)
    return scores.to_dict(CONSTITUENTS)


def compare_sentences(example: Example, parameters: Parameters) -> Iterator[tuple[Counter[Bracket], Counter[Bracket]]]:
    """Yield the predicted and expected brackets of each sentence of the reference, if both sides have constituents."""
    predicted, reference = example.predicted, example.reference
    if CONSTITUENTS not in predicted.spans or CONSTITUENTS not in reference.spans:
        return
    places = Places(reference, parameters)
    sides = (places.count_brackets(_list_constituents(doc, parameters)) for doc in (predicted, reference))
    yield from zip(*sides, strict=True)


def _list_constituents(doc: Doc, parameters: Parameters) -> Iterator[tuple[str, list[Block]]]:
    spans, places = list(doc.spans[CONSTITUENTS]), Places(doc, parameters)
    for group in group_blocks(doc):
        yield spans[group[0]].label_, [places.edges(spans[place].start, spans[place].end) for place in group]


class Places:
    """The positions of the tokens of a document, in non-whitespace characters.

    before: The position at which each token starts, and the end.
    kept: For each character, the number of characters before it that belong to words that count.
    """

    def __init__(self, doc: Doc, parameters: Parameters) -> None:
        self.doc, self.parameters = doc, parameters
        self.before = list_places(doc)
        lengths = np.diff(self.before)
        self.words_before = np.concatenate([[0], np.cumsum(lengths > 0)])
        is_kept = np.repeat([parameters.keeps(token.tag_, token.text) for token in doc], lengths)
        self.kept = np.concatenate([[0], np.cumsum(is_kept)]).astype(int)

    def edges(self, start: int, end: int) -> tuple[int, int]:
        """Return the positions at which the first token starts and the last one ends."""
        return self.before[start], self.before[end]

    def count_brackets(self, constituents: Iterable[tuple[str, Sequence[Block]]]) -> list[Counter[Bracket]]:
        """Count the brackets of constituents, whose edges are positions, by the sentence in which they begin."""
        starts = self.kept[[self.before[sentence.start] for sentence in list_sentences(self.doc)]]
        counted: list[Counter[Bracket]] = [Counter() for _ in starts]
        for bracket, n in count_brackets(constituents, self.kept, self.parameters).items():
            place = int(np.searchsorted(starts, bracket[1][0][0], side="right")) - 1
            counted[place][bracket] = n
        return counted

    def fits(self, edges: tuple[int, int], max_span: int) -> bool:
        """Return whether a range of characters has at most `max_span` tokens that are not whitespace."""
        first, last = self.words_before[np.searchsorted(self.before, edges)]
        return bool(last - first <= max_span)
