"""Scores of quotations and cues: strict and partial, by type, and the recall of boundaries near to and far from cues.

The measures are those of Scheible, Klinger & Pado (ACL 2016): counts are summed over documents before dividing.
Quotations are compared as runs of tokens; their types and links are ignored. Significance tests are in significance.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..annotation.quotations import CUES, QUOTATIONS, TYPES

ALL = "all"
Run = tuple[int, int]


class Counts:
    """The counts behind precision and recall, for one document or summed over many.

    hits_p, n_p: How many predictions are correct (fractional if partial), and how many there are.
    hits_r, n_r: The same for gold annotation.
    """

    def __init__(self, hits_p: float = 0, n_p: float = 0, hits_r: float = 0, n_r: float = 0) -> None:
        self.values = np.array([hits_p, n_p, hits_r, n_r], dtype=np.float64)

    def add(self, other: Counts) -> None:
        """Add the counts of another document."""
        self.values += other.values

    @property
    def precision(self) -> float:
        """The precision; 1 if nothing was predicted."""
        return float(self.values[0] / self.values[1]) if self.values[1] else 1.0

    @property
    def recall(self) -> float:
        """The recall; 1 if there is nothing to find."""
        return float(self.values[2] / self.values[3]) if self.values[3] else 1.0

    @property
    def f_score(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def make_quotation_scorer() -> Callable[..., dict[str, Any]]:
    """Make the scorer, registered as `spacy_joint.quotation_scorer.v1`. The scored component supplies the keys."""
    return score_quotations


def score_quotations(
    examples: Iterable[Example], *, spans_key: str = QUOTATIONS, cues_key: str = CUES, **kwargs: Any
) -> dict[str, Any]:
    """Score quotations and cues. Scores are between 0 and 1, or None if no reference has quotations.

    - `quotation_p`, `quotation_r`, `quotation_f`: exact runs of tokens.
    - `quotation_partial_p`, ..: the covered share of their tokens.
    - `quotation_per_type`: for DIRECT, INDIRECT and MIXED, `p`, `r`, `f` and `partial_p`, `partial_r`, `partial_f`.
    - `quotation_cue_p`, ..: head tokens of cues.
    - `quotation_near_r`, `quotation_far_r`: the recall of the boundaries of gold quotations that are nearer to, and
      farther from, their cue; a boundary of any predicted quotation counts.

    spans_key, cues_key: The keys in `doc.spans`, on both sides of the examples.
    kwargs: Not used; spaCy passes all settings of the component.
    """
    strict = {name: Counts() for name in (ALL, *TYPES)}
    partial = {name: Counts() for name in (ALL, *TYPES)}
    cues, near, far = Counts(), Counts(), Counts()
    annotated = False
    for example in examples:
        if spans_key not in example.reference.spans:
            continue
        annotated = True
        gold, predicted = get_runs(example.reference, spans_key), get_runs(example.predicted, spans_key)
        for name in strict:
            strict[name].add(count_strict(gold, predicted, name))
            partial[name].add(count_partial(gold, predicted, name))
        if cues_key in example.reference.spans:
            gold_cues, predicted_cues = get_heads(example.reference, cues_key), get_heads(example.predicted, cues_key)
            right = len(gold_cues & predicted_cues)
            cues.add(Counts(right, len(predicted_cues), right, len(gold_cues)))
            for counts, found in zip((near, far), count_boundaries(example, spans_key, cues_key), strict=True):
                counts.add(found)
    names = ("quotation", "quotation_partial", "quotation_cue")
    scores: dict[str, Any] = {}
    for name, counts in zip(names, (strict[ALL], partial[ALL], cues), strict=True):
        for measure, value in zip("prf", (counts.precision, counts.recall, counts.f_score), strict=True):
            scores[f"{name}_{measure}"] = value
    scores["quotation_near_r"], scores["quotation_far_r"] = near.recall, far.recall
    scores["quotation_per_type"] = {
        name: {
            **dict(zip("prf", (strict[name].precision, strict[name].recall, strict[name].f_score), strict=True)),
            "partial_p": partial[name].precision,
            "partial_r": partial[name].recall,
            "partial_f": partial[name].f_score,
        }
        for name in TYPES
    }
    return scores if annotated else dict.fromkeys(scores)


def get_runs(doc: Doc, key: str) -> dict[Run, str]:
    """The runs of words (begin, end) of a group of spans, not counting whitespace, with their types."""
    numbers = _number_words(doc)
    return {(numbers[span.start], numbers[span.end]): span.label_ for span in _get_spans(doc, key)}


def get_heads(doc: Doc, key: str) -> set[int]:
    """The head words of a group of spans: the roots of their trees, or, without trees, their first words."""
    numbers = _number_words(doc)
    parsed = doc.has_annotation("DEP")
    return {numbers[span.root.i if parsed else span.start] for span in _get_spans(doc, key)}


def count_strict(gold: dict[Run, str], predicted: dict[Run, str], kind: str = ALL) -> Counts:
    """Count spans of a type that are spans of any type on the other side."""
    chosen_p, chosen_r = _choose(predicted, kind), _choose(gold, kind)
    return Counts(
        sum(run in gold for run in chosen_p), len(chosen_p), sum(run in predicted for run in chosen_r), len(chosen_r)
    )


def count_partial(gold: dict[Run, str], predicted: dict[Run, str], kind: str = ALL) -> Counts:
    """Count spans of a type by the share of their tokens inside spans of the other side."""
    chosen_p, chosen_r = _choose(predicted, kind), _choose(gold, kind)
    return Counts(_cover(chosen_p, list(gold)), len(chosen_p), _cover(chosen_r, list(predicted)), len(chosen_r))


def count_boundaries(example: Example, key: str, cues_key: str) -> tuple[Counts, Counts]:
    """Count the boundaries of gold quotations near to and far from their cue that some predicted quotation shares."""
    numbers = _number_words(example.reference)
    predicted = get_runs(example.predicted, key)
    begins, ends = {begin for begin, _ in predicted}, {end for _, end in predicted}
    cues = {span.id_: numbers[span.start] for span in _get_spans(example.reference, cues_key) if span.id_}
    near, far = Counts(), Counts()
    for span in _get_spans(example.reference, key):
        cue = cues.get(span.id_)
        if cue is not None:
            begin, end = numbers[span.start], numbers[span.end]
            found = [begin in begins, end in ends]
            if abs(cue - begin) > abs(cue - (end - 1)):
                found.reverse()
            near.add(Counts(0, 0, found[0], 1))
            far.add(Counts(0, 0, found[1], 1))
    return near, far


def _get_spans(doc: Doc, key: str) -> Sequence[Span]:
    return list(doc.spans[key]) if key in doc.spans else []


def _number_words(doc: Doc) -> list[int]:
    """For each token and the end of the document, the number of preceding words, since whitespace may differ."""
    return [0, *np.cumsum([not token.text.isspace() for token in doc]).tolist()] if len(doc) else [0]


def _choose(runs: dict[Run, str], kind: str) -> list[Run]:
    return [run for run, label in runs.items() if kind in (ALL, label)]


def _cover(runs: Sequence[Run], others: Sequence[Run]) -> float:
    total = 0.0
    for begin, end in runs:
        covered = sum(max(0, min(end, other_end) - max(begin, other_begin)) for other_begin, other_end in others)
        total += min(1.0, covered / (end - begin))
    return total
