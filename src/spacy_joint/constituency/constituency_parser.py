"""`constituency_parser`: whole phrase structure, continuous or discontinuous, as a spaCy component.

Sentences are searched one by one, by a transition system with gaps or with swaps (see gap_system.pxd, merge_system.pxd
and swap_system.pxd). Documents need sentence boundaries, and should have tags, which the features read. The result is
in `doc.spans["constituents"]`, with the attributes of annotation/constituents.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import ORTH
from spacy.strings import get_string_id
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..annotation.constituency_trees import ROOT, Tree
from ..annotation.constituents import CONSTITUENTS, Phrase, get_trees, group_blocks, set_phrases
from ..annotation.noun_chunks import chunk_constituents, use_noun_chunks, use_noun_chunks_in
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..errors import Errors, JointValueError, Warnings
from ..pipes.token_columns import find_reference_starts, has_same_tokens, move_off_whitespace
from .binary_trees import split_chain, to_nodes, to_phrases
from .discontinuity import make_continuous
from .gap_system import GapSystem, ShiftReduceSystem, name_actions
from .heads import load_head_rules
from .merge_system import MergeSystem
from .merge_system import name_actions as name_merge_actions
from .phrase_pipe import PhrasePipe
from .reference import carry_over
from .swap_system import MARKS, MOVES, SwapSystem
from .swap_system import name_actions as name_swap_actions
from .transform import TEMPORARY, mark_heads

# The constraint of tokens that start a sentence.
SENTENCE_START = 1


class Transitions(NamedTuple):
    """A transition system, by its name in settings.

    make: Makes the system from its lists of labels, `root` and `tag_column`.
    name_actions: Names the actions that build a binarised tree; None if there are none.
    labels: The lists of labels, and the names of their actions.
    templates: The file of the default templates.
    """

    make: Callable[..., GapSystem | SwapSystem]
    name_actions: Callable[[int, Sequence[tuple[str, int, int, int]]], Sequence[tuple[Any, ...]] | None]
    labels: Mapping[str, str]
    templates: Path


FOLDER = Path(__file__).parent
BINARISED = {"unary": "UNARY", "binary": "BINARY"}
MERGED = {"unary": "UNARY", "branching": "LABEL"}
SYSTEMS = {
    "gap": Transitions(GapSystem, name_actions, BINARISED, FOLDER / "gap_templates.txt"),
    "merge_label": Transitions(MergeSystem, name_merge_actions, MERGED, FOLDER / "gap_templates.txt"),
    "shift_reduce": Transitions(ShiftReduceSystem, name_actions, BINARISED, FOLDER / "gap_templates.txt"),
    **{
        kind: Transitions(
            partial(SwapSystem, kind=kind),
            partial(name_swap_actions, kind=kind),
            {**BINARISED, "distances": move},
            FOLDER / "swap_templates.txt",
        )
        for kind, move in MOVES.items()
    },
}
# The actions whose updates count `importance` times.
MOVING = ("GAP", *MOVES.values())


class Parsed(NamedTuple):
    """The constituents of a document.

    tokens: The tokens that are not whitespace.
    sentences: The number of these tokens in each sentence, and its constituents below the root.
    """

    tokens: np.ndarray
    sentences: list[tuple[int, list[Phrase]]]


class ConstituencyParser(PhrasePipe[Parsed]):
    """Parses sentences into constituents."""

    default_templates = SYSTEMS["gap"].templates

    def __init__(self, *args: Any, system: str, head_rules: str, importance: float, **settings: Any) -> None:
        if system not in SYSTEMS:
            raise JointValueError(Errors.J570, found=system, allowed=", ".join(SYSTEMS))
        if not importance > 0:
            raise JointValueError(Errors.J572, value=importance)
        self.transitions = SYSTEMS[system]
        self.default_templates = self.transitions.templates
        self.head_rules = load_head_rules(head_rules)
        super().__init__(*args, system=system, head_rules=head_rules, importance=importance, **settings)
        use_noun_chunks_in(self.vocab, chunk_constituents)

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, Any]:
        """The lists of labels that the system takes: "unary", and "binary", with the sides of heads, or "branching";
        for swaps also "distances", over how many words they are."""
        names: set[tuple[Any, ...]] = set()
        for example in examples:
            reference = _read_reference(example)
            for tree in get_trees(reference) if reference is not None else ():
                names.update(self._name_actions(tree) or ())
        return {
            key: sorted(
                name[1] if len(name) == 2 else list(name[1:])
                for name in names
                if name[0] == action and name[1:] != (ROOT,)
            )
            for key, action in self.transitions.labels.items()
        }

    def extend_labels(self, labels: dict[str, Any] | None, added: Sequence[str]) -> dict[str, Any]:
        """Added labels are for unary and for all other constituents."""
        if self.transitions.labels is not MERGED:
            return super().extend_labels(labels, added)
        labels = labels or {key: [] for key in MERGED}
        return {key: sorted({*names, *added}) for key, names in labels.items()}

    def _name_actions(self, tree: Tree) -> Sequence[tuple[Any, ...]] | None:
        """The actions that build a tree, or its continuous variant if the system builds no other trees."""
        if self.cfg["system"] == "shift_reduce":
            tree = make_continuous(mark_heads(tree, self.head_rules))
        return self.transitions.name_actions(len(tree.preterminals()), to_nodes(tree, self.head_rules))

    def flatten_labels(self, labels: dict[str, Any]) -> tuple[str, ...]:
        """The labels of constituents, sorted."""
        chains = [*labels["unary"], *labels.get("branching", ())]
        chains += [label.removeprefix(TEMPORARY) for label, _ in labels.get("binary", ())]
        return tuple(sorted({label for chain in chains for label in split_chain(chain)} - {ROOT}))

    def make_system(self, labels: dict[str, Any]) -> GapSystem | SwapSystem:
        """The transition system with these labels."""
        return self.transitions.make(**labels, root=ROOT, tag_column=self.tag_column)

    def make_instances(self, example: Example) -> list[Instance]:
        """The actions that build each sentence of the reference; none if it has no constituents.

        Sentences with labels that the system lacks are left out.
        """
        reference = _read_reference(example)
        if reference is None or not len(reference):
            return []
        columns, _ = self.get_columns(example.predicted, _find_starts(reference))
        instances = []
        for part, tree in zip(columns.split(SENTENCE_START), get_trees(reference), strict=True):
            names = self._name_actions(tree)
            actions = self.perceptron.system.number_actions(names)
            if names is not None and actions is not None:
                importance = [self.cfg["importance"] if name[0] in MOVING else 1.0 for name in names]
                instances.append(Instance(part, actions, importance))
        return instances

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """The starts of sentences (int8, one per token). A document without boundaries is one sentence (JW04)."""
        if not doc.has_annotation("SENT_START"):
            self.warn_once(Warnings.JW04)
            return np.zeros(len(doc), dtype=np.int8)
        return _find_starts(doc)

    def get_columns(self, doc: Doc, constraints: np.ndarray | None) -> tuple[Columns, np.ndarray]:
        """The columns for the templates, for swaps with counts of marks, and the tokens of their rows."""
        columns, tokens = super().get_columns(doc, constraints)
        if isinstance(self.perceptron.system, SwapSystem):
            words = doc.to_array([ORTH]).reshape(-1)[tokens]
            is_mark = words[:, np.newaxis] == np.array([get_string_id(mark) for mark in MARKS], dtype=np.uint64)
            columns = columns.with_facts(np.cumsum(is_mark, axis=0))
        return columns, tokens

    def predict_doc(self, doc: Doc) -> Parsed:
        """The constituents of a document."""
        if not len(doc):
            return Parsed(np.zeros(0, dtype=np.intp), [])
        columns, tokens = self.get_columns(doc, self.get_constraints(doc))
        return Parsed(tokens, [self._parse(part) for part in columns.split(SENTENCE_START) if len(part)])

    def _parse(self, sentence: Columns) -> tuple[int, list[Phrase]]:
        n_words = len(sentence)
        return n_words, to_phrases(self.perceptron.system.build(self.search(sentence), n_words), n_words)

    def annotate(self, doc: Doc, prediction: Parsed) -> None:
        """Writes the constituents as a group of spans."""
        # The vocabulary is another one if the parser has been sourced from another pipeline.
        use_noun_chunks(doc, chunk_constituents)
        set_phrases(doc, prediction.sentences, prediction.tokens.tolist())


def _find_starts(doc: Doc) -> np.ndarray:
    """The starts of sentences (int8, one per token)."""
    starts = np.zeros(len(doc), dtype=bool)
    starts[[sentence.start for sentence in doc.sents]] = True
    return move_off_whitespace(starts, doc).astype(np.int8)


def _read_reference(example: Example) -> Doc | None:
    """The annotation of the reference over the predicted tokens; None if it has no constituents or boundaries."""
    reference, predicted = example.reference, example.predicted
    if CONSTITUENTS not in reference.spans or not reference.has_annotation("SENT_START"):
        return None
    if has_same_tokens(example):
        return reference
    starts = find_reference_starts(example)
    carried = Doc(
        predicted.vocab,
        words=[token.text for token in predicted],
        spaces=[bool(token.whitespace_) for token in predicted],
        tags=[tag or "" for tag in example.get_aligned("TAG", as_string=True)],
        sent_starts=None if starts is None else starts.tolist(),
    )
    spans = reference.spans[CONSTITUENTS]
    kept = []
    for places in group_blocks(reference):
        blocks = carry_over(example, [(spans[place].label_, spans[place].start, spans[place].end) for place in places])
        if len(blocks) == len(places):
            kept += [Span(carried, start, end, label, span_id=spans[places[0]].id) for label, start, end in blocks]
    carried.spans[CONSTITUENTS] = SpanGroup(carried, name=CONSTITUENTS, spans=kept)
    return carried
