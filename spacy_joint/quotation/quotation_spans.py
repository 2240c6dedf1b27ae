"""`quotation_spans`: a spaCy component that finds quotations (direct, indirect, mixed), their cues and their speakers.

The method is a setting: `rules` needs no training; Scheible, Klinger & Pado (ACL 2016) compare `greedy`, `chain`,
`semimarkov` and `combined`. The component uses tags, trees and sentences if they are annotated, and existing cues, such
as those of an earlier `quotation_cues`; otherwise it finds cues by rules. Spans that belong together (the runs of a
quotation, their cue, their speaker) have the same `id_`; single spans have none.
"""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..annotation.quotations import (
    CONFIDENCES,
    CUE,
    DIRECT,
    INDIRECT,
    PERSON,
    SPEAKER,
    TYPES,
    Run,
    find_head,
    find_heads,
    find_type,
)
from ..annotation.spans import read_spans
from ..engine.choice_model import ChoiceModel
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..engine.system import System
from ..errors import Errors, JointValueError, check_choice, check_range, check_value
from ..files.reading import read_text
from ..pipes.component_files import Parts
from ..pipes.examples import require_spans
from ..pipes.structured_pipe import StructuredPipe
from ..tagging.system import TaggingSystem
from .attribution import Mentions, find_mentions, mark_tokens
from .candidates import SpanScorer
from .conversation import Attribution, find_characters, find_turns, make_model
from .decoders import BOUNDARIES, CHAIN, choose_best, pair_boundaries, read_labels, sample, write_labels
from .features import ALL_COLUMNS, SPAN_GUIDE_COLUMNS, QuotationColumns
from .layout import unwrap
from .marks import AMERICAN, AUTO, Marking, find_marking
from .quotations import CUE_ID, CUE_ID_PATTERN, IS_READ, Quotation, get_quotations, register_extensions
from .rules import find_rule_cues, find_rule_quotations
from .system import QuotationSystem

METHODS = ("rules", "greedy", "chain", "semimarkov", "combined")
# The settings of `find_marking`.
STYLE = ("single_quotes", "guillemets_inward", "dialogue_dashes")
DECODERS = ("beam", "exact", "sample")
# The groups of spans that are written, and whose keys are settings.
WRITTEN = ("spans", "cues", "speakers", "characters")
CHOICES = {"method": METHODS, "decoder": DECODERS, **dict.fromkeys(STYLE, (AUTO, True, False))}
# Limits of exact and sampled decoding: see SpanScorer.find. Scores of spans are in the thousands.
SLACK = 1000.0
MAX_LENGTH = 200
TEMPLATES = Path(__file__).parent
# The file of a model of speakers.
SPEAKERS = "speakers"
# Quotations with their types and scores.
ScoredRuns = tuple[list[Run], list[str], list[float]]


class Quotes(NamedTuple):
    """The quotations of a document, in order."""

    runs: list[Run]  # first token and end of each
    labels: list[str]  # their types
    scores: list[float]
    mentions: Mentions  # their cues and speakers
    attribution: Attribution | None  # to characters, in English


register_extensions()


