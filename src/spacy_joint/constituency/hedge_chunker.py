"""`hedge_chunker`: phrase structure up to a maximum number of words, as a spaCy component.

A hedge (Yarmohammadi, Dunlop & Roark 2014) is a maximal constituent of at most `max_span` words, with its internal
structure; it is not an expression of uncertainty. Documents need no sentence boundaries; constituents never cross known
boundaries. With `joint`, one search finds extents and structure; without it, the segments of an earlier
`hedge_segmenter` are fixed. The document should have part-of-speech tags, which the features read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..annotation.constituency_trees import Constituent, Tree, find_outermost
from ..annotation.constituents import CONSTITUENTS, SEGMENTS, set_constituents, set_group
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..errors import Errors, JointValueError
from ..pipes.token_columns import keep_right_starts, read_starts
from .heads import load_head_rules
from .phrase_pipe import PhrasePipe
from .reference import read_reference
from .system import HedgeSystem, name_action
from .transform import CHUNK_TYPES, GROUP, OUT, find_segments

# Constraints, see system.pyx: a sentence starts at the token; or no constituent crosses the boundary before the token,
# which may be within a sentence.
SENTENCE_START = 1
SEGMENT_START = 2
# Trees are those of the Penn Treebank, or like them.
HEAD_RULES = "english"
# The number of words after the next one that features look at.
LOOKAHEAD = 3


class Hedged(NamedTuple):
    """The constituents of a document, in positions among its non-whitespace tokens."""

    tokens: np.ndarray
    constituents: list[Constituent]


class HedgeChunker(PhrasePipe[Hedged]):
    """Finds hedges and their internal structure."""

    default_templates = Path(__file__).parent / "templates.txt"
    guide_templates = Path(__file__).parent / "guide_templates.txt"

    def __init__(self, *args: Any, max_span: int, **settings: Any) -> None:
        if max_span < 1:
            raise JointValueError(Errors.J332, value=max_span)
        super().__init__(*args, max_span=max_span, **settings)

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, Any]:
        """The categories of unary and the labels and head sides of binary constituents, and the longest unary chain."""
        names: set[tuple[str, ...]] = set()
        longest = 0
        for example in examples:
            reference = read_reference(example, self.cfg["max_span"])
            if reference is not None:
                for constituent in reference.binarise(load_head_rules(HEAD_RULES)):
                    names.update(name_action(node) for node in constituent.nodes() if node.children)
                    longest = max(longest, _find_longest_chain(constituent))
        return {
            "unary": sorted(name[1] for name in names if name[0] == "UNARY"),
            "binary": sorted([name[1], name[2]] for name in names if name[0] == "BINARY"),
            "longest_chain": longest,
        }

    def flatten_labels(self, labels: dict[str, Any]) -> tuple[str, ...]:
        """The categories of constituents, sorted."""
        return tuple(sorted({*labels["unary"], *(label.lstrip("@") for label, _ in labels["binary"])}))

    def extend_labels(self, labels: dict[str, Any] | None, added: Sequence[str]) -> dict[str, Any]:
        """Added labels may be above a word."""
        extended = super().extend_labels(labels, added)
        return {**extended, "longest_chain": max(extended.get("longest_chain", 0), 1 if added else 0)}

    def make_system(self, labels: dict[str, Any]) -> HedgeSystem:
        """The shift-reduce system with these labels."""
        return HedgeSystem(
            labels["unary"],
            labels["binary"],
            self.cfg["max_span"],
            labels["longest_chain"],
            self.tag_column,
        )

    def _set_up(self, labels: Any, templates: str) -> None:
        super()._set_up(labels, templates)
        # The types of segments are labels, too.
        for kind in (GROUP, OUT, *CHUNK_TYPES):
            self.vocab.strings.add(kind)

    def make_instance(self, example: Example) -> Instance | None:
        """The actions that build the reference; None if it has no constituents, or unknown labels."""
        system = self.perceptron.system
        reference = read_reference(example, self.cfg["max_span"])
        if reference is None or not len(reference.tokens):
            return None
        actions = system.actions(reference.binarise(load_head_rules(HEAD_RULES)))
        if actions is None:
            return None
        constraints = keep_right_starts(self.get_constraints(example.predicted), reference.starts)
        # Predicted segments may be wrong: constraints must not cut hedges of the reference.
        for _, start, end in find_outermost(reference.tree.spans()[1:]):
            within = constraints[reference.tokens[start + 1 : end]]
            constraints[reference.tokens[start + 1 : end]] = np.minimum(within, 0)
        return Instance(self.get_columns(example.predicted, constraints)[0], actions)

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """Known starts of sentences, and, without `joint`, of segments (int8, one per token).

        RAISES ValueError: If segments are required but missing (J338).
        """
        constraints = read_starts(doc)
        if not self.cfg["joint"]:
            if SEGMENTS not in doc.spans:
                raise JointValueError(Errors.J338, name=self.name)
            starts = np.array([segment.start for segment in doc.spans[SEGMENTS]], dtype=np.intp)
            constraints[starts[constraints[starts] != 1]] = SEGMENT_START
        return constraints

    def search(self, columns: Columns) -> np.ndarray:
        """The best actions, with one search per sentence if sentences are known, since constituents cannot cross them.

        A single search would compare paths that are in different sentences at the same step.
        """
        return np.concatenate([self.perceptron.predict(part) for part in columns.split(SENTENCE_START)])

    def read(self, tokens: np.ndarray, actions: np.ndarray) -> Hedged:
        """The constituents that actions build."""
        return Hedged(tokens, self.perceptron.system.build(actions))

    def annotate(self, doc: Doc, prediction: Hedged) -> None:
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

        Only a window of words is kept, so memory is bounded. Yielded hedges are never revised, and the left context is
        limited, so hedges may differ slightly from those of the whole document.
        """
        max_span = self.cfg["max_span"]
        yielded: deque[str] = deque(maxlen=max_span)
        waiting: list[str] = []
        source = iter(words)
        ended = False
        while waiting or not ended:
            while not ended and len(waiting) < max_span + LOOKAHEAD:
                word = next(source, None)
                ended = word is None
                if word is not None:
                    waiting.append(word)
            if waiting:
                doc = self._chunk_window(nlp, [*yielded, *waiting], len(yielded))
                first = len(yielded)
                hedge = next((span for span in doc.spans[CONSTITUENTS] if span.start >= first), None)
                end = hedge.end if hedge is not None and hedge.start == first else first + 1
                yield self._cut_out(doc, first, end)
                yielded.extend(waiting[: end - first])
                del waiting[: end - first]

    def _chunk_window(self, nlp: Language, words: list[str], n_yielded: int) -> Doc:
        """A document of these words, in which no hedge crosses the end of the words already yielded."""
        if self not in (pipe for _, pipe in nlp.pipeline):
            raise JointValueError(Errors.J339, name=self.name)
        doc = Doc(nlp.vocab, words=words)
        for _, pipe in takewhile(lambda named: named[1] is not self, nlp.pipeline):
            doc = pipe(doc)
        constraints = self.get_constraints(doc)
        if constraints[n_yielded] != 1:
            constraints[n_yielded] = SEGMENT_START
        columns, tokens = self.get_columns(doc, constraints)
        self.annotate(doc, self.read(tokens, self.search(columns)))
        return doc

    def _cut_out(self, doc: Doc, first: int, end: int) -> Doc:
        """A part of a document with its hedges."""
        part = doc[first:end].as_doc()
        for key in (CONSTITUENTS, self.cfg["spans_key"]):
            spans = [span for span in doc.spans[key] if first <= span.start and span.end <= end]
            set_constituents(part, [(span.label_, span.start - first, span.end - first) for span in spans], key)
        return part


def _find_longest_chain(constituent: Tree) -> int:
    """The length of the longest unary chain."""
    longest = 0
    pending = [(constituent, 0)]
    while pending:
        node, above = pending.pop()
        length = above + 1 if len(node.children) == 1 else 0
        longest = max(longest, length)
        pending.extend((child, length) for child in node.children)
    return longest
