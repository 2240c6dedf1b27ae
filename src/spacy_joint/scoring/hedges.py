"""Scores of hedges, i.e. constituents up to a maximum number of words, and of segments.

Constituents are compared as by EVALB with its parameters for the Penn Treebank: punctuation, according to the tags of
the reference, is removed first, ADVP equals PRT, and empty constituents do not count. Roots of sentences are not
constituents here. The reference is first hedged at the same maximum span, so longer constituents are not expected.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from spacy.scorer import PRFScore
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..annotation.constituents import CONSTITUENTS, SEGMENTS, get_constituents
from ..constituency.transform import find_segments

PUNCTUATION = (",", ".", ":", "``", "''")
SAME_LABELS = {"PRT": "ADVP"}


def make_hedge_scorer() -> Callable[..., dict[str, Any]]:
    """Make the scorer, registered as `spacy_joint.hedge_scorer.v1`. The scored component supplies `max_span`."""
    return score_hedges


def score_hedges(examples: Iterable[Example], *, max_span: int, **kwargs: Any) -> dict[str, Any]:
    """Score constituents of up to `max_span` words, and segments. Scores are between 0 and 1.

    - `hedge_p`, `hedge_r`, `hedge_f`: label and extent of constituents, without punctuation.
    - `hedge_per_type`: the same by label.
    - `hedge_exact`: the share of sentences of the reference whose constituents are all correct.
    - `hedge_seg_p`, `hedge_seg_r`, `hedge_seg_f`: extents of segments, with punctuation.

    A score is None if all references or all predictions lack that annotation. Extents are compared by non-whitespace
    characters, so tokens may differ.

    examples: The predicted and the reference documents.
    max_span: The maximum number of words of the constituents that count.
    kwargs: Not used; spaCy passes all settings of the component.
    """
    constituents, segments = PRFScore(), PRFScore()
    by_label: dict[str, PRFScore] = {}
    exact = sentences = 0
    has_constituents = has_segments = False
    for example in examples:
        predicted, reference = example.predicted, example.reference
        gold = get_constituents(reference)
        if gold is None:
            continue
        words = _Places(reference)
        hedged = [constituent for constituent in gold if words.count(constituent[1], constituent[2]) <= max_span]
        if CONSTITUENTS in predicted.spans:
            has_constituents = True
            expected = _collect(((label, *words.edges(start, end)) for label, start, end in hedged), words.kept)
            edges = _Places(predicted).edges
            found = _collect(
                (
                    (span.label_, *edges(span.start, span.end))
                    for span in predicted.spans[CONSTITUENTS]
                    if words.fits(edges(span.start, span.end), max_span)
                ),
                words.kept,
            )
            _add(constituents, found, expected)
            for label in {bracket[0] for bracket in found | expected}:
                _add(by_label.setdefault(label, PRFScore()), _select(found, label), _select(expected, label))
            wrong = {bracket[1] for bracket in (found - expected) + (expected - found)}
            for sentence in _find_sentences(reference):
                first, last = (int(words.kept[edge]) for edge in words.edges(sentence.start, sentence.end))
                sentences += 1
                exact += not any(first <= start < last for start in wrong)
        if SEGMENTS in predicted.spans:
            has_segments = True
            starts = {sentence.start for sentence in _find_sentences(reference)}
            segmented = find_segments(hedged, len(reference), starts)
            expected_segments = {words.edges(start, end) for _, start, end in segmented}
            edges = _Places(predicted).edges
            segments.score_set({edges(span.start, span.end) for span in predicted.spans[SEGMENTS]}, expected_segments)
    per_type = {label: score.to_dict() for label, score in sorted(by_label.items())}
    return {
        **_report("hedge", constituents if has_constituents else None),
        "hedge_per_type": per_type if has_constituents else None,
        "hedge_exact": exact / sentences if has_constituents and sentences else None,
        **_report("hedge_seg", segments if has_segments else None),
    }


class _Places:
    """The positions of the tokens of a document, in non-whitespace characters.

    kept (np.ndarray): The number of characters before each character that do not belong to punctuation.
    """

    def __init__(self, doc: Doc) -> None:
        lengths = [0 if token.text.isspace() else len("".join(token.text.split())) for token in doc]
        self.before = np.concatenate([[0], np.cumsum(lengths)]).astype(int).tolist()
        self.words_before = np.concatenate([[0], np.cumsum([length > 0 for length in lengths])]).astype(int)
        is_kept = np.repeat([token.tag_ not in PUNCTUATION for token in doc], lengths)
        self.kept = np.concatenate([[0], np.cumsum(is_kept)]).astype(int)

    def edges(self, start: int, end: int) -> tuple[int, int]:
        """The positions at which the first token starts and the last one ends."""
        return self.before[start], self.before[end]

    def count(self, start: int, end: int) -> int:
        """The number of non-whitespace tokens in a range."""
        return int(self.words_before[end] - self.words_before[start])

    def fits(self, edges: tuple[int, int], max_span: int) -> bool:
        """Whether a range of characters has at most `max_span` tokens."""
        first, last = np.searchsorted(self.before, edges)
        return self.count(int(first), int(last)) <= max_span


def _collect(constituents: Iterable[tuple[str, int, int]], kept: np.ndarray) -> Counter[tuple[str, int, int]]:
    """Count the constituents, with their extents reduced to non-punctuation."""
    collected: Counter[tuple[str, int, int]] = Counter()
    for label, start, end in constituents:
        if kept[start] < kept[end]:
            collected[SAME_LABELS.get(label, label), int(kept[start]), int(kept[end])] += 1
    return collected


def _select(brackets: Counter[tuple[str, int, int]], label: str) -> Counter[tuple[str, int, int]]:
    return Counter({bracket: count for bracket, count in brackets.items() if bracket[0] == label})


def _add(score: PRFScore, found: Counter[tuple[str, int, int]], expected: Counter[tuple[str, int, int]]) -> None:
    right = (found & expected).total()
    score.tp += right
    score.fp += found.total() - right
    score.fn += expected.total() - right


def _find_sentences(doc: Doc) -> Iterator[Span]:
    """The sentences of a document, which is a single one if it has no boundaries."""
    yield from doc.sents if doc.has_annotation("SENT_START") else [doc[:]]


def _report(name: str, score: PRFScore | None) -> dict[str, float | None]:
    if score is None or not len(score):
        return {f"{name}_p": None, f"{name}_r": None, f"{name}_f": None}
    return {f"{name}_p": score.precision, f"{name}_r": score.recall, f"{name}_f": score.fscore}
