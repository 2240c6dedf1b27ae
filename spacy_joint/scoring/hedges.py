"""Scores of hedges, i.e. constituents up to a maximum number of words, and of segments.

Constituents are compared as in EVALB with its parameters for the Penn Treebank: punctuation, by the tags of the
reference, is removed first, ADVP equals PRT, and empty constituents and roots do not count. Constituents of the
reference longer than the maximum span are not expected.
"""

from collections.abc import Iterable
from typing import Any

from spacy.scorer import PRFScore
from spacy.training import Example

from ..annotation.constituents import CONSTITUENTS, SEGMENTS, get_constituents
from ..annotation.sentences import list_sentences
from ..trees.transform import find_segments
from .brackets import BracketScores, load_parameters
from .constituents import Places
from .counts import make_factory, report


def score_hedges(examples: Iterable[Example], *, max_span: int, **kwargs: Any) -> dict[str, Any]:
    """Score constituents of up to `max_span` words, and segments. Scores are between 0 and 1.

    - `hedge_p`, `hedge_r`, `hedge_f`: label and extent of constituents, without punctuation.
    - `hedge_per_type`: the same by label.
    - `hedge_exact`: the share of sentences of the reference whose constituents are all correct.
    - `hedge_seg_p`, `hedge_seg_r`, `hedge_seg_f`: extents of segments, with punctuation.

    A score is None if all references or all predictions lack that annotation. Extents are compared by non-whitespace
    characters, so tokens may differ.

    max_span: The maximum number of words of the constituents that count.
    """
    parameters = load_parameters("evalb")
    constituents, segments = BracketScores(), PRFScore()
    for example in examples:
        predicted, reference = example.predicted, example.reference
        if (gold := get_constituents(reference)) is None:
            continue
        words, edges = Places(reference, parameters), Places(predicted, parameters).edges
        hedged = [constituent for constituent in gold if words.fits(words.edges(*constituent[1:]), max_span)]
        if CONSTITUENTS in predicted.spans:
            extents = ((span.label_, [edges(span.start, span.end)]) for span in predicted.spans[CONSTITUENTS])
            found = [(label, extent) for label, extent in extents if words.fits(extent[0], max_span)]
            expected = [(label, [words.edges(start, end)]) for label, start, end in hedged]
            for pair in zip(words.count_brackets(found), words.count_brackets(expected), strict=True):
                constituents.add(*pair)
        if SEGMENTS in predicted.spans:
            sentences = {sentence.start for sentence in list_sentences(reference)}
            segmented = find_segments(hedged, len(reference), sentences)
            expected_segments = {words.edges(start, end) for _, start, end in segmented}
            segments.score_set({edges(span.start, span.end) for span in predicted.spans[SEGMENTS]}, expected_segments)
    scores = {name: score for name, score in constituents.to_dict("hedge").items() if "_disc" not in name}
    return {**scores, "hedge_per_type": scores["hedge_per_type"] or None, **report("hedge_seg", segments)}


# Registered as `spacy_joint.hedge_scorer.v1`. The scored component provides `max_span`.
make_hedge_scorer = make_factory(score_hedges)
