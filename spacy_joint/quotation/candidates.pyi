from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from ..engine.columns import Columns
from ..engine.templates import Templates
from ..engine.weights import Weights
from .system import QuotationSystem

class SpanScorer:
    def __new__(cls, system: QuotationSystem, templates: Templates, weights: Weights, columns: Columns) -> Self: ...
    def score_spans(self, spans: Sequence[tuple[int, int]]) -> list[float]: ...
    def find(self, slack: float, longest: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]: ...
