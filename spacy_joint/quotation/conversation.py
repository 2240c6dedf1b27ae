"""Who speaks in a conversation: the characters of direct quotations, whether they are named, meant by a pronoun, or not
mentioned at all.

A turn is what one character says in a paragraph. A log-linear model on the engine (`ChoiceModel`) chooses among the
candidates of a turn, which speaker_columns.py describes; turns are decided in order, so that each sees those before it.
The model is learnt by training/speakers.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc

from ..annotation.quotations import DIRECT, Run
from ..engine.choice_model import ChoiceModel
from .attribution import mark
from .characters import PRONOUNS, Cast, Character, Reference
from .speaker_columns import COLUMNS, MAX_NARRATION, Turn, describe, is_pronoun, make_columns

FOLDER = Path(__file__).parent
MODEL = "speaker_model.bin"
TABLE_BITS, AGGRESSIVENESS = 12, 0.05


class Attribution(NamedTuple):
    """The characters of quotations."""

    ids: list[str]  # of each quotation; empty if unknown
    confidences: list[float]
    references: list[tuple[int, int, str, str]]  # first token, end, character and gender of each mention, in order

    def move(self, move: Callable[[int, int], Run]) -> Attribution:
        """The same with the tokens of another document."""
        return self._replace(
            references=[(*move(begin, end), id_, gender) for begin, end, id_, gender in self.references]
        )


def find_characters(
    doc: Doc,
    starts: Sequence[int],
    runs: Sequence[Run],
    labels: Sequence[str],
    mentions: Sequence[Run | None],
    model: ChoiceModel | None = None,
) -> Attribution:
    """The characters of an English document's quotations, given the first words of paragraphs, the types of
    quotations and the mentions of their speakers; and where characters are mentioned. Without a model, that of the
    package is used."""
    cast, turns = find_turns(doc, starts, runs, labels, mentions)
    attribute(cast, turns, load_model() if model is None else model)
    found: list[tuple[Character | None, float]] = [(None, 0.0)] * len(runs)
    for turn in turns:
        for number in turn.runs:
            found[number] = turn.character, turn.confidence
        if turn.mention is not None and turn.character is not None and is_pronoun(cast, turn.mention):
            cast.references.setdefault(turn.mention[0], Reference(*turn.mention, turn.mention[0], turn.character))
    for k, mention in enumerate(mentions):
        if labels[k] != DIRECT and mention is not None:
            character = cast.find(*mention) or cast.antecedents.get(mention[0])
            found[k] = character, 0.0 if character is None else 1.0
            if character is not None and is_pronoun(cast, mention):
                cast.references.setdefault(mention[0], Reference(*mention, mention[0], character))
    ids = _name_characters(cast)
    references = [reference for _, reference in sorted(cast.references.items())]
    return Attribution(
        ["" if character is None else ids[character] for character, _ in found],
        [round(confidence, 3) if character is not None else 0.0 for character, confidence in found],
        [(ref.begin, ref.end, ids[ref.character], ref.character.gender or "") for ref in references],
    )


def _name_characters(cast: Cast) -> dict[Character, str]:
    """Ids of characters: their fullest names, with a number if an earlier one has the same."""
    ids: dict[Character, str] = {}
    used: Counter[str] = Counter()
    for character in cast.characters:
        name = character.make_id()
        used[name] += 1
        ids[character] = name if used[name] == 1 else f"{name} ({used[name]})"
    return ids


def find_turns(
    doc: Doc, starts: Sequence[int], runs: Sequence[Run], labels: Sequence[str], mentions: Sequence[Run | None]
) -> tuple[Cast, list[Turn]]:
    """The characters of a document and the turns of its direct quotations: see `find_characters`."""
    spans = [doc[begin:end] for begin, end in sorted({mention for mention in mentions if mention is not None})]
    cast = Cast(doc, mark(doc, runs), spans, starts)
    turns: list[Turn] = []
    has_paragraphs = len(starts) > 1
    number = 0
    for k, ((begin, end), label, mention) in enumerate(zip(runs, labels, mentions, strict=True)):
        if label != DIRECT:
            continue
        last = turns[-1] if turns else None
        if has_paragraphs:
            number = bisect_right(starts, begin)
        elif last is not None:
            between = sum(word[:1].isalnum() for word in cast.words[last.end : begin])
            number += (between == 0) + 2 * (between > MAX_NARRATION)
        same = last is not None and last.paragraph == number
        if last is not None and same and (None in (last.mention, mention) or _are_same(cast, last.mention, mention)):
            last.runs.append(k)
            last.end = end
            if last.mention is None or (mention is not None and not _is_known(cast, last.mention)):
                last.mention = mention or last.mention
        else:
            turns.append(Turn([k], begin, end, number, mention))
    return cast, turns


def _is_known(cast: Cast, mention: Run) -> bool:
    return is_pronoun(cast, mention) or cast.find(*mention) is not None


def _are_same(cast: Cast, mention: Run | None, other: Run | None) -> bool:
    """Whether two mentions in a paragraph may be the same character: a pronoun may follow a name of its gender."""
    if mention is None or other is None or mention == other:
        return True
    if is_pronoun(cast, mention):
        return is_pronoun(cast, other) and PRONOUNS[cast.words[mention[0]]] == PRONOUNS[cast.words[other[0]]]
    found = cast.find(*mention)
    if is_pronoun(cast, other):
        return found is not None and found.gender in (None, PRONOUNS[cast.words[other[0]]])
    return found is cast.find(*other)


def attribute(cast: Cast, turns: Sequence[Turn], model: ChoiceModel) -> None:
    """Finds the characters of turns, with confidences from 0 to 1."""
    name_speakers(cast, turns)
    for k, turn in enumerate(turns):
        if is_open(cast, turn):
            candidates, rows = describe(cast, turns, k)
            if candidates:
                shares = model.choose(make_columns(model.templates.columns, rows))[:-1]
                best = int(shares.argmax())
                turn.character, turn.confidence = candidates[best], float(shares[best])


def name_speakers(cast: Cast, turns: Sequence[Turn]) -> None:
    """Finds the characters of turns with a mention that is not a pronoun."""
    for turn in turns:
        turn.character = cast.find(*turn.mention) if turn.mention is not None else None
        turn.is_named = turn.character is not None and turn.character not in cast.unnamed
        turn.confidence = 1.0 if turn.is_named else 0.0


def is_open(cast: Cast, turn: Turn) -> bool:
    """Whether the character of a turn is to be chosen among candidates: no name is beside it."""
    return not turn.is_named and (turn.mention is None or cast.is_singular(*turn.mention))


def make_model() -> ChoiceModel:
    """A model of speakers that has learnt nothing."""
    templates = (FOLDER / "speaker_templates.txt").read_text(encoding="utf8")
    return ChoiceModel(templates, COLUMNS, table_bits=TABLE_BITS, aggressiveness=AGGRESSIVENESS)


@cache
def load_model() -> ChoiceModel:
    """The model of speakers that comes with the package."""
    path = FOLDER / MODEL
    model = make_model()
    model.from_bytes(path.read_bytes(), str(path))
    return model
