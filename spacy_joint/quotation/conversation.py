"""Finds who speaks in a conversation: the characters of direct quotations, whether a name, a pronoun or nothing at all
mentions them.

A turn is what one character says in a paragraph. A log-linear model on the engine (`ChoiceModel`) chooses among the
candidates of a turn, which speaker_columns.py describes. Beam search finds the speakers of all turns in order: each
decision sees those before it, and a later name decides between guesses. training/speakers.py trains the model.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import log
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc

from ..annotation.quotations import DIRECT, Run
from ..engine.choice_model import ChoiceModel
from .attribution import OPEN, find_last, mark_tokens
from .cast import INDEFINITE, Cast, Reference
from .characters import Character
from .names import read_names
from .speaker_columns import (
    BEFORE,
    COLUMNS,
    MAX_GAP,
    MAX_NARRATION,
    MAX_NEAR,
    MAX_TURNS,
    Turn,
    describe,
    make_columns,
)

FOLDER = Path(__file__).parent
MODEL = "speaker_model.bin"
TABLE_BITS, AGGRESSIVENESS = 12, 0.05
BEAM_WIDTH = 8
ASKING, ADDRESSES = frozenset("?!"), frozenset(("you", "your"))
# The lowest probability of a decision: the model can be wrong.
MIN_PROBABILITY = 1e-3
# A character is the same as a speaker if others call it this often beside the speaker's turns, beside at least this
# share of them, and this many times as often as the two speak to each other.
MIN_CALLS, MIN_CALLED, MIN_RATIO = 3, 0.2, 4


class Attribution(NamedTuple):
    """The characters of quotations."""

    ids: list[str]  # of each quotation; empty if unknown
    confidences: list[float]
    references: list[tuple[int, int, str, str]]  # first token, end, character and gender of each mention, in order

    def move(self, move: Callable[[int, int], Run]) -> Attribution:
        """Returns the attribution with the tokens of another document."""
        return self._replace(
            references=[(*move(begin, end), id_, gender) for begin, end, id_, gender in self.references]
        )


def find_characters(
    cast: Cast, turns: Sequence[Turn], labels: Sequence[str], mentions: Sequence[Run | None], model: ChoiceModel | None
) -> Attribution:
    """Finds the characters of quotations, and where they are mentioned, given the turns of `find_turns`, and the types
    and mentioned speakers of quotations. Without a model, uses the package's."""
    attribute(cast, turns, load_model() if model is None else model)
    found: list[tuple[Character | None, float]] = [(None, 0.0)] * len(labels)
    for turn in turns:
        for number in turn.runs:
            found[number] = turn.character, turn.confidence
    for k, mention in enumerate(mentions):
        if labels[k] != DIRECT and mention is not None:
            character = cast.find(*mention) or cast.antecedents.get(mention[0])
            found[k] = character, float(character is not None)
        character = found[k][0]
        if mention is not None and character is not None and cast.find_gender(mention):
            cast.references.setdefault(mention[0], Reference(*mention, mention[0], character))
    ids = _name_characters(cast)
    references = [reference for _, reference in sorted(cast.references.items())]
    return Attribution(
        ["" if character is None else ids[character] for character, _ in found],
        [round(confidence, 3) for _, confidence in found],
        [(ref.begin, ref.end, ids[ref.character], ref.character.gender or "") for ref in references],
    )


