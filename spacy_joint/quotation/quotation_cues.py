"""`quotation_cues`: a spaCy component that finds the words that signal quotations, such as "said" and "according".

Each cue is a single token of any part of speech; if the cue in the reference has several words, it is their head. The
component writes `doc.spans["quotation_cues"]`, which `quotation_spans` reads.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..annotation.quotations import CUE, find_heads
from ..engine.learner import Instance
from ..pipes.examples import require_spans
from ..pipes.structured_pipe import StructuredPipe
from ..tagging.system import TaggingSystem
from .features import ALL_COLUMNS, CUE_COLUMNS, SPAN_GUIDE_COLUMNS, QuotationColumns

LABELS = ["O", CUE]


class QuotationCues(StructuredPipe[list[int]]):
    """Finds the cues of quotations."""

    default_templates = Path(__file__).parent / "cue_templates.txt"
    guide_templates = Path(__file__).parent / "cue_guide_templates.txt"
    guide_columns = SPAN_GUIDE_COLUMNS
    # The component must not read its own output.
    columns = tuple(name for name in ALL_COLUMNS if name not in CUE_COLUMNS)

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """Returns the fixed labels. RAISES ValueError: If no reference has cues."""
        require_spans(examples, self.cfg["cues_key"])
        return LABELS

    def flatten_labels(self, labels: list[str]) -> tuple[str, ...]:
        """Returns the label of cues."""
        return tuple(labels[1:])

    def make_system(self, labels: list[str]) -> TaggingSystem:
        """Makes a tagger of order 1 for cues. RAISES KeyError: If the labels are not the fixed ones (a damaged cfg)."""
        if labels != LABELS:
            raise KeyError(labels)
        return TaggingSystem(labels, 1)

    def _set_up(self, labels: Any, templates: str) -> None:
        super()._set_up(labels, templates)
        self.perceptron.biases = {LABELS.index(CUE): self.cfg["cue_bias"]}

    def make_instances(self, example: Example) -> list[Instance]:
        """Makes an instance of the cues of the reference; none if they are not annotated."""
        reference, predicted = example.reference, example.predicted
        if self.cfg["cues_key"] not in reference.spans or not len(predicted):
            return []
        heads = np.zeros(len(predicted), dtype=np.uint16)
        aligned = example.alignment.y2x
        for head in find_heads(reference, self.cfg["cues_key"]):
            heads[aligned[head][:1]] = 1
        columns, tokens = self._get_word_columns().make_columns(predicted, [])
        return [Instance(columns, heads[tokens])] if len(tokens) else []

    def make_word_columns(self) -> QuotationColumns:
        """Makes the columns for the templates."""
        return QuotationColumns(self.perceptron.templates.columns, self.word_classes, custom=self.custom_columns)

    def predict_doc(self, doc: Doc) -> list[int]:
        """Finds the tokens that are cues."""
        columns, tokens = self._get_word_columns().make_columns(doc, [])
        actions = self.perceptron.predict(columns)
        return tokens[actions == 1].tolist()

    def annotate(self, doc: Doc, prediction: list[int]) -> None:
        """Writes the cues."""
        doc.spans[self.cfg["cues_key"]] = [Span(doc, cue, cue + 1, label=CUE) for cue in prediction]
