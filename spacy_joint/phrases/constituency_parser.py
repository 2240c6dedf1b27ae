"""`constituency_parser`: whole phrase structure, continuous or discontinuous, as a spaCy component.

A transition system with gaps or with swaps (see gap_system.pyx and swap_system.pyx) searches each sentence. Documents
need sentence boundaries, and should have tags, which the features read. The result is in `doc.spans["constituents"]`,
with the attributes of annotation/constituents.py.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import ORTH
from spacy.strings import get_string_id
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..annotation.constituents import CONSTITUENTS, Phrase, get_trees, group_blocks, set_phrases
from ..annotation.noun_chunks import chunk_constituents, use_noun_chunks, use_noun_chunks_in
from ..engine.learner import Instance
from ..errors import Warnings, check_choice, check_value
from ..pipes.phrase_pipe import PhrasePipe
from ..pipes.token_columns import find_reference_starts, has_same_tokens, project_spans, read_starts
from ..trees.constituency_trees import ROOT, Tree
from ..trees.discontinuity import make_continuous
from ..trees.heads import load_head_rules
from ..trees.transform import INTERMEDIATE, mark_heads
from .binary_trees import list_phrases, split_chain, to_nodes
from .gap_system import GapSystem, ShiftReduceSystem, name_actions
from .swap_system import MARKS, MOVES, SwapSystem
from .swap_system import name_actions as name_swap_actions

# The constraint of tokens that start a sentence.
SENTENCE_START = 1


class Transitions(NamedTuple):
    """A kind of transition system: its constructor, a function that names the actions that build a binarised tree, and
    its default templates."""

    make: Callable[..., GapSystem | SwapSystem]
    name_actions: Callable[[int, Sequence[tuple[str, int, int, int]]], Sequence[tuple[Any, ...]] | None]
    templates: Path
    moves: str = ""  # the name of moves of words, whose distances are labels


GAP_TEMPLATES, SWAP_TEMPLATES = (Path(__file__).parent / f"{kind}_templates.txt" for kind in ("gap", "swap"))
# By their names in settings.
SYSTEMS = {
    "gap": Transitions(GapSystem, name_actions, GAP_TEMPLATES),
    "shift_reduce": Transitions(ShiftReduceSystem, name_actions, GAP_TEMPLATES),
    **{
        kind: Transitions(partial(SwapSystem, kind=kind), partial(name_swap_actions, kind=kind), SWAP_TEMPLATES, moves)
        for kind, moves in MOVES.items()
    },
}
# The actions whose updates count `update_weight` times.
MOVING = ("GAP", *MOVES.values())


class ConstituencyTrees(NamedTuple):
    """The constituents of a document."""

    tokens: np.ndarray  # all except whitespace
    sentences: list[tuple[int, list[Phrase]]]  # the number of words of each, and its constituents below the root


class ConstituencyParser(PhrasePipe[ConstituencyTrees]):
    """Parses sentences into constituents."""

    default_templates = SYSTEMS["gap"].templates
    trained_settings = ("system",)

    def __init__(self, *args: Any, system: str, head_rules: str, update_weight: float, **settings: Any) -> None:
        check_choice("system", system, SYSTEMS)
        check_value("update_weight", update_weight, update_weight > 0, "above 0")
        self.transitions = SYSTEMS[system]
        self.default_templates = self.transitions.templates
        self.head_rules = load_head_rules(head_rules)
        super().__init__(*args, system=system, head_rules=head_rules, update_weight=update_weight, **settings)
        use_noun_chunks_in(self.vocab, chunk_constituents)

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, Any]:
        """Collects the labels of the system: "unary", "binary" with the sides of heads, and "distances" of moves."""
        names: set[tuple[Any, ...]] = set()
        for example in examples:
            reference = _read_reference(example)
            for tree in get_trees(reference) if reference is not None else ():
                names.update(self._name_actions(tree) or ())
        labels: dict[str, Any] = {
            "unary": sorted(name[1] for name in names if name[0] == "UNARY" and name[1] != ROOT),
            "binary": sorted([name[1], name[2]] for name in names if name[0] == "BINARY"),
        }
        if self.transitions.moves:
            labels["distances"] = sorted(name[1] for name in names if name[0] == self.transitions.moves)
        return labels

    def _name_actions(self, tree: Tree) -> Sequence[tuple[Any, ...]] | None:
        if self.cfg["system"] == "shift_reduce":
            tree = make_continuous(mark_heads(tree, self.head_rules))
        return self.transitions.name_actions(len(tree.preterminals()), to_nodes(tree, self.head_rules))

    def flatten_labels(self, labels: dict[str, Any]) -> tuple[str, ...]:
        """Lists the labels of constituents, sorted."""
        chains = [*labels["unary"], *(label.removeprefix(INTERMEDIATE) for label, _ in labels["binary"])]
        return tuple(sorted({label for chain in chains for label in split_chain(chain)} - {ROOT}))

    def make_system(self, labels: dict[str, Any]) -> GapSystem | SwapSystem:
        """Makes the transition system with these labels."""
        return self.transitions.make(**labels, root=ROOT, tag_column=self.tag_column)

    def make_instances(self, example: Example) -> list[Instance]:
        """Makes an instance of each sentence of the reference, except sentences whose labels the system lacks."""
        reference = _read_reference(example)
        # None if there are no words.
        trees = [] if reference is None else get_trees(reference)
        if reference is None or not trees:
            return []
        columns, _ = self.get_columns(example.predicted, read_starts(reference))
        instances = []
        for part, tree in zip(columns.split(SENTENCE_START), trees, strict=True):
            names = self._name_actions(tree)
            actions = self.perceptron.system.number_actions(names)
            if names is not None and actions is not None:
                update_weight = [self.cfg["update_weight"] if name[0] in MOVING else 1.0 for name in names]
                instances.append(Instance(part, actions, update_weight))
        return instances

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """Returns the starts of sentences (int8, one per token). A document without boundaries is one sentence
        (JW04)."""
        if not doc.has_annotation("SENT_START"):
            self.warn_once(Warnings.JW04)
            return np.zeros(len(doc), dtype=np.int8)
        return read_starts(doc)

    def find_token_info(self, doc: Doc, tokens: np.ndarray) -> np.ndarray | None:
        """Finds the counts of marks, for swaps."""
        if not isinstance(self.perceptron.system, SwapSystem):
            return None
        words = doc.to_array([ORTH]).reshape(-1)[tokens]
        is_mark = words[:, np.newaxis] == np.array([get_string_id(mark) for mark in MARKS], dtype=np.uint64)
        return np.cumsum(is_mark, axis=0)

    def predict_doc(self, doc: Doc) -> ConstituencyTrees:
        """Predicts the constituents of a document."""
        if not len(doc):
            return ConstituencyTrees(np.zeros(0, dtype=np.intp), [])
        columns, tokens = self.get_columns(doc, self.get_constraints(doc))
        build = self.perceptron.system.build
        sentences = [(len(part), self.perceptron.predict(part)) for part in columns.split(SENTENCE_START) if len(part)]
        found = [(n_words, list_phrases(build(path, n_words), n_words)) for n_words, path in sentences]
        return ConstituencyTrees(tokens, found)

    def annotate(self, doc: Doc, prediction: ConstituencyTrees) -> None:
        """Writes the constituents as a group of spans."""
        # A parser that was sourced from another pipeline gets documents with another vocabulary.
        use_noun_chunks(doc, chunk_constituents)
        set_phrases(doc, prediction.sentences, prediction.tokens.tolist())


def _read_reference(example: Example) -> Doc | None:
    """Reads the annotation of the reference over the predicted tokens; None if it has no constituents or boundaries."""
    reference, predicted = example.reference, example.predicted
    if CONSTITUENTS not in reference.spans or not reference.has_annotation("SENT_START"):
        return None
    if has_same_tokens(example):
        return reference
    starts = find_reference_starts(example)
    projected = Doc(
        predicted.vocab,
        words=[token.text for token in predicted],
        spaces=[bool(token.whitespace_) for token in predicted],
        tags=[tag or "" for tag in example.get_aligned("TAG", as_string=True)],
        sent_starts=None if starts is None else starts.tolist(),
    )
    spans = reference.spans[CONSTITUENTS]
    kept = []
    for indices in group_blocks(reference):
        blocks = project_spans(
            example, [(spans[index].label_, spans[index].start, spans[index].end) for index in indices]
        )
        if len(blocks) == len(indices):
            kept += [Span(projected, start, end, label, span_id=spans[indices[0]].id_) for label, start, end in blocks]
    projected.spans[CONSTITUENTS] = SpanGroup(projected, name=CONSTITUENTS, spans=kept)
    return projected
