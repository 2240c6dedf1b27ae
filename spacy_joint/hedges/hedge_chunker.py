"""`hedge_chunker`: phrase structure up to a maximum number of words, as a spaCy component.

A hedge (Yarmohammadi, Dunlop & Roark 2014) is a maximal constituent of at most `max_span` words, with its internal
structure; it is not an expression of uncertainty. Documents need no sentence boundaries; constituents never cross known
boundaries. With `joint`, one search finds extents and structure; without it, the segments of an earlier
`hedge_segmenter` are fixed. The document should have part-of-speech tags, which the features read.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..annotation.constituents import CONSTITUENTS, SEGMENTS, set_constituents, set_group
from ..annotation.spans import read_spans
from ..engine.learner import Instance
from ..errors import Errors, JointValueError, check_range, check_value
from ..pipes.phrase_pipe import PhrasePipe
from ..pipes.token_columns import drop_wrong_starts, read_starts
from ..trees.constituency_trees import Constituent, find_outermost
from ..trees.transform import CHUNK_TYPES, GROUP, OUT, find_segments
from .reference import read_reference
from .segments import MAX_SPAN
from .system import HedgeSystem, find_longest_chain, name_action

# Constraints, see system.pyx: a sentence starts at a token; or no constituent crosses the boundary before it.
SENTENCE_START, SEGMENT_START = 1, 2
# The number of words after the next one that features read.
LOOKAHEAD = 3


class HedgePrediction(NamedTuple):
    """The constituents of a document, in positions among its non-whitespace tokens."""

    tokens: np.ndarray
    constituents: list[Constituent]


class HedgeChunker(PhrasePipe[HedgePrediction]):
    """Finds hedges and their internal structure."""

    default_templates = Path(__file__).parent / "templates.txt"
    trained_settings = ("max_span",)
    guide_templates = Path(__file__).parent / "guide_templates.txt"

    def __init__(self, *args: Any, max_span: int, **settings: Any) -> None:
        check_range("max_span", max_span, 1, MAX_SPAN)
        key = settings["spans_key"]
        check_value("spans_key", key, key not in (CONSTITUENTS, SEGMENTS), "the key of no other group")
        super().__init__(*args, max_span=max_span, **settings)

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, Any]:
        """Collects the categories of unary constituents, the labels and head sides of binary ones, and the length of
        the longest unary chain."""
        names: set[tuple[str, ...]] = set()
        longest = 0
        for example in examples:
            reference = read_reference(example, self.cfg["max_span"])
            for constituent in () if reference is None else reference.binarise():
                found = list(map(name_action, constituent.nodes()))
                names.update(found)
                longest = max(longest, find_longest_chain(found))
        return {
            "unary": sorted(name[1] for name in names if name[0] == "UNARY"),
            "binary": sorted([name[1], name[2]] for name in names if name[0] == "BINARY"),
            "longest_chain": longest,
        }

    def flatten_labels(self, labels: dict[str, Any]) -> tuple[str, ...]:
        """Lists the categories of constituents, sorted."""
        return tuple(sorted({*labels["unary"], *(label.lstrip("@") for label, _ in labels["binary"])}))

    def extend_labels(self, labels: dict[str, Any] | None, added: Sequence[str]) -> dict[str, Any]:
        """Adds labels, which may also be above a word."""
        extended = super().extend_labels(labels, added)
        return {**extended, "longest_chain": max(extended.get("longest_chain", 0), 1 if added else 0)}

    def make_system(self, labels: dict[str, Any]) -> HedgeSystem:
        """Makes the shift-reduce system with these labels."""
        limits = self.cfg["max_span"], labels["longest_chain"]
        return HedgeSystem(labels["unary"], labels["binary"], *limits, self.tag_column)

    def _set_up(self, labels: Any, templates: str) -> None:
        super()._set_up(labels, templates)
        # The types of segments are labels, too.
        for kind in (GROUP, OUT, *CHUNK_TYPES):
            self.vocab.strings.add(kind)

    def make_instances(self, example: Example) -> list[Instance]:
        """Makes an instance of the actions that build the reference; none if it has no constituents, or unknown
        labels."""
        reference = read_reference(example, self.cfg["max_span"])
        if reference is None:
            return []
        if (actions := self.perceptron.system.actions(reference.binarise())) is None:
            return []
        constraints = drop_wrong_starts(self.get_constraints(example.predicted), reference.starts)
        # Predicted segments may be wrong: constraints must not cut hedges of the reference.
        for _, start, end in find_outermost(reference.tree.spans()[1:]):
            within = reference.tokens[start + 1 : end]
            constraints[within] = np.minimum(constraints[within], 0)
        return [Instance(self.get_columns(example.predicted, constraints)[0], actions)]

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """Returns the known starts of sentences, and, without `joint`, of segments (int8, one per token). RAISES
        ValueError: If there are no segments (J338)."""
        constraints = read_starts(doc)
        if not self.cfg["joint"]:
            if SEGMENTS not in doc.spans:
                raise JointValueError(Errors.J338, name=self.name)
            starts = np.array([segment.start for segment in read_spans(doc, SEGMENTS)], dtype=np.intp)
            constraints[starts[constraints[starts] != 1]] = SEGMENT_START
        return constraints

    def predict_doc(self, doc: Doc) -> HedgePrediction:
        """Predicts the constituents of a document."""
        return self._chunk(doc, self.get_constraints(doc))

    def _chunk(self, doc: Doc, constraints: np.ndarray) -> HedgePrediction:
        columns, tokens = self.get_columns(doc, constraints)
        # A single search would compare derivations in different sentences at the same step.
        actions = [self.perceptron.predict(part) for part in columns.split(SENTENCE_START)]
        return HedgePrediction(tokens, self.perceptron.system.build(np.concatenate(actions)))

    def annotate(self, doc: Doc, prediction: HedgePrediction) -> None:
        """Writes hedges, all constituents, and segments as groups of spans."""
        tokens, found = prediction
        ids = self.get_label_ids(doc, (label for label, _, _ in found))
        firsts, lasts = tokens.tolist(), (tokens + 1).tolist()
        # One object per constituent, which may be in two groups.
        spans = {
            constituent: Span(doc, firsts[constituent[1]], lasts[constituent[2] - 1], ids[constituent[0]])
            for constituent in found
        }
        set_group(doc, CONSTITUENTS, list(map(spans.__getitem__, found)))
        hedges = find_outermost(found)
        key = self.cfg["spans_key"]
        if self.cfg["joint"] or self.cfg["groups"]:
            sentences = set(np.flatnonzero(read_starts(doc)[tokens] == 1).tolist())
            segments = find_segments(hedges, len(tokens), sentences)
            if self.cfg["joint"]:
                set_constituents(doc, [(kind, firsts[i], lasts[end - 1]) for kind, i, end in segments], SEGMENTS)
        shown = [spans[hedge] for hedge in hedges]
        if self.cfg["groups"]:
            groups = [Span(doc, firsts[i], lasts[end - 1], GROUP) for kind, i, end in segments if kind == GROUP]
            shown = sorted([*shown, *groups], key=lambda span: (span.start, -span.end))
        doc.spans[key] = SpanGroup(doc, name=key, spans=shown)

    def stream(self, nlp: Language, words: Iterable[str]) -> Iterator[Doc]:
        """Yields hedges of a stream of words: each as soon as it is complete.

        nlp (Language): The pipeline with this component; earlier components, such as a tagger, see the same window.
        words (Iterable[str]): Any number of words, possibly infinite.
        YIELDS (Doc): A hedge, or a word outside of hedges, as a separate annotated document; together they contain all
            words. A word is held back until at most `max_span` + 3 more words have arrived.

        Only a window of words is in memory. Yielded hedges are never revised, and have limited left context, so they
        may differ slightly from those of the whole document.
        """
        max_span = self.cfg["max_span"]
        yielded: deque[str] = deque(maxlen=max_span)
        source = iter(words)
        waiting = list(islice(source, max_span + LOOKAHEAD))
        while waiting:
            first = len(yielded)
            doc = self._chunk_window(nlp, [*yielded, *waiting], first)
            hedge = next((span for span in doc.spans[CONSTITUENTS] if span.start >= first), None)
            end = hedge.end if hedge is not None and hedge.start == first else first + 1
            yield self._cut_out(doc, first, end)
            yielded.extend(waiting[: end - first])
            waiting = [*waiting[end - first :], *islice(source, end - first)]

    def _chunk_window(self, nlp: Language, words: list[str], n_yielded: int) -> Doc:
        """Annotates a document of these words, in which no hedge crosses the end of the words already yielded."""
        if self not in (pipe for _, pipe in nlp.pipeline):
            raise JointValueError(Errors.J339, name=self.name)
        doc = Doc(nlp.vocab, words=words)
        for _, pipe in takewhile(lambda item: item[1] is not self, nlp.pipeline):
            doc = pipe(doc)
        constraints = self.get_constraints(doc)
        if constraints[n_yielded] != SENTENCE_START:
            constraints[n_yielded] = SEGMENT_START
        self.annotate(doc, self._chunk(doc, constraints))
        return doc

    def _cut_out(self, doc: Doc, first: int, end: int) -> Doc:
        part = doc[first:end].as_doc()
        for key in (CONSTITUENTS, self.cfg["spans_key"]):
            spans = [span for span in doc.spans[key] if first <= span.start and span.end <= end]
            set_constituents(part, [(span.label_, span.start - first, span.end - first) for span in spans], key)
        return part