class QuotationSpans(StructuredPipe[Quotes]):
    """Finds quotations and their speakers.

    speaker_model (ChoiceModel | None): The model of `learn-speakers`; None: the package's.
    """

    file_names = (*StructuredPipe.file_names, SPEAKERS)
    default_templates = TEMPLATES / "token_templates.txt"
    columns = ALL_COLUMNS
    guide_columns = SPAN_GUIDE_COLUMNS

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        for setting, known in CHOICES.items():
            check_choice(setting, settings[setting], known)
        check_range("seed", settings["seed"], 0)
        keys = [settings[f"{what}_key"] for what in WRITTEN]
        check_value(f"keys of '{name}'", keys, len(set(keys)) == len(keys), "different names")
        super().__init__(vocab, model, name, **settings)
        self.speaker_model: ChoiceModel | None = None
        has_spans = settings["method"] in ("semimarkov", "combined")
        self.method_templates = TEMPLATES / ("span_templates.txt" if has_spans else "label_templates.txt")
        self.guide_templates = TEMPLATES / "span_guide_templates.txt" if has_spans else None

    def find_marking(self, doc: Doc) -> Marking:
        """Finds the quotation marks of a document: see `marks.find_marking`."""
        return find_marking(doc, **{key: self.cfg[key] for key in STYLE})

    @property
    def is_trainable(self) -> bool:
        """Whether the method needs training."""
        return self.cfg["method"] != "rules"

    def list_savers(self, exclude: Collection[str]) -> dict[str, Callable[[], bytes]]:
        """Returns functions that make the content of each file."""
        savers = super().list_savers(exclude)
        return savers if self.speaker_model is None else {**savers, SPEAKERS: self.speaker_model.to_bytes}

    def load_parts(self, parts: Parts) -> None:
        """Loads all files. RAISES ValueError: If one is missing or damaged, or was made for other templates (J061)."""
        super().load_parts(parts)
        speakers, self.speaker_model = parts.get(SPEAKERS, required=False), None
        if speakers is not None:
            self.speaker_model = make_model()
            self.speaker_model.from_bytes(*speakers)

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """Returns the three fixed types. RAISES ValueError: If no reference has quotations."""
        require_spans(examples, self.cfg["spans_key"])
        return list(TYPES)

    def make_system(self, labels: list[str]) -> System:
        """Makes the system of the method. RAISES KeyError: If the labels are not the fixed ones (a damaged cfg)."""
        if labels != list(TYPES):
            raise KeyError(labels)
        if self.cfg["method"] == "greedy":
            return TaggingSystem(BOUNDARIES, 0)
        if self.cfg["method"] == "chain":
            return TaggingSystem(CHAIN, 2)
        # Without a beam, spans are scored independently.
        return QuotationSystem(self.cfg["decoder"] == "beam")

    def _read_default_templates(self) -> list[str]:
        """Reads the templates of tokens, those of labels or spans, and any of a guide."""
        tokens, *guide = super()._read_default_templates()
        return [tokens, read_text(self.method_templates), *guide]

    def make_instances(self, example: Example) -> list[Instance]:
        """Makes an instance of the quotations of the reference; none if they are not annotated."""
        key = self.cfg["spans_key"]
        if key not in example.reference.spans or not len(example.predicted):
            return []
        columns, tokens = self._get_word_columns().make_columns(example.predicted, self.get_cues(example.predicted))
        if not len(tokens):
            return []
        numbers = np.full(len(example.predicted), -1)
        numbers[tokens] = np.arange(len(tokens))
        aligned = example.alignment.y2x
        runs: list[Run] = []
        for span in sorted(example.reference.spans[key], key=lambda span: span.start):
            indices = numbers[aligned[span.start : span.end]]
            indices = indices[indices >= 0]
            begin, end = (int(indices.min()), int(indices.max())) if len(indices) else (0, 0)
            # Only runs of at least two tokens are evaluated.
            if begin < end and (not runs or begin > runs[-1][1]):
                runs.append((begin, end))
        system = self.perceptron.system
        if isinstance(system, QuotationSystem):
            return [Instance(columns, system.actions(runs, len(tokens)))]
        return [Instance(columns, system.actions(write_labels(runs, len(tokens), self.cfg["method"] == "chain")))]

    def make_word_columns(self) -> QuotationColumns:
        """Makes the columns for the templates."""
        names = self.perceptron.templates.columns
        return QuotationColumns(names, self.word_classes, self.find_marking, self.custom_columns)

    def get_cues(self, doc: Doc, marking: Marking | None = None) -> list[int]:
        """Returns the head tokens of existing cues, or else of cues found by rules."""
        key = self.cfg["cues_key"]
        return find_heads(doc, key) if key in doc.spans else find_rule_cues(doc, marking or self.find_marking(doc))

    def require_trained(self) -> None:
        """Checks that the component is trained, unless it uses rules. RAISES ValueError: Otherwise (J071)."""
        if self.is_trainable:
            super().require_trained()

    def predict_doc(self, doc: Doc) -> Quotes:
        """Finds the quotations of a document."""
        plain, tokens = unwrap(doc, (self.cfg["cues_key"], self.cfg["combined_key"]))
        marking = self.find_marking(plain)
        cues = self.get_cues(plain, marking)
        runs, labels, scores = (self._find_trained if self.is_trainable else self._find_by_rules)(plain, cues, marking)
        direct = [run for run, label in zip(runs, labels, strict=True) if label == DIRECT]
        found = find_mentions(plain, marking.starts, runs, direct, cues, is_fixed=self.cfg["cues_key"] in doc.spans)
        attribution = None
        if plain.lang_ in AMERICAN and plain.has_annotation("TAG"):
            speakers = found.list_speakers()
            cast, turns = find_turns(plain, marking.starts, runs, labels, speakers)
            attribution = find_characters(cast, turns, labels, speakers, self.speaker_model)

        def move(begin: int, end: int) -> Run:
            """Maps tokens of the plain document to those of the document itself."""
            return tokens[begin], tokens[end - 1] + 1

        mentions = Mentions(
            [tokens[cue] for cue in found.cues],
            [None if cue is None else tokens[cue] for cue in found.governing],
            {tokens[cue]: move(*speaker) for cue, speaker in found.speakers.items()},
        )
        return Quotes([move(*run) for run in runs], labels, scores, mentions, attribution and attribution.move(move))

    def _find_by_rules(self, doc: Doc, cues: list[int], marking: Marking) -> ScoredRuns:
        labels = find_rule_quotations(doc, marking, cues)
        return sorted(labels), [labels[run] for run in sorted(labels)], [1.0] * len(labels)

    def _find_trained(self, doc: Doc, cues: list[int], marking: Marking) -> ScoredRuns:
        columns, tokens = self._get_word_columns().make_columns(doc, cues)
        found = self._search(columns, tokens, cues)
        has_scores = isinstance(self.perceptron.system, QuotationSystem)
        scores = self._make_scorer(columns).score_spans(found) if has_scores else [1.0] * len(found)
        runs = [(int(tokens[first]), int(tokens[last]) + 1) for first, last in found]
        if self.cfg["method"] == "combined":
            runs, scores = self._combine(doc, runs, scores)
        return runs, [find_type(doc, *run, marking.style.marks) for run in runs], scores

    def _search(self, columns: Columns, tokens: np.ndarray, cues: list[int]) -> list[Run]:
        """Finds quotations, as first and last rows of the columns."""
        perceptron, method, decoder = self.perceptron, self.cfg["method"], self.cfg["decoder"]
        if method in ("greedy", "chain"):
            labels, _ = perceptron.system.build(perceptron.predict(columns))
            if method == "chain":
                return read_labels(labels)
            return pair_boundaries(labels, np.searchsorted(tokens, cues).tolist())
        if decoder == "beam":
            return perceptron.system.build(perceptron.predict(columns))
        candidates = self._make_scorer(columns).find(SLACK, MAX_LENGTH)
        return choose_best(*candidates) if decoder == "exact" else sample(*candidates, seed=self.cfg["seed"])

    def _make_scorer(self, columns: Columns) -> SpanScorer:
        self.perceptron.finish()
        return SpanScorer(self.perceptron.system, self.perceptron.templates, self.perceptron.weights, columns)

    def _combine(self, doc: Doc, runs: list[Run], scores: list[float]) -> tuple[list[Run], list[float]]:
        """Adds indirect quotations to the direct and mixed ones of an earlier component, without overlaps."""
        key = self.cfg["combined_key"]
        if key not in doc.spans:
            raise JointValueError(Errors.J322, name=self.name, key=key)
        kept = {(span.start, span.end): 1.0 for span in read_spans(doc, key) if span.label_ != INDIRECT}
        taken = mark_tokens(doc, kept)
        for (begin, end), score in zip(runs, scores, strict=True):
            if find_type(doc, begin, end) == INDIRECT and not taken[begin:end].any():
                kept[begin, end] = score
        return sorted(kept), [kept[run] for run in sorted(kept)]

    def annotate(self, doc: Doc, prediction: Quotes) -> None:
        """Writes quotations, cues and speakers, linked by their `id_`."""
        runs, labels, scores, (cues, governing, speakers), attribution = prediction
        key = self.cfg["cues_key"]
        group = doc.spans.get(key, SpanGroup(doc, spans=[Span(doc, cue, cue + 1, label=CUE) for cue in sorted(cues)]))
        heads = [find_head(span) for span in group]
        linked = set(governing)
        ids = {cue: CUE_ID.format(span.start_char) for cue, span in zip(heads, group, strict=True) if cue in linked}
        found = SpanGroup(doc, name=key, attrs=group.attrs)
        for cue, span in zip(heads, group, strict=True):
            # Keep links by other components, but drop ids from another position, as before documents were joined.
            own = CUE_ID.format(span.start_char)
            span_id = ids.get(cue) or ("" if span.id_ != own and CUE_ID_PATTERN.fullmatch(span.id_) else span.id_)
            found.append(Span(doc, span.start, span.end, label=span.label, kb_id=span.kb_id, span_id=span_id))
        doc.spans[key] = found
        doc.spans[self.cfg["speakers_key"]] = [
            Span(doc, begin, end, label=SPEAKER, span_id=ids[cue])
            for cue, (begin, end) in sorted(speakers.items(), key=lambda speaker: speaker[1][0])
            if cue in ids
        ]
        characters = attribution.ids if attribution is not None else [""] * len(runs)
        contents = [
            Span(doc, begin, end, label=label, kb_id=character, span_id="" if cue is None else ids[cue])
            for (begin, end), label, cue, character in zip(runs, labels, governing, characters, strict=True)
        ]
        key = self.cfg["spans_key"]
        attrs: dict[str, Any] = {"scores": scores}
        if attribution is not None:
            attrs[CONFIDENCES] = attribution.confidences
            doc.spans[self.cfg["characters_key"]] = [
                Span(doc, begin, end, label=gender.upper() or PERSON, kb_id=character)
                for begin, end, character, gender in attribution.references
            ]
        doc.spans[key] = SpanGroup(doc, name=key, attrs=attrs, spans=contents)
        if self.cfg["method"] == "combined":
            # These quotations are input, not output.
            doc.spans[self.cfg["combined_key"]].attrs[IS_READ] = False

    def get_quotations(self, doc: Doc) -> list[Quotation]:
        """Returns the quotations that the component has found in a document: see `get_quotations`."""
        return get_quotations(doc, *(self.cfg[f"{what}_key"] for what in WRITTEN))
