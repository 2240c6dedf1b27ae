"""Learns who speaks in conversations from novels with annotated speakers.

LitBank annotates excerpts without paragraphs, so each quotation that follows another one, or more than a sentence of
narration, starts a paragraph. A file of labels, with places in the text instead of the text itself, has the speakers of
whole novels. Learning hides the names beside quotations.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import srsly
from spacy.language import Language
from spacy.tokens import Doc

from ..annotation.quotations import DIRECT, QUOTATIONS, Run
from ..engine.choice_model import ChoiceModel
from ..engine.columns import Columns
from ..errors import Errors, JointValueError
from ..files.reading import read_text
from ..quotation.attribution import find_mentions
from ..quotation.cast import Cast
from ..quotation.conversation import find_turns, is_open, make_model, name_speakers
from ..quotation.layout import find_paragraph_starts, unwrap
from ..quotation.marks import find_marking
from ..quotation.rules import find_rule_cues
from ..quotation.speaker_columns import MAX_NARRATION, Turn, describe, make_columns
from ..scoring.speakers import Gold, are_same

# The columns of the candidates of a turn, and the indices of the correct ones.
Instance = tuple[Columns, list[int]]
EPOCHS = 10
# The speakers of a novel: all their names, by the first character and the end of each quotation.
Labels = Mapping[tuple[int, int], Gold]


class Novel(NamedTuple):
    """A novel with the gold characters of its quotations, empty if unknown."""

    speakers: Sequence[Gold]
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
    indices = []
    for token in gold:
        words += ["\n\n"] * (token.i in cuts)
        indices.append(len(words))
        words.append(token.text)
    doc = nlp(Doc(nlp.vocab, words=words))
    runs = [(indices[span.start], indices[span.end - 1] + 1) for span in spans]
    marking = find_marking(doc, single_quotes=True)
    mentions = find_mentions(doc, marking.starts, runs, runs, find_rule_cues(doc, marking)).list_speakers()
    turns = find_turns(doc, marking.starts, runs, [DIRECT] * len(runs), mentions)
    return Novel([span.kb_id_ for span in spans], mentions, *turns)


def read_labels(path: Path) -> dict[str, Labels]:
    """Reads the labels of novels, by name: JSON such as `{"Emma": {"characters": {"Harriet Smith": ["Harriet", ...]},
    "quotations": [[1203, 1256, "Harriet Smith"], ...]}}`, with the first character of each quotation in the text and
    its end. RAISES ValueError: If the file is not such JSON (J332)."""
    text = read_text(path)
    try:
        return {
            name: {
                (begin, end): frozenset(map(str.lower, (speaker, *novel["characters"][speaker])))
                for begin, end, speaker in novel["quotations"]
            }
            for name, novel in srsly.json_loads(text).items()
        }
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise JointValueError(Errors.J332, path=path, reason=error) from error


def read_labelled(doc: Doc, labels: Labels, finder: Any, name: str) -> Novel:
    """Finds the turns of a tagged and parsed novel by a `quotation_spans`. Ignores labels of quotations that it does
    not find. RAISES ValueError: If it finds less than half, as with another edition of the novel (J333)."""
    plain, tokens = unwrap(doc, ())
    found = finder.predict_doc(plain)
    mentions = found.mentions.list_speakers()
    spans = (doc[tokens[begin] : tokens[end - 1] + 1] for begin, end in found.runs)
    speakers = [labels.get((span.start_char, span.end_char), "") for span in spans]
    if 2 * sum(map(bool, speakers)) < len(labels):
        raise JointValueError(Errors.J333, name=name)
    turns = find_turns(plain, find_paragraph_starts(plain), found.runs, found.labels, mentions)
    return Novel(speakers, mentions, *turns)


def list_instances(novel: Novel, names: Sequence[str]) -> Iterator[Instance]:
    """Yields instances of turns with known speakers. Later turns see the gold speaker, if it is a candidate."""
    name_speakers(novel.cast, novel.turns)
    for k, turn in enumerate(novel.turns):
        gold = next((novel.speakers[run] for run in turn.runs if novel.speakers[run]), "")
        if gold and (turn.is_named or is_open(novel.cast, turn)):
            candidates, rows = describe(novel.cast, novel.turns, k, "" if turn.is_named else None)
            correct = [i for i, candidate in enumerate(candidates) if are_same(gold, candidate)]
            yield make_columns(names, rows), correct
            if not turn.is_named:
                turn.character = candidates[correct[0]] if correct else None


def learn_speakers(novels: Sequence[Novel], *, seed: int = 0) -> ChoiceModel:
    """Learns a model of speakers; equal seeds give equal bytes. RAISES ValueError: If no speaker is known (J330)."""
    model = make_model()
    names = model.templates.columns
    instances = [instance for novel in novels for instance in list_instances(novel, names)]
    if not instances:
        raise JointValueError(Errors.J330, source="The corpus", what="quotations with annotated speakers")
    random = np.random.default_rng(seed)
    for _ in range(EPOCHS):
        model.update([instances[i] for i in random.permutation(len(instances)).tolist()])
    return model
