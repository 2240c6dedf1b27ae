"""The base class of components that give each token a label, which may depend on those before it."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from ..engine.learner import Instance
from ..errors import Errors, JointValueError
from ..pipes.structured_pipe import StructuredPipe
from .system import SKIP, TaggingSystem


class TokenLabels(NamedTuple):
    """The labels of a document, and which tokens start a sentence, for each token that is not whitespace."""

    tokens: np.ndarray
    labels: Sequence[str]
    starts: np.ndarray | None = None


class SequenceLabeller(StructuredPipe[TokenLabels]):
    """Gives each token a label. Subclasses define the labels."""

    # What the labels are, in errors.
    label_kind: ClassVar[str] = "tags"

    @abstractmethod
    def read_labels(self, example: Example) -> list[str | None]:
        """Reads the labels of the reference for the predicted tokens; None where they are unknown."""

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """Collects the labels of references, sorted."""
        return sorted({label for example in examples for label in self.read_labels(example) if label is not None})

    def check_labels(self, labels: Any) -> None:
        """Checks the labels. RAISES ValueError: If there are none (J330)."""
        if not labels:
            raise JointValueError(Errors.J330, source="The data", what=self.label_kind)
        super().check_labels(labels)

    def extend_labels(self, labels: list[str] | None, added: Sequence[str]) -> list[str]:
        """Adds labels, which `make_system` may refuse, and sorts them all."""
        if not added:
            return labels or []
        extended = sorted({*(labels or []), *added})
        self.make_system(extended)
        return extended

    def make_system(self, labels: list[str]) -> TaggingSystem:
        """Makes a system without memory of previous labels."""
        return TaggingSystem(labels, order=0)

    def make_instances(self, example: Example) -> list[Instance]:
        """Makes an instance of the labels of the reference; none if no label is known. Tokens without a known label are
        only context."""
        return self.encode(example, self.read_labels(example), None)

    def encode(self, example: Example, labels: list[str | None], starts: np.ndarray | None) -> list[Instance]:
        """Makes a training instance of labels and starts of sentences (bool); none if no label is known."""
        known = set(self.perceptron.system.tags)
        labels = [label if label in known else None for label in labels]
        skipped = np.array([SKIP if label is None else 0 for label in labels], dtype=np.int8)
        columns, tokens = self.get_columns(example.predicted, skipped)
        labels, starts = [labels[token] for token in tokens], None if starts is None else starts[tokens]
        actions = self.perceptron.system.actions(labels, starts)
        return [Instance(columns, actions)] if len(actions) else []

    def predict_all(self, docs: Sequence[Doc]) -> list[TokenLabels]:
        """Predicts the labels of documents."""
        return [self.build(tokens, actions) for tokens, actions, _ in self.search_all(docs)]

    def build(self, tokens: np.ndarray, actions: np.ndarray) -> TokenLabels:
        """Reads the labels and starts from actions."""
        return TokenLabels(tokens, *self.perceptron.system.build(actions))
