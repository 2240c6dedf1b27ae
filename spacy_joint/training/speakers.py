"""Learning who speaks in conversations, from LitBank's quotations and from whole novels without annotation.

LitBank annotates speakers but lacks paragraphs, so a paragraph is assumed to start with each quotation that follows
another one, or more than a sentence of narration. In unannotated novels, the names beside quotations are hidden, fully
or except for their gender, as if they were pronouns, and the model learns to guess them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..annotation.quotations import DIRECT, QUOTATIONS, Run
from ..engine.choice_model import ChoiceModel
from ..engine.columns import Columns
from ..errors import Errors, JointValueError
from ..quotation.attribution import find_mentions
from ..quotation.characters import Cast
from ..quotation.conversation import attribute, find_turns, is_open, make_model, name_speakers
from ..quotation.layout import find_paragraph_starts, unwrap
from ..quotation.marks import find_marking
from ..quotation.rules import find_rule_cues
from ..quotation.speaker_columns import MAX_NARRATION, Turn, describe, make_columns
from ..scoring.speakers import are_same

# The columns of the candidates of a turn, and the indices of the right ones.
Instance = tuple[Columns, list[int]]
# The weight of an annotated turn, relative to turns with hidden names, which differ from turns that have no name.
REPEATS = 30
EPOCHS = 2


class Novel(NamedTuple):
    """A novel, with the gold characters of its quotations if it is annotated."""

    speakers: list[str]
    mentions: list[Run | None]
    cast: Cast
    turns: list[Turn]


def read_annotated(gold: Doc, nlp: Language) -> Novel:
    """Tags and parses a document of LitBank, and finds its turns."""
    spans = [span for span in sorted(gold.spans[QUOTATIONS]) if span.kb_id_]
    cuts = set()
    for last, span in pairwise(spans):
        between = gold[last.end : span.start]
        n_words = sum(token.text[0].isalnum() for token in between)
        n_sentences = sum(bool(token.is_sent_start) for token in between)
        if not n_words or (gold[span.start].is_sent_start and (n_words > MAX_NARRATION or n_sentences > 1)):
            cuts.add(span.start)
    words: list[str] = []
    places = []
    for token in gold:
        words += ["\n\n"] * (token.i in cuts)
        places.append(len(words))
        words.append(token.text)
    doc = nlp(Doc(nlp.vocab, words=words))
    runs = [(places[span.start], places[span.end - 1] + 1) for span in spans]
    marking = find_marking(doc, single_quotes=True)
    mentions = find_mentions(doc, marking.starts, runs, runs, find_rule_cues(doc, marking)).list_speakers()
    turns = find_turns(doc, marking.starts, runs, [DIRECT] * len(runs), mentions)
    return Novel([span.kb_id_ for span in spans], mentions, *turns)


def read_plain(doc: Doc, finder: Any) -> Novel:
    """Finds the quotations and turns of a tagged and parsed novel without annotation, by a `quotation_spans`."""
    doc, _ = unwrap(doc, ())
    found = finder.predict_doc(doc)
    mentions = [None if cue is None else found.speakers.get(cue) for cue in found.governing]
    return Novel([], mentions, *find_turns(doc, find_paragraph_starts(doc), found.runs, found.labels, mentions))


def list_hidden(novel: Novel, names: Sequence[str], *, with_gender: bool) -> Iterator[Instance]:
    """Yields instances of turns with a name, which is hidden; the speakers of other turns have been decided."""
    for k, turn in enumerate(novel.turns):
        gender = "" if turn.character is None or not with_gender else turn.character.gender
        if turn.is_named and gender is not None:
            candidates, rows = describe(novel.cast, novel.turns, k, gender)
            if turn.character in candidates:
                yield make_columns(names, rows), [candidates.index(turn.character)]


def list_annotated(novel: Novel, names: Sequence[str]) -> Iterator[Instance]:
    """Yields instances of turns without a name. Later turns see the true speaker, if it is a candidate."""
    name_speakers(novel.cast, novel.turns)
    for k, turn in enumerate(novel.turns):
        if is_open(novel.cast, turn):
            candidates, rows = describe(novel.cast, novel.turns, k)
            right = [i for i, one in enumerate(candidates) if are_same(novel.speakers[turn.runs[0]], one)]
            yield make_columns(names, rows), right
            turn.character = candidates[right[0]] if right else None


def learn_speakers(annotated: Sequence[Novel], plain: Sequence[Novel] = (), *, seed: int = 0) -> ChoiceModel:
    """Learns a model from annotated novels, and from hidden names in plain ones. A first model, learnt from annotated
    novels only, decides the turns around hidden names. The same seed gives the same bytes.

    RAISES ValueError: If all annotated turns have names (J330).
    """
    model = make_model()
    names = model.templates.columns
    known = [instance for novel in annotated for instance in list_annotated(novel, names)]
    if not known:
        raise JointValueError(Errors.J330, source="The corpus", what="quotations with annotated speakers")
    known *= REPEATS
    _fit(model, known, seed)
    hidden: list[Instance] = []
    for novel in plain:
        attribute(novel.cast, novel.turns, model)
        for with_gender in (False, True):
            hidden += list_hidden(novel, names, with_gender=with_gender)
    if not hidden:
        return model
    model = make_model()
    _fit(model, known + hidden, seed)
    return model


def _fit(model: ChoiceModel, instances: Sequence[Instance], seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(EPOCHS):
        model.update([instances[i] for i in random.permutation(len(instances)).tolist()])
