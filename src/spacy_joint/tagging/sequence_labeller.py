"""The base class of components that give each token a label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
from spacy.training import Example

from ..engine.learner import Instance
from ..pipes.structured_pipe import Prediction, StructuredPipe
from .system import SKIP


class SequenceLabeller(StructuredPipe[Prediction]):
    """Gives each token a label. Subclasses say what labels are, and whether they depend on each other."""

    @abstractmethod
    def read_labels(self, example: Example) -> list[str | None]:
        """The labels of the reference for the predicted tokens; None where they are unknown."""

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """The labels of the reference, sorted."""
        return sorted({label for example in examples for label in self.read_labels(example) if label is not None})

    def flatten_labels(self, labels: list[str]) -> tuple[str, ...]:
        """The labels."""
        return tuple(labels)

    def extend_labels(self, labels: list[str] | None, added: Sequence[str]) -> list[str]:
        """The labels, sorted again if some are added."""
        return sorted({*(labels or []), *added}) if added else labels or []

    def make_instance(self, example: Example) -> Instance | None:
        """The labels of the reference; None if none are known. Tokens without a known label are skipped: they are
        context, but not trained on."""
        return self.encode(example, self.read_labels(example), None)

    def encode(self, example: Example, labels: list[str | None], starts: np.ndarray | None) -> Instance | None:
        """The training instance with these labels, as `make_instance` returns it.

        starts (np.ndarray | None): Which tokens start a sentence (bool, one per token), if labels say so, too.
        """
        known = set(self.perceptron.system.tags)
        labels = [label if label in known else None for label in labels]
        skipped = np.array([SKIP if label is None else 0 for label in labels], dtype=np.int8)
        columns, tokens = self.get_columns(example.predicted, skipped)
        actions = self.perceptron.system.actions(
            [labels[token] for token in tokens], None if starts is None else starts[tokens]
        )
        return Instance(columns, actions) if len(actions) else None
