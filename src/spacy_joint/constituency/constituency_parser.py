"""`constituency_parser`: whole phrase structure, continuous or discontinuous, as a spaCy component.

Sentences are searched one by one, by a transition system with gaps (see gap_system.pxd). Documents need sentence
boundaries, and should have tags, which the features read. The result is in `doc.spans["constituents"]`, with the
attributes of annotation/constituents.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..annotation.constituency_trees import ROOT
from ..annotation.constituents import CONSTITUENTS, Phrase, get_trees, group_blocks, set_phrases
from ..annotation.noun_chunks import chunk_constituents, use_noun_chunks, use_noun_chunks_in
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..errors import Warnings
from ..pipes.token_columns import find_reference_starts, has_same_tokens, move_off_whitespace
from .binary_trees import split_chain, to_nodes, to_phrases
from .gap_system import GapSystem, name_actions
from .heads import load_head_rules
from .phrase_pipe import PhrasePipe
from .reference import carry_over
from .transform import TEMPORARY

# The constraint of tokens that start a sentence.
SENTENCE_START = 1


class Parsed(NamedTuple):
    """The constituents of a document.

    tokens: The tokens that are not whitespace.
    sentences: The number of these tokens in each sentence, and its constituents below the root.
    """

    tokens: np.ndarray
    sentences: list[tuple[int, list[Phrase]]]


class ConstituencyParser(PhrasePipe[Parsed]):
    """Parses sentences into constituents."""

    default_templates = Path(__file__).parent / "gap_templates.txt"

    def __init__(self, *args: Any, head_rules: str, **settings: Any) -> None:
        self.head_rules = load_head_rules(head_rules)
        super().__init__(*args, head_rules=head_rules, **settings)
        use_noun_chunks_in(self.vocab, chunk_constituents)

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, Any]:
        """The labels of unary constituents, and those of binary ones with the sides of their heads."""
        names: set[tuple[str, ...]] = set()
        for example in examples:
            reference = _read_reference(example)
            for tree in get_trees(reference) if reference is not None else ():
                names.update(name_actions(len(tree.preterminals()), to_nodes(tree, self.head_rules)) or ())
        return {
            "unary": sorted(name[1] for name in names if name[0] == "UNARY" and name[1] != ROOT),
            "binary": sorted([name[1], name[2]] for name in names if name[0] == "BINARY"),
        }

    def flatten_labels(self, labels: dict[str, Any]) -> tuple[str, ...]:
        """The labels of constituents, sorted."""
        chains = [*labels["unary"], *(label.removeprefix(TEMPORARY) for label, _ in labels["binary"])]
        return tuple(sorted({label for chain in chains for label in split_chain(chain)} - {ROOT}))

    def make_system(self, labels: dict[str, Any]) -> GapSystem:
        """The transition system with these labels."""
        return GapSystem(labels["unary"], labels["binary"], ROOT, self.tag_column)

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
            actions = self.perceptron.system.actions(len(part), to_nodes(tree, self.head_rules))
            if actions is not None:
                instances.append(Instance(part, actions))
        return instances

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """The starts of sentences (int8, one per token). A document without boundaries is one sentence (JW04)."""
        if not doc.has_annotation("SENT_START"):
            self.warn_once(Warnings.JW04)
            return np.zeros(len(doc), dtype=np.int8)
        return _find_starts(doc)

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
