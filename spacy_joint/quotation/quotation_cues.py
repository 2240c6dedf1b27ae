"""`quotation_cues`: the words that signal quotations, such as "said" and "according", as a spaCy component.

Each cue is one token, the head of the expression; cues of several words in the reference are learnt by their heads. It
writes `doc.spans["quotation_cues"]` for `quotation_spans` to read. The part of speech of a cue is not restricted.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..engine.columns import Columns
from ..engine.learner import Instance
from ..errors import Errors
from ..structured_pipe import StructuredPipe
from ..tagging.system import TaggingSystem
from .features import ALL_COLUMNS, CUE_COLUMNS, QuotationColumns
from .marks import CUE, MarkStyle

LABELS = ["O", CUE]


class QuotationCues(StructuredPipe):
    """Finds the cues of quotations."""

    default_templates = Path(__file__).parent / "cue_templates.txt"
    # What it predicts it must not read.
    columns = tuple(name for name in ALL_COLUMNS if name not in CUE_COLUMNS)
    _columns: QuotationColumns | None = None

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """The one label of cues, if there are any.

        RAISES ValueError: If no reference has cues.
        """
        key = self.cfg["cues_key"]
        if not any(len(example.reference.spans.get(key, ())) for example in examples):
            raise ValueError(Errors.J321.format(name=self.name, key=key))
        return LABELS

    def flatten_labels(self, labels: list[str]) -> tuple[str, ...]:
        """The label of cues."""
        return tuple(labels[1:])

    def make_system(self, labels: list[str]) -> TaggingSystem:
        """Each token is a cue or none, seen with the token before."""
        return TaggingSystem(labels, 1)

    def make_instance(self, example: Example) -> Instance | None:
        """The cues of the reference; None where it has no such spans."""
        reference, predicted = example.reference, example.predicted
        if self.cfg["cues_key"] not in reference.spans or not len(predicted):
            return None
        heads = np.zeros(len(predicted), dtype=np.uint16)
        for head in find_heads(reference, self.cfg["cues_key"]):
            heads[example.alignment.y2x[head][:1]] = 1
        columns, tokens = self.get_columns(predicted, None)
        return Instance(columns, heads[tokens]) if len(tokens) else None

    def get_constraints(self, doc: Doc) -> np.ndarray | None:
        """None: nothing that is there already demands anything."""
        return None

    def get_columns(self, doc: Doc, constraints: np.ndarray | None) -> tuple[Columns, np.ndarray]:
        """The columns that the templates read, and the tokens that are their rows."""
        names = self.perceptron.templates.columns
        if self._columns is None or self._columns.names != names or self._columns.word_classes is not self.word_classes:
            self._columns = QuotationColumns(names, self.word_classes, MarkStyle())
        return self._columns.columns_of(doc, [])

    def annotate(self, doc: Doc, tokens: np.ndarray, actions: np.ndarray) -> None:
        """Writes the cues."""
        cues = tokens[actions == 1].tolist()
        doc.spans[self.cfg["cues_key"]] = [Span(doc, cue, cue + 1, label=CUE) for cue in cues]


def find_heads(doc: Doc, key: str) -> list[int]:
    """The head tokens of a group of spans, sorted: the roots of their trees, or without trees their first tokens."""
    if key not in doc.spans:
        return []
    parsed = doc.has_annotation("DEP")
    return sorted({span.root.i if parsed else span.start for span in doc.spans[key]})
