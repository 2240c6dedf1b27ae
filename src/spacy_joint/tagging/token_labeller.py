"""The base class of components that label each token by itself: labels do not depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .sequence_labeller import SequenceLabeller
from .system import TaggingSystem


class Labelled(NamedTuple):
    """The labels of a document, for each token that is not whitespace."""

    tokens: np.ndarray
    labels: Sequence[str]


class TokenLabeller(SequenceLabeller[Labelled]):
    """Gives each token a label, by itself."""

    def make_system(self, labels: list[str]) -> TaggingSystem:
        """Sequence labelling without a memory of previous labels."""
        return TaggingSystem(labels, order=0)

    def read(self, tokens: np.ndarray, actions: np.ndarray) -> Labelled:
        """The labels given by actions."""
        return Labelled(tokens, self.perceptron.system.build(actions)[0])
