"""`quotation_spans`: direct, indirect and mixed quotations, with their cues and speakers, as a spaCy component.

The method is a setting: `rules` needs no training; `greedy`, `chain`, `semimarkov` and `combined` are those compared by
Scheible, Klinger & Pado (ACL 2016). The component uses tags, trees and sentences if they are annotated, and existing
cues, for instance by an earlier `quotation_cues`; without these, it finds cues by rules. Spans that belong together
(the runs of a quotation, their cue, their speaker) have the same `id_`; single spans have none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup, Token
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..annotation.quotations import (
    CUE,
    CUES,
    DIRECT,
    INDIRECT,
    QUOTATIONS,
    SPEAKER,
    SPEAKERS,
    TYPES,
    find_type,
    get_words,
)
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..engine.system import System
from ..errors import Errors, JointValueError
from ..pipes.structured_pipe import StructuredPipe
from ..tagging.system import TaggingSystem
from .attribution import Quotation, find_cues, find_speaker
from .candidates import SpanScorer
from .decoders import BOUNDARIES, CHAIN, choose_best, pair_boundaries, read_labels, sample, write_labels
from .features import ALL_COLUMNS, SPAN_GUIDE_COLUMNS, QuotationColumns
from .layout import unwrap
from .marks import AUTO, MarkStyle, find_style
from .quotation_cues import find_head, find_heads, require_spans
from .rules import find_rule_cues, find_rule_quotations
from .system import QuotationSystem

METHODS = ("rules", "greedy", "chain", "semimarkov", "combined")
# The settings of `find_style`.
STYLE = ("single_quotes", "guillemets_inward")
DECODERS = ("beam", "exact", "sample")
# For exact and sampled decoding: see SpanScorer.find. Scores of spans are in the thousands.
SLACK = 1000.0
MAX_LENGTH = 200
TEMPLATES = Path(__file__).parent
Run = tuple[int, int]
# Quotations with their types and scores.
Labelled = tuple[list[Run], list[str], list[float]]


class Quoted(NamedTuple):
    """The quotations of a document.

    runs: The first token and the end of each, in order.
    labels, scores: The type and the score of each.
    governing: The head token of its cue; None if there is none.
    cues: The head tokens of all cues.
    speakers: The speaker (first token, end) of each cue that has one.
    """

    runs: list[Run]
    labels: list[str]
    scores: list[float]
    governing: list[int | None]
    cues: list[int]
    speakers: dict[int, Run]

    def move(self, tokens: Sequence[int]) -> Quoted:
        """The same quotations in another document, given its tokens that those of this one are."""

        def move_run(run: Run) -> Run:
            return tokens[run[0]], tokens[run[1] - 1] + 1

        return Quoted(
            [move_run(run) for run in self.runs],
            self.labels,
            self.scores,
            [None if cue is None else tokens[cue] for cue in self.governing],
            [tokens[cue] for cue in self.cues],
            {tokens[cue]: move_run(run) for cue, run in self.speakers.items()},
        )


class QuotationSpans(StructuredPipe[Quoted]):
    """Finds quotations and their speakers."""

    columns = ALL_COLUMNS
    guide_columns = SPAN_GUIDE_COLUMNS

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
        choices: dict[str, tuple[Any, tuple[Any, ...]]] = {"method": (method, METHODS), "decoder": (decoder, DECODERS)}
        choices |= {what: (settings[what], (AUTO, True, False)) for what in STYLE}
        for what, (value, known) in choices.items():
            if value not in known:
                raise JointValueError(Errors.J040, what=what, name=value, known=", ".join(map(str, known)))
        super().__init__(vocab, model, name, scorer=scorer, method=method, decoder=decoder, **settings)
        has_spans = method in ("semimarkov", "combined")
        self.default_templates = TEMPLATES / ("span_templates.txt" if has_spans else "label_templates.txt")
        self.guide_templates = TEMPLATES / "span_guide_templates.txt" if has_spans else None
        self.find_style: Callable[[Doc], MarkStyle] = partial(find_style, **{what: settings[what] for what in STYLE})
        KEYS.add(self.cfg["spans_key"])
        if method == "combined":
            # These quotations are input, not output.
            KEYS.discard(self.cfg["combined_key"])

    @property
    def is_trainable(self) -> bool:
        """Whether the method is trained."""
        return self.cfg["method"] != "rules"

    # Training.

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """The three types, which are fixed.

        RAISES ValueError: If no reference has quotations.
        """
        require_spans(examples, self.cfg["spans_key"], self.name)
        return list(TYPES)

    def flatten_labels(self, labels: list[str]) -> tuple[str, ...]:
        """The types."""
        return tuple(labels)

    def make_system(self, labels: list[str]) -> System:
        """The system of the method.

        RAISES KeyError: If the labels are not the fixed ones, as in a damaged cfg.
        """
        if labels != list(TYPES):
            raise KeyError(labels)
        if self.cfg["method"] == "greedy":
            return TaggingSystem(BOUNDARIES, 0)
        if self.cfg["method"] == "chain":
            return TaggingSystem(CHAIN, 2)
        # Without a beam, spans are scored independently.
        return QuotationSystem(self.cfg["decoder"] == "beam")

    def make_instance(self, example: Example) -> Instance | None:
        """The quotations of the reference; None if they are not annotated."""
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
            # Only runs of at least two tokens are evaluated.
            if begin < end and (not runs or begin > runs[-1][1]):
                runs.append((begin, end))
        system = self.perceptron.system
        if isinstance(system, QuotationSystem):
            return Instance(columns, system.actions(runs, len(tokens)))
        return Instance(columns, system.actions(write_labels(runs, len(tokens), self.cfg["method"] == "chain")))

    def make_word_columns(self) -> QuotationColumns:
        """The object that builds the columns for the templates."""
        return QuotationColumns(
            self.perceptron.templates.columns, self.word_classes, self.find_style, self.custom_columns
        )

    def get_columns(self, doc: Doc, constraints: np.ndarray | None) -> tuple[Columns, np.ndarray]:
        """The columns for the templates, and the tokens of their rows."""
        return self._get_word_columns().columns_of(doc, self.get_cues(doc))

    def get_cues(self, doc: Doc, style: MarkStyle | None = None) -> list[int]:
        """The head tokens of existing cues, or else of cues found by rules. style: That of the marks, if known."""
        key = self.cfg["cues_key"]
        return find_heads(doc, key) if key in doc.spans else find_rule_cues(doc, style or self.find_style(doc))

    # Prediction.

    def require_trained(self) -> None:
        """RAISES ValueError: If the component has been neither trained nor loaded, unless it uses rules."""
        if self.is_trainable:
            super().require_trained()

    def predict_doc(self, doc: Doc) -> Quoted:
        """The quotations of a document."""
        plain, tokens = unwrap(doc, (self.cfg["cues_key"], self.cfg["combined_key"]))
        style = self.find_style(plain)
        cues = self.get_cues(plain, style)
        runs, labels, scores = (self._find_trained if self.is_trainable else self._find_by_rules)(plain, cues, style)
        inside = np.zeros(len(plain), dtype=bool)
        for begin, end in runs:
            inside[begin:end] = True
        governing = find_cues(plain, runs, cues)
        mentions = {cue: find_speaker(plain, cue, inside) for cue in governing if cue is not None}
        speakers = {cue: (mention.start, mention.end) for cue, mention in mentions.items() if mention is not None}
        return Quoted(runs, labels, scores, governing, cues, speakers).move(tokens)

    def _find_by_rules(self, doc: Doc, cues: list[int], style: MarkStyle) -> Labelled:
        direct, others = find_rule_quotations(doc, style, cues)
        labels = dict.fromkeys(direct, DIRECT) | {run: find_type(get_words(doc, *run), style.marks) for run in others}
        return sorted(labels), [labels[run] for run in sorted(labels)], [1.0] * len(labels)

    def _find_trained(self, doc: Doc, cues: list[int], style: MarkStyle) -> Labelled:
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
        return runs, [find_type(get_words(doc, *run), style.marks) for run in runs], scores

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
        candidates = scorer.find(SLACK, MAX_LENGTH)
        return choose_best(*candidates) if decoder == "exact" else sample(*candidates, seed=self.cfg["seed"])

    def _combine(self, doc: Doc, runs: list[Run], scores: list[float]) -> tuple[list[Run], list[float]]:
        """The direct and mixed quotations of an earlier component, and the given indirect ones that overlap none."""
        key = self.cfg["combined_key"]
        if key not in doc.spans:
            raise JointValueError(Errors.J322, name=self.name, key=key)
        kept = {(span.start, span.end): 1.0 for span in doc.spans[key] if span.label_ != INDIRECT}
        taken = np.zeros(len(doc), dtype=bool)
        for begin, end in kept:
            taken[begin:end] = True
        for (begin, end), score in zip(runs, scores, strict=True):
            if find_type(get_words(doc, begin, end)) == INDIRECT and not taken[begin:end].any():
                kept[begin, end] = score
        return sorted(kept), [kept[run] for run in sorted(kept)]

    def annotate(self, doc: Doc, prediction: Quoted) -> None:
        """Writes quotations, cues and speakers, linked by their `id_`."""
        key = self.cfg["cues_key"]
        group = doc.spans.get(
            key, SpanGroup(doc, spans=[Span(doc, cue, cue + 1, label=CUE) for cue in sorted(prediction.cues)])
        )
        heads = [find_head(span) for span in group]
        linked = set(prediction.governing)
        ids = {cue: CUE_ID.format(span.start_char) for cue, span in zip(heads, group, strict=True) if cue in linked}
        found = SpanGroup(doc, name=key, attrs=group.attrs)
        for cue, span in zip(heads, group, strict=True):
            # Keep links by other components, but drop ids from another position, as before documents were joined.
            own = CUE_ID.format(span.start_char)
            span_id = ids.get(cue) or ("" if span.id_ != own and CUE_ID_PATTERN.fullmatch(span.id_) else span.id_)
            found.append(Span(doc, span.start, span.end, label=span.label, kb_id=span.kb_id, span_id=span_id))
        doc.spans[key] = found
        speakers = [
            Span(doc, begin, end, label=SPEAKER, span_id=ids[cue])
            for cue, (begin, end) in prediction.speakers.items()
            if cue in ids
        ]
        doc.spans[self.cfg["speakers_key"]] = sorted(speakers, key=lambda span: span.start)
        contents = [
            Span(doc, begin, end, label=label, span_id="" if cue is None else ids[cue])
            for (begin, end), label, cue in zip(prediction.runs, prediction.labels, prediction.governing, strict=True)
        ]
        key = self.cfg["spans_key"]
        doc.spans[key] = SpanGroup(doc, name=key, attrs={"scores": prediction.scores}, spans=contents)

    def get_quotations(self, doc: Doc) -> list[Quotation]:
        """The quotations that the component has found in a document: see `get_quotations`."""
        return get_quotations(doc, self.cfg["spans_key"], self.cfg["cues_key"], self.cfg["speakers_key"])


# The keys of `doc.spans` that components of this process write to, which `Token._.in_quotation` reads.
KEYS = {QUOTATIONS}
# The `id_` of a cue and of its quotation contains the character offset of the cue in its document. After documents are
# joined, as by `Doc.from_docs`, it therefore determines where each of them starts, and ids are not confused.
CUE_ID = "Q@{}"
CUE_ID_PATTERN = re.compile(r"Q@(\d+)")


def get_quotations(
    doc: Doc, key: str = QUOTATIONS, cues_key: str = CUES, speakers_key: str = SPEAKERS
) -> list[Quotation]:
    """The quotations of a document, in order: runs with the same `id_`, their cue and their speaker."""
    if key not in doc.spans:
        return []
    linked_cues = [span for span in doc.spans.get(cues_key, ()) if span.id_]
    written = [(span, CUE_ID_PATTERN.fullmatch(span.id_)) for span in linked_cues]
    starts = sorted({span.start_char - int(match[1]) for span, match in written if match})

    def identify(span: Span) -> tuple[str, int]:
        return span.id_, bisect_right(starts, span.start_char)

    cues = {identify(span): span for span in linked_cues}
    speakers = {identify(span): span for span in doc.spans.get(speakers_key, ()) if span.id_}
    group = doc.spans[key]
    scores = group.attrs.get("scores", ())
    runs: dict[tuple[str, int], list[tuple[Span, float]]] = {}
    # Spans added by users have no score.
    for number, (span, score) in enumerate(zip(group, chain(scores, repeat(1.0)))):  # noqa: B905
        # A run without an id is a separate quotation.
        runs.setdefault(identify(span) if span.id_ else ("", number), []).append((span, score))
    return [
        Quotation(tuple(span for span, _ in of), cues.get(identity), speakers.get(identity), tuple(s for _, s in of))
        for identity, of in runs.items()
    ]


def is_in_quotation(token: Token) -> bool:
    """Whether a token is part of a quotation."""
    return any(_covers(token.doc.spans[key], token.idx) for key in KEYS if key in token.doc.spans)


def _covers(group: SpanGroup, place: int) -> bool:
    """Whether a character is in one of the spans. Characters are used because tokens may have been merged."""
    if len(group.attrs.get("scores", ())) != len(group):
        return any(span.start_char <= place < span.end_char for span in group)
    # No spans have been added, so they are sorted and disjoint.
    at = bisect_right(group, place, key=lambda span: span.start_char)
    return at > 0 and place < group[at - 1].end_char


def register_extensions() -> None:
    """Registers `Doc._.quotations` and `Token._.in_quotation`, except for names in use."""
    if not Doc.has_extension("quotations"):
        Doc.set_extension("quotations", getter=get_quotations)
    if not Token.has_extension("in_quotation"):
        Token.set_extension("in_quotation", getter=is_in_quotation)
