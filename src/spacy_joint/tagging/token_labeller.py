"""The base class of components that label each token by itself: labels do not depend on each other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from spacy.training import Example

from ..engine.learner import Instance
from ..pipes.structured_pipe import StructuredPipe
from .system import SKIP, TaggingSystem


class Labelled(NamedTuple):
    """The labels of a document, for each token that is not whitespace."""

    tokens: np.ndarray
    labels: Sequence[str]


class TokenLabeller(StructuredPipe[Labelled]):
    """Gives each token a label. Subclasses say what labels are."""

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

    def make_system(self, labels: list[str]) -> TaggingSystem:
        """Sequence labelling without a memory of previous labels."""
        return TaggingSystem(labels, order=0)

    def make_instance(self, example: Example) -> Instance | None:
        """The labels of the reference; None if none are known. Tokens without a known label are skipped."""
        known = set(self.perceptron.system.tags)
        labels = [label if label in known else None for label in self.read_labels(example)]
        skipped = np.array([SKIP if label is None else 0 for label in labels], dtype=np.int8)
        columns, tokens = self.get_columns(example.predicted, skipped)
        actions = self.perceptron.system.actions([labels[token] for token in tokens])
        return Instance(columns, actions) if len(actions) else None

    def read(self, tokens: np.ndarray, actions: np.ndarray) -> Labelled:
        """The labels given by actions."""
        return Labelled(tokens, self.perceptron.system.build(actions)[0])