def _name_characters(cast: Cast) -> dict[Character, str]:
    """Returns the ids of characters: their fullest names, with a number if an earlier one has the same."""
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
    """Finds the characters of an English document and the turns of its direct quotations, given the first words of
    paragraphs, and the types and mentioned speakers of quotations."""
    spans = [doc[begin:end] for begin, end in sorted({mention for mention in mentions if mention is not None})]
    cast = Cast(doc, mark_tokens(doc, runs), spans, starts)
    turns: list[Turn] = []
    has_paragraphs = len(starts) > 1
    is_news = has_paragraphs and is_report(cast, runs, labels)
    number = 0
    # The paragraph of the latest quotation, and its speaker if it is indirect.
    latest: tuple[int, Run | None] = -1, None
    for k, ((begin, end), label, mention) in enumerate(zip(runs, labels, mentions, strict=True)):
        last = turns[-1] if turns else None
        if has_paragraphs:
            number = bisect_right(starts, begin)
        is_thing = mention is not None and doc[slice(*mention)].root.lower_ in read_names().things
        if label != DIRECT or is_thing or (is_news and mention is not None and not cast.may_speak(*mention)):
            latest = (number, mention) if mention is not None else latest
            continue
        if mention is not None and not cast.may_speak(*mention):
            mention = None
        if is_news and mention is None and number - latest[0] == 1 and cast.is_paragraph(begin, end):
            mention = latest[1]
            if last is not None and mention is None:
                # The previous turn continues.
                last.paragraph = number
        near: list[Reference] = []
        if is_news and mention is None and (last is None or last.paragraph != number):
            # Who acts before the quotation: Asked about it, she shrugged. "..."
            near = cast.list_references(starts[number - 1], begin)
        elif has_paragraphs and mention is None and find_last(doc, begin, end) in OPEN and end not in starts:
            # A name after it: "Look!" Ann was running.
            near = [ref for ref in cast.list_references(end, end + 1) if doc[end].tag_ == "NNP"]
        if acting := [ref for ref in near if cast.is_subject[ref.head] and not cast.inside[ref.head]]:
            mention = (acting[-1].begin, acting[-1].end)
        if is_news and mention is not None and mention[0] in cast.antecedents:
            # In news, pronouns refer to the last person named; in a conversation, to anyone there.
            cast.references[mention[0]] = Reference(*mention, mention[0], cast.antecedents[mention[0]])
        latest = number, None
        if not has_paragraphs and last is not None:
            between = sum(word[:1].isalnum() for word in cast.words[last.end : begin])
            number += (between == 0) + 2 * (between > MAX_NARRATION)
        if last is not None and last.paragraph == number and _may_corefer(cast, last.mention, mention):
            last.runs.append(k)
            last.end = end
            last.mention = last.mention or mention
        else:
            turns.append(Turn([k], begin, end, number, mention))
    _join_called(cast, turns)
    return cast, turns


def _join_called(cast: Cast, turns: Sequence[Turn]) -> None:
    """Joins a speaker and another character if others call the one beside many turns of the other, and the two hardly
    ever speak to each other: "the Jew" speaks, and Sikes calls him Fagin."""
    name_speakers(cast, turns)
    spoken = Counter(turn.character for turn in turns)
    met: Counter[frozenset[Character]] = Counter()
    calls: Counter[tuple[Character, Character]] = Counter()
    for turn, following in pairwise(turns):
        first, second = turn.character, following.character
        if first is None or second is None or following.paragraph - turn.paragraph > MAX_NEAR:
            continue
        met[frozenset((first, second))] += 1
        for caller, other, speaker in ((turn, following, second), (following, turn, first)):
            if other.mention is not None:
                inside = cast.list_references(caller.begin, caller.end)
                called = dict.fromkeys(ref.character for ref in inside if cast.is_vocative(ref))
                calls.update((character, speaker) for character in called)
    for (character, speaker), count in calls.most_common():
        are_known = character is not speaker and character in cast.characters and speaker in cast.characters
        may_be_one = are_known and len({character.gender, speaker.gender} - {None}) < 2
        least = max(MIN_CALLS, MIN_CALLED * spoken[speaker], MIN_RATIO * met[frozenset((character, speaker))])
        if may_be_one and character not in cast.unnamed and count >= least:
            cast.join(character, speaker)


def is_report(cast: Cast, runs: Sequence[Run], labels: Sequence[str]) -> bool:
    """Returns whether a text reports what people said, as news does: it has much indirect speech, and few quotations
    ask, exclaim or say "you". A paragraph of speech without a cue continues the quotation before it in a report, and
    answers it in a story. The weights were chosen on 202 news articles and 186 passages of novels."""
    direct = [cast.words[begin:end] for (begin, end), label in zip(runs, labels, strict=True) if label == DIRECT]
    n_asking = sum(not ASKING.isdisjoint("".join(words[-2:])) for words in direct)
    n_addressing = sum(not ADDRESSES.isdisjoint(words) for words in direct)
    return len(direct) + 2 * (len(runs) - len(direct)) > 6 * (n_asking + n_addressing)


def _may_corefer(cast: Cast, mention: Run | None, other: Run | None) -> bool:
    """Returns whether two mentions in a paragraph can be one character: a pronoun can follow a name of its gender."""
    if mention is None or other is None:
        return True
    gender, other_gender = cast.find_gender(mention), cast.find_gender(other)
    if gender:
        return gender == other_gender
    found = cast.find(*mention)
    if other_gender:
        return found is not None and found is not cast.narrator and found.gender in (None, other_gender)
    return found is cast.find(*other)


class Hypothesis(NamedTuple):
    """Decisions about the turns so far: their log-probability, the characters of the last MAX_TURNS turns, and the last
    decision."""

    score: float
    recent: tuple[Character | None, ...]
    character: Character | None
    confidence: float
    before: Hypothesis | None


