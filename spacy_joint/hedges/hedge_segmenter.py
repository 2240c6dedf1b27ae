"""`hedge_segmenter`: the extents of hedges, without their internal structure, as a spaCy component.

It is the first step of segment-then-parse (Yarmohammadi, Dunlop & Roark 2014); `hedge_chunker` with `joint` does not
need it. A sequence model of order 2 labels each word with the type of its segment and whether it begins the segment.
"""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.constituents import SEGMENTS, register_extensions, set_constituents
from ..engine.learner import Instance
from ..errors import Errors, JointValueError, check_range
from ..pipes.structured_pipe import StructuredPipe
from ..pipes.token_columns import drop_wrong_starts, read_starts
from ..trees.constituency_trees import Constituent
from ..trees.transform import GROUP, find_segments
from .reference import Reference, read_reference
from .segments import MAX_SPAN, SegmentSystem

# The label of segments without types.
UNTYPED = "SEGMENT"

register_extensions()


class HedgeSegmenter(StructuredPipe[list[Constituent]]):
    """Finds segments: hedges of several words, and groups of the words between them."""

    default_templates = Path(__file__).parent / "segment_templates.txt"
    trained_settings = ("max_span", "typed")

    def __init__(self, *args: Any, max_span: int, **settings: Any) -> None:
        check_range("max_span", max_span, 1, MAX_SPAN)
        super().__init__(*args, max_span=max_span, **settings)

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """Collects the types of segments, starting with groups; or a single label, without types."""
        references = (read_reference(example, self.cfg["max_span"]) for example in examples)
        found = {kind for reference in references if reference is not None for kind, _, _ in _segment(reference)}
        if not found:
            raise JointValueError(Errors.J330, source="The data", what="constituents")
        return [GROUP, *sorted(found - {GROUP})] if self.cfg["typed"] else [UNTYPED]

    def make_system(self, labels: list[str]) -> SegmentSystem:
        """Makes the Markov model with these types."""
        return SegmentSystem(labels, self.cfg["max_span"])

    def make_instances(self, example: Example) -> list[Instance]:
        """Makes an instance of the segments of the reference; none if it has no constituents."""
        reference = read_reference(example, self.cfg["max_span"])
        if reference is None:
            return []
        segments = [(kind, start, index) for kind, start, end in _segment(reference) for index in range(start, end)]
        types = [kind if self.cfg["typed"] else UNTYPED for kind, _, _ in segments]
        starts = [start == index for _, start, index in segments]
        if (actions := self.perceptron.system.actions(types, starts)) is None:
            return []
        constraints = drop_wrong_starts(read_starts(example.predicted), reference.starts)
        # If the reference has no sentence boundaries, preset ones may cut its segments.
        wrong = (constraints[reference.tokens] > 0) & ~np.array(starts)
        constraints[reference.tokens[wrong]] = 0
        return [Instance(self.get_columns(example.predicted, constraints)[0], actions)]

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """Returns the known starts of sentences (int8, one per token)."""
        return read_starts(doc)

    def predict_doc(self, doc: Doc) -> list[Constituent]:
        """Predicts the segments of a document: type, first token and end."""
        ((tokens, actions, _),) = self.search_all([doc])
        types, starts = self.perceptron.system.build(actions)
        return [
            (types[first], int(tokens[first]), int(tokens[end - 1]) + 1)
            for first, end in pairwise([*np.flatnonzero(starts).tolist(), len(tokens)])
        ]

    def annotate(self, doc: Doc, prediction: list[Constituent]) -> None:
        """Writes the segments as a group of spans."""
        set_constituents(doc, prediction, SEGMENTS)


def _segment(reference: Reference) -> list[Constituent]:
    """Finds the segments of a reference, over its counted tokens."""
    starts = [] if reference.starts is None else np.flatnonzero(reference.starts[reference.tokens]).tolist()
    return find_segments(reference.tree.spans()[1:], len(reference.tokens), set(starts))
