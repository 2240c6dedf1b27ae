"""Scores of quotations and cues: strict and partial, by type, and the recall of boundaries near and far from cues.

The measures are those of Scheible, Klinger & Pado (ACL 2016). Counts are summed over documents before dividing.
Quotations are compared as runs of words of the reference; their types and links are ignored. The predicted document may
have other tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.quotations import CUES, QUOTATIONS, TYPES, find_heads
from ..annotation.sentences import list_places
from .counts import make_factory

ALL = "all"
# The number of words of the reference before a run and before its end, with the share of a word that is divided.
Run = tuple[float, float]


class Counts:
    """The numbers of correct (fractional if partial) and of all predictions, and the same for gold annotation."""

    def __init__(self, hits_p: float = 0, n_p: float = 0, hits_r: float = 0, n_r: float = 0) -> None:
        self.values = np.array([hits_p, n_p, hits_r, n_r], dtype=np.float64)

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(self.values + other.values))

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

    def report(self, name: str = "") -> dict[str, float]:
        """Precision, recall and F1 as NAMEp, NAMEr and NAMEf."""
        return {f"{name}p": self.precision, f"{name}r": self.recall, f"{name}f": self.f_score}


def score_quotations(
    examples: Iterable[Example], *, spans_key: str = QUOTATIONS, cues_key: str = CUES, **kwargs: Any
) -> dict[str, Any]:
    """Score quotations and cues. Scores are between 0 and 1, or None if no reference has quotations.

    - `quotation_p`, `quotation_r`, `quotation_f`: exact runs of tokens.
    - `quotation_partial_p`, ..: the covered share of their tokens.
    - `quotation_per_type`: for DIRECT, INDIRECT and MIXED, `p`, `r`, `f` and `partial_p`, `partial_r`, `partial_f`.
    - `quotation_cue_p`, ..: head tokens of cues.
    - `quotation_near_r`, `quotation_far_r`: the recall of the nearer and the farther boundary of gold quotations from
      their cue; a boundary of any predicted quotation counts.

    spans_key, cues_key: The keys in `doc.spans`, on both sides of the examples.
    """
    strict, partial = ({name: Counts() for name in (ALL, *TYPES)} for _ in range(2))
    cues = Counts()
    boundaries: list[list[bool]] = []
    annotated = False
    for example in examples:
        if spans_key not in example.reference.spans:
            continue
        annotated = True
        gold, predicted = get_runs(example, spans_key)
        for name in strict:
            strict[name] += count_runs(gold, predicted, name)
            partial[name] += count_runs(gold, predicted, name, partial=True)
        if cues_key in example.reference.spans:
            # Words that are heads of cues, or have them: see `find_heads`.
            gold_cues, predicted_cues = (
                {int(numbers[head]) for head in find_heads(doc, cues_key)} for doc, numbers in _number_words(example)
            )
            correct = len(gold_cues & predicted_cues)
            cues += Counts(correct, len(predicted_cues), correct, len(gold_cues))
            boundaries += find_boundaries(example, spans_key, cues_key)
    near, far = np.mean(boundaries, axis=0).tolist() if boundaries else (1.0, 1.0)
    scores = {
        **strict[ALL].report("quotation_"),
        **partial[ALL].report("quotation_partial_"),
        **cues.report("quotation_cue_"),
        "quotation_near_r": near,
        "quotation_far_r": far,
        "quotation_per_type": {name: {**strict[name].report(), **partial[name].report("partial_")} for name in TYPES},
    }
    return scores if annotated else dict.fromkeys(scores)


# Registered as `spacy_joint.quotation_scorer.v1`. The scored component provides the keys.
make_quotation_scorer = make_factory(score_quotations)


def get_runs(example: Example, key: str) -> list[dict[Run, str]]:
    """Get the runs of a group of spans, with their types: those of the reference, and those that are predicted."""
    return [
        {
            (begin, end): span.label_
            for span in doc.spans.get(key, ())
            if (begin := numbers[span.start]) < (end := numbers[span.end])
        }
        for doc, numbers in _number_words(example)
    ]


def count_runs(gold: dict[Run, str], predicted: dict[Run, str], kind: str, *, partial: bool = False) -> Counts:
    """Count runs of a type that are runs of any type on the other side; or, if `partial`, their shares inside them."""

    def match(runs: list[Run], others: dict[Run, str]) -> float:
        return _cover(runs, others) if partial else len(others.keys() & runs)

    chosen_p, chosen_r = ([run for run, label in runs.items() if kind in (ALL, label)] for runs in (predicted, gold))
    return Counts(match(chosen_p, gold), len(chosen_p), match(chosen_r, predicted), len(chosen_r))


def _cover(runs: Iterable[Run], others: Iterable[Run]) -> float:
    total = 0.0
    for begin, end in runs:
        covered = sum(max(0, min(end, other_end) - max(begin, other_begin)) for other_begin, other_end in others)
        total += min(1.0, covered / (end - begin))
    return total


def find_boundaries(example: Example, key: str, cues_key: str) -> Iterator[list[bool]]:
    """Yield, for each gold quotation with a cue, whether a predicted one shares its boundary near the cue and far."""
    (_, numbers), _ = _number_words(example)
    predicted = get_runs(example, key)[1]
    begins, ends = {begin for begin, _ in predicted}, {end for _, end in predicted}
    cues = {span.id_: numbers[span.start] for span in example.reference.spans.get(cues_key, ()) if span.id_}
    for span in example.reference.spans.get(key, ()):
        begin, end = numbers[span.start], numbers[span.end]
        if begin < end and (cue := cues.get(span.id_)) is not None:
            found = [begin in begins, end in ends]
            if abs(cue - begin) > abs(cue - (end - 1)):
                found.reverse()
            yield found


def _number_words(example: Example) -> list[tuple[Doc, list[float]]]:
    """Count, for the reference and the predicted document, the words of the reference before each token and before the
    end, by characters without whitespace. Within a word, the count has a fraction."""
    docs = (example.reference, example.predicted)
    before = list(map(list_places, docs))
    edges = sorted(set(before[0]))
    return [(doc, np.interp(n, edges, range(len(edges))).tolist()) for doc, n in zip(docs, before, strict=True)]
