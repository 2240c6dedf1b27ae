"""`quotation_spans`: direct, indirect and mixed quotations, with their cues and speakers, as a spaCy component.

Which method finds them is a setting: `rules` needs no training; `greedy`, `chain`, `semimarkov` and `combined` are
those that Scheible, Klinger & Pado (ACL 2016) compare. It reads tags, trees and sentences where they are there, and the
cues of a `quotation_cues` before it; without that, cues are those of the rules. What belongs together (runs of one
quotation, their cue, their speaker) has the same `id_`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from spacy.tokens import Doc, Span, Token
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..annotation.quotations import CUE, CUES, INDIRECT, QUOTATIONS, SPEAKER, SPEAKERS, TYPES, make_span
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..engine.system import System
from ..errors import Errors, JointValueError
from ..pipes.structured_pipe import StructuredPipe
from ..tagging.system import TaggingSystem
from .attribution import Quotation, find_cues, find_speaker
from .candidates import SpanScorer
from .decoders import BOUNDARIES, CHAIN, choose_best, pair_boundaries, read_labels, sample, write_labels
from .features import ALL_COLUMNS, QuotationColumns
from .marks import MarkStyle
from .quotation_cues import find_heads, require_spans
from .rules import find_rule_cues, find_rule_quotations
from .system import QuotationSystem

METHODS = ("rules", "greedy", "chain", "semimarkov", "combined")
DECODERS = ("beam", "exact", "sample")
# With exact and sampled decoding: see SpanScorer.find. Scores of spans are in the thousands.
SLACK = 1000.0
LONGEST = 200
TEMPLATES = Path(__file__).parent
Run = tuple[int, int]
Prediction = tuple[list[Run], list[float], list[int]]


class QuotationSpans(StructuredPipe):
    """Finds quotations, and says who said them."""

    columns = ALL_COLUMNS

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        scorer: Callable[..., dict[str, Any]] | None,
        method: str,
        decoder: str,
        **settings: Any,
    ) -> None:
        for what, value, known in (("method", method, METHODS), ("decoder", decoder, DECODERS)):
            if value not in known:
                raise JointValueError(Errors.J040, what=what, name=value, known=", ".join(known))
        super().__init__(vocab, model, name, scorer=scorer, method=method, decoder=decoder, **settings)
        file = "span_templates.txt" if method in ("semimarkov", "combined") else "label_templates.txt"
        self.default_templates = TEMPLATES / file  # type: ignore[misc]  # it depends on a setting
        self.style = MarkStyle(self.cfg["single_quotes"], self.cfg["guillemets_inward"])

    @property
    def is_trainable(self) -> bool:
        """Whether there is anything to learn."""
        return self.cfg["method"] != "rules"

    # What is learnt.

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """The three types, if there are quotations.

        RAISES ValueError: If no reference has any.
        """
        require_spans(examples, self.cfg["spans_key"], self.name)
        return list(TYPES)

    def flatten_labels(self, labels: list[str]) -> tuple[str, ...]:
        """The types."""
        return tuple(labels)

    def make_system(self, labels: list[str]) -> System:
        """The system of the method.

        RAISES KeyError: If the labels are not the component's own, as in a damaged cfg.
        """
        if labels != list(TYPES):
            raise KeyError(labels)
        if self.cfg["method"] == "greedy":
            return TaggingSystem(BOUNDARIES, 0)
        if self.cfg["method"] == "chain":
            return TaggingSystem(CHAIN, 2)
        # Spans are scored one by one, without neighbours, where decoding is not by beam.
        return QuotationSystem(self.cfg["decoder"] == "beam")

    def make_instance(self, example: Example) -> Instance | None:
        """The quotations of the reference; None where it has no such spans."""
        key = self.cfg["spans_key"]
        if key not in example.reference.spans or not len(example.predicted):
            return None
        columns, tokens = self.get_columns(example.predicted, None)
        if not len(tokens):
            return None
        numbers = np.full(len(example.predicted), -1)
        numbers[tokens] = np.arange(len(tokens))
        aligned = example.alignment.y2x
        runs: list[Run] = []
        for span in sorted(example.reference.spans[key], key=lambda span: span.start):
            places = numbers[aligned[span.start : span.end]]
            places = places[places >= 0]
            begin, end = (int(places.min()), int(places.max())) if len(places) else (0, 0)
            # Only runs of two tokens or more are evaluated.
            if begin < end and (not runs or begin > runs[-1][1]):
                runs.append((begin, end))
        system = self.perceptron.system
        if isinstance(system, QuotationSystem):
            return Instance(columns, system.actions(runs, len(tokens)))
        return Instance(columns, system.actions(write_labels(runs, len(tokens), self.cfg["method"] == "chain")))

    def make_word_columns(self) -> QuotationColumns:
        """What makes the columns that the templates read."""
        return QuotationColumns(self.perceptron.templates.columns, self.word_classes, self.style)

    def get_columns(self, doc: Doc, constraints: np.ndarray | None) -> tuple[Columns, np.ndarray]:
        """The columns that the templates read, and the tokens that are their rows."""
        return self._get_word_columns().columns_of(doc, self.get_cues(doc))

    def get_cues(self, doc: Doc) -> list[int]:
        """The head tokens of cues that are there, or else those of the rules."""
        key = self.cfg["cues_key"]
        return find_heads(doc, key) if key in doc.spans else find_rule_cues(doc, self.style)

    # What is predicted.

    def predict(self, docs: Iterable[Doc]) -> list[Prediction]:  # type: ignore[override]  # spans, not actions
        """Quotations (first token, end), their scores, and the head tokens of cues. Changes nothing.

        RAISES ValueError: If the component was neither trained nor loaded, and does not go by rules.
        """
        if self.is_trainable and not self.perceptron.is_set_up:
            raise JointValueError(Errors.J071, name=self.name)
        return [self._predict(doc) for doc in docs]

    def _predict(self, doc: Doc) -> Prediction:
        cues = self.get_cues(doc)
        if not self.is_trainable:
            runs = find_rule_quotations(doc, self.style, cues)
            return runs, [1.0] * len(runs), cues
        columns, tokens = self._get_word_columns().columns_of(doc, cues)
        found = self._search(columns, tokens, cues)
        if isinstance(self.perceptron.system, QuotationSystem):
            self.perceptron.finish()
            scorer = SpanScorer(self.perceptron.system, self.perceptron.templates, self.perceptron.weights, columns)
            scores = scorer.score_spans(found)
        else:
            scores = [1.0] * len(found)
        runs = [(int(tokens[first]), int(tokens[last]) + 1) for first, last in found]
        if self.cfg["method"] == "combined":
            runs, scores = self._combine(doc, runs, scores)
        return runs, scores, cues

    def _search(self, columns: Columns, tokens: np.ndarray, cues: list[int]) -> list[Run]:
        """Quotations as first and last rows of the columns."""
        perceptron, method, decoder = self.perceptron, self.cfg["method"], self.cfg["decoder"]
        if method in ("greedy", "chain"):
            labels, _ = perceptron.system.build(perceptron.predict(columns))
            if method == "chain":
                return read_labels(labels)
            return pair_boundaries(labels, np.searchsorted(tokens, cues).tolist())
        if decoder == "beam":
            return perceptron.system.build(perceptron.predict(columns))
        perceptron.finish()
        scorer = SpanScorer(perceptron.system, perceptron.templates, perceptron.weights, columns)
        candidates = scorer.find(SLACK, LONGEST)
        return choose_best(*candidates) if decoder == "exact" else sample(*candidates, seed=self.cfg["seed"])

    def _combine(self, doc: Doc, runs: list[Run], scores: list[float]) -> tuple[list[Run], list[float]]:
        """Direct and mixed quotations of an earlier component, and of these the indirect ones that overlap none."""
        key = self.cfg["combined_key"]
        if key not in doc.spans:
            raise JointValueError(Errors.J322, name=self.name, key=key)
        kept = {(span.start, span.end): 1.0 for span in doc.spans[key] if span.label_ != INDIRECT}
        taken = np.zeros(len(doc), dtype=bool)
        for begin, end in kept:
            taken[begin:end] = True
        for (begin, end), score in zip(runs, scores, strict=True):
            if make_span(doc, begin, end, "").label_ == INDIRECT and not taken[begin:end].any():
                kept[begin, end] = score
        return sorted(kept), [kept[run] for run in sorted(kept)]

    def set_annotations(self, docs: Iterable[Doc], scores: list[Prediction]) -> None:  # type: ignore[override]
        """Writes what `predict` gave."""
        for doc, prediction in zip(docs, scores, strict=True):
            self.annotate(doc, *prediction)

    def annotate(  # type: ignore[override]  # spans, not actions
        self, doc: Doc, runs: list[Run], scores: list[float], cues: list[int]
    ) -> None:
        """Writes quotations, cues and speakers, linked by their `id_`."""
        inside = np.zeros(len(doc), dtype=bool)
        for begin, end in runs:
            inside[begin:end] = True
        ids: dict[int, str] = {}
        contents = []
        n_quotations = 0
        for (begin, end), cue in zip(runs, find_cues(doc, runs, cues), strict=True):
            span_id = None if cue is None else ids.get(cue)
            if span_id is None:
                n_quotations += 1
                span_id = f"Q{n_quotations}"
                if cue is not None:
                    ids[cue] = span_id
            contents.append(make_span(doc, begin, end, span_id, self.style.marks))
        speakers = []
        for cue, span_id in ids.items():
            mention = find_speaker(doc, cue, inside)
            if mention is not None:
                speakers.append(Span(doc, mention.start, mention.end, label=SPEAKER, span_id=span_id))
        doc.spans[self.cfg["spans_key"]] = contents
        doc.spans[self.cfg["spans_key"]].attrs["scores"] = scores
        doc.spans[self.cfg["cues_key"]] = [
            Span(doc, cue, cue + 1, label=CUE, span_id=ids.get(cue, "")) for cue in sorted(cues)
        ]
        doc.spans[self.cfg["speakers_key"]] = sorted(speakers, key=lambda span: span.start)
        doc.user_data[IN_QUOTATION] = inside.tobytes()


# Where `Token._.in_quotation` looks: a byte a token.
IN_QUOTATION = "spacy_joint.in_quotation"


def get_quotations(
    doc: Doc, key: str = QUOTATIONS, cues_key: str = CUES, speakers_key: str = SPEAKERS
) -> list[Quotation]:
    """The quotations of a document, in order: runs with the same `id_`, their cue and their speaker."""
    if key not in doc.spans:
        return []
    cues = {span.id_: span for span in doc.spans.get(cues_key, ()) if span.id_}
    speakers = {span.id_: span for span in doc.spans.get(speakers_key, ()) if span.id_}
    group = doc.spans[key]
    scores = group.attrs.get("scores", [1.0] * len(group))
    runs: dict[str, list[tuple[Span, float]]] = {}
    for number, (span, score) in enumerate(zip(group, scores, strict=True)):
        # A run without an id is a quotation of its own.
        runs.setdefault(span.id_ or f"#{number}", []).append((span, score))
    return [
        Quotation(tuple(span for span, _ in of), cues.get(span_id), speakers.get(span_id), tuple(s for _, s in of))
        for span_id, of in runs.items()
    ]


def is_in_quotation(token: Token) -> bool:
    """Whether a token is part of a quotation."""
    inside = token.doc.user_data.get(IN_QUOTATION, b"")
    return token.i < len(inside) and bool(inside[token.i])


def register_extensions() -> None:
    """Makes `Doc._.quotations` and `Token._.in_quotation`, unless somebody else has."""
    if not Doc.has_extension("quotations"):
        Doc.set_extension("quotations", getter=get_quotations)
    if not Token.has_extension("in_quotation"):
        Token.set_extension("in_quotation", getter=is_in_quotation)