def attribute(cast: Cast, turns: Sequence[Turn], model: ChoiceModel) -> None:
    """Finds the characters of turns, with confidences from 0 to 1, by beam search. The score of a hypothesis includes
    the probabilities of named speakers, as if their names were hidden."""
    name_speakers(cast, turns)
    named = [(turn.character, turn.confidence) for turn in turns]
    hypotheses = [Hypothesis(0.0, (), None, 0.0, None)]
    for k, turn in enumerate(turns):
        is_same_conversation = k > 0 and turn.paragraph - turns[k - 1].paragraph <= MAX_GAP
        followers: dict[tuple[Character | None, ...], Hypothesis] = {}
        for hypothesis in hypotheses:
            for at, character in enumerate(hypothesis.recent, k - len(hypothesis.recent)):
                turns[at].character = character
            recent = hypothesis.recent if is_same_conversation else ()
            turn.character, turn.confidence = named[k]
            for character, confidence, probability in _choose(cast, turns, k, model, is_only=len(hypotheses) == 1):
                key = (*recent, character)[-MAX_TURNS:]
                score = hypothesis.score + log(max(probability, MIN_PROBABILITY))
                if key not in followers or followers[key].score < score:
                    followers[key] = Hypothesis(score, key, character, confidence, hypothesis)
        hypotheses = sorted(followers.values(), key=lambda follower: -follower.score)[:BEAM_WIDTH]
    last: Hypothesis | None = hypotheses[0]
    for turn in reversed(turns):
        assert last is not None
        turn.character, turn.confidence, last = last.character, last.confidence, last.before


def _choose(
    cast: Cast, turns: Sequence[Turn], k: int, model: ChoiceModel, *, is_only: bool
) -> Iterator[tuple[Character | None, float, float]]:
    """Yields the most probable characters of a turn, with confidences and probabilities; for a turn with a name, only
    its character, with the probability if the name were hidden (1 if there is only one hypothesis)."""
    turn = turns[k]
    is_guessed = is_open(cast, turn) and not is_indefinite(cast, turn)
    # A character without earlier mentions cannot be predicted.
    is_new = turn.character is not None and turn.mention is not None and turn.character.first >= turn.mention[0]
    if not is_guessed and (is_only or is_new or not turn.is_named):
        yield turn.character, turn.confidence, 1.0
        return
    candidates, rows = describe(cast, turns, k, None if is_guessed else "")
    *found, nobody = model.choose(make_columns(model.templates.columns, rows)).tolist() if candidates else [1.0]
    shares: dict[Character | None, float] = dict(zip(candidates, found, strict=True))
    if not is_guessed:
        yield turn.character, turn.confidence, shares.get(turn.character, nobody)
        return
    if turn.mention is not None:
        # "He" and "my friend" are not "I".
        candidates = [candidate for candidate in candidates if candidate is not cast.narrator]
    if not candidates:
        yield None, 0.0, 1.0
    for character in sorted(candidates, key=lambda candidate: -shares[candidate])[:BEAM_WIDTH]:
        yield character, shares[character], shares[character]


def name_speakers(cast: Cast, turns: Sequence[Turn]) -> None:
    """Finds the characters of turns whose mention is not a pronoun."""
    for turn in turns:
        turn.character = cast.find(*turn.mention) if turn.mention is not None else None
        is_unnamed = turn.character in cast.unnamed and not _is_introduced(cast, turn)
        turn.is_named = turn.character is not None and not is_unnamed
        turn.confidence = float(turn.is_named or (turn.character is not None and is_indefinite(cast, turn)))


def _is_introduced(cast: Cast, turn: Turn) -> bool:
    """Returns whether a mention repeats a new one just before: "a clerk said ...; the clerk said"."""
    begin = turn.mention[0] if turn.mention is not None else 0
    before = cast.list_references(max(begin - BEFORE, 0), begin)
    return any(cast.words[each.begin] in INDEFINITE for each in before if each.character is turn.character)


def is_indefinite(cast: Cast, turn: Turn) -> bool:
    """Returns whether the mention of a turn is somebody new: "a man"."""
    return turn.mention is not None and cast.words[turn.mention[0]] in INDEFINITE


def is_open(cast: Cast, turn: Turn) -> bool:
    """Returns whether to choose the character of a turn among candidates: no name is beside it."""
    return not turn.is_named and (turn.mention is None or cast.is_one_person(*turn.mention))


def make_model() -> ChoiceModel:
    """Makes an untrained model of speakers."""
    templates = (FOLDER / "speaker_templates.txt").read_text(encoding="utf8")
    return ChoiceModel(templates, COLUMNS, table_bits=TABLE_BITS, aggressiveness=AGGRESSIVENESS)


@cache
def load_model() -> ChoiceModel:
    """Loads the model of speakers of the package."""
    path = FOLDER / MODEL
    model = make_model()
    model.from_bytes(path.read_bytes(), str(path))
    return model
