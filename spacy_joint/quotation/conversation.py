"""Who speaks in a conversation: the characters of direct quotations, whether they are named, meant by a pronoun, or not
mentioned at all.

A turn is what one character says in a paragraph. The candidates of a turn are the characters around it. Each is
described by features: whether it has spoken one turn ago or two, acts or is mentioned beside the quotation, is
addressed in it ("Oh, Emma!") or in the turn before, or is named as a speaker right after it. The weights of
`WEIGHTS` rank candidates; turns are decided in order, so that each sees those before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc

from ..annotation.quotations import DIRECT
from .characters import PRONOUNS, Cast, Character, Reference
from .layout import find_paragraph_starts

Run = tuple[int, int]
# The candidates of a turn are mentioned in so many tokens around it, or spoke in so many turns before it.
BEFORE, AFTER = 150, 40
MAX_TURNS = 4
MAX_CANDIDATES = 12
# A conversation ends where so many paragraphs have no quotation.
MAX_GAP = 4
# Between two parts of a turn, where there are no paragraphs.
MAX_NARRATION = 12


@dataclass
class Turn:
    """Consecutive direct quotations of one character."""

    runs: list[int]  # numbers of quotations
    begin: int
    end: int
    paragraph: int
    mention: Run | None = None  # of the speaker
    character: Character | None = None
    confidence: float = 0.0
    is_named: bool = False


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
    doc: Doc, runs: Sequence[Run], labels: Sequence[str], mentions: Sequence[Run | None], inside: np.ndarray
) -> Attribution:
    """The characters of an English document's quotations, given their types and the mentions of their speakers, and
    where characters are mentioned. `inside` says which tokens are quoted (bool)."""
    starts = find_paragraph_starts(doc)
    spans = [doc[begin:end] for begin, end in sorted({mention for mention in mentions if mention is not None})]
    cast = Cast(doc, inside, spans, starts)
    direct = [k for k, label in enumerate(labels) if label == DIRECT]
    turns = find_turns(cast, [runs[k] for k in direct], [mentions[k] for k in direct], starts)
    attribute(cast, turns)
    found: list[tuple[Character | None, float]] = [(None, 0.0)] * len(runs)
    for turn in turns:
        for number in turn.runs:
            found[direct[number]] = turn.character, turn.confidence
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


def find_turns(cast: Cast, runs: Sequence[Run], mentions: Sequence[Run | None], starts: Sequence[int]) -> list[Turn]:
    """The turns of direct quotations, given the mentions of their speakers and the first tokens of paragraphs."""
    turns: list[Turn] = []
    has_paragraphs = len(starts) > 1
    number = 0
    for k, ((begin, end), mention) in enumerate(zip(runs, mentions, strict=True)):
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
    return turns


def _is_known(cast: Cast, mention: Run) -> bool:
    return is_pronoun(cast, mention) or cast.find(*mention) is not None


def _are_same(cast: Cast, mention: Run | None, other: Run | None) -> bool:
    """Whether two mentions in a paragraph may be the same character: pronouns refer to what is there."""
    if mention is None or other is None or mention == other:
        return True
    found = [cast.find(*one) for one in (mention, other)]
    return found[0] is found[1] or (None in found and (found[0] is None) != (found[1] is None))


def attribute(cast: Cast, turns: Sequence[Turn], weights: Mapping[str, float] | None = None) -> None:
    """Finds the characters of turns, with confidences from 0 to 1."""
    weights = read_weights() if weights is None else weights
    for turn in turns:
        if turn.mention is not None:
            turn.character = cast.find(*turn.mention)
            turn.is_named = turn.character is not None and turn.character not in cast.unnamed
            turn.confidence = 1.0 if turn.is_named else 0.0
    for k, turn in enumerate(turns):
        if not is_open(cast, turn):
            continue
        candidates = list(describe(cast, turns, k))
        scores = [sum(weights.get(feature, 0.0) for feature in features) for _, features in candidates]
        if not scores:
            continue
        best = max(range(len(scores)), key=scores.__getitem__)
        turn.character = candidates[best][0]
        # An absent candidate has the score 0.
        turn.confidence = 1 / (exp(-scores[best]) + sum(exp(score - scores[best]) for score in scores))


def is_open(cast: Cast, turn: Turn) -> bool:
    """Whether the character of a turn is to be chosen among candidates: no name is beside it."""
    if turn.mention is None or is_pronoun(cast, turn.mention):
        return not turn.is_named
    return turn.character is not None and not turn.is_named


def is_pronoun(cast: Cast, mention: Run) -> bool:
    """Whether a mention is he or she."""
    return any(cast.words[i] in PRONOUNS for i in range(*mention)) and mention[1] - mention[0] == 1


def describe(
    cast: Cast, turns: Sequence[Turn], k: int, hidden: tuple[Run, str] | None = None
) -> Iterator[tuple[Character, list[str]]]:
    """The candidates of a turn with their features. Turns before it are decided. For learning, a mention of the speaker
    can be hidden: with its gender, as if it were a pronoun, or "", as if there were none."""
    turn = turns[k]
    noun: Character | None = None
    gender: str | None = None
    if hidden is not None:
        gender = hidden[1]
    elif turn.mention is not None and is_pronoun(cast, turn.mention):
        gender = PRONOUNS[cast.words[turn.mention[0]]]
    elif turn.mention is not None:
        noun = cast.find(*turn.mention)
        gender = noun.gender if noun is not None else None
    prefix = "noun " if noun is not None else "pronoun " if gender else ""
    spoken, gaps, close = _list_earlier(turns, k)
    following = _list_following(turns, k)
    first = max(turn.begin - BEFORE, 0)
    around = cast.list_references(first, turn.end + AFTER)
    if hidden is not None:
        around = [ref for ref in around if not hidden[0][0] <= ref.begin < hidden[0][1]]
    order: dict[Character, list[str]] = {}
    for character in spoken:
        if character is not None:
            order.setdefault(character, [])
    for character in following:
        if character is not None:
            order.setdefault(character, [])
    outside = [reference for reference in around if not cast.inside[reference.head]]
    latest = list(dict.fromkeys(ref.character for ref in reversed(outside) if ref.begin < turn.begin))
    for character in (*latest, *(ref.character for ref in around)):
        order.setdefault(character, [])
    if gender:
        order = {character: found for character, found in order.items() if character.gender in (None, gender)}
    # The words of this paragraph outside of quotations, and those since the turn before.
    begin, end = cast.find_paragraph(turn.begin, turn.end)
    before = turns[k - 1].end if k else 0
    here = [ref for ref in outside if begin <= ref.begin < end]
    since = [ref for ref in outside if before <= ref.begin < turn.begin]
    subjects_before = [ref.character for ref in here if ref.begin < turn.begin and cast.is_subject[ref.head]]
    subjects_after = [ref.character for ref in here if ref.begin >= turn.begin and cast.is_subject[ref.head]]
    mentioned = {ref.character for ref in here}
    acting_since = [ref.character for ref in since if cast.is_subject[ref.head]]
    quoted = [ref for ref in around if cast.inside[ref.head]]
    inside = {ref.character for ref in quoted if turn.begin <= ref.begin < turn.end}
    called = {ref.character for ref in quoted if turn.begin <= ref.begin < turn.end and cast.is_vocative(ref)}
    previous: set[Character] = set()
    called_before: set[Character] = set()
    if k and gaps and gaps[0] <= 2:
        quoted_before = [ref for ref in quoted if turns[k - 1].begin <= ref.begin < turns[k - 1].end]
        previous = {ref.character for ref in quoted_before}
        called_before = {ref.character for ref in quoted_before if cast.is_vocative(ref)}
    beside_previous: set[Character] = set()
    if k:
        at = cast.find_paragraph(turns[k - 1].begin, turns[k - 1].end)
        beside_previous = {ref.character for ref in outside if at[0] <= ref.begin < at[1]}
    ranked = [character for character in latest if character in order]
    called_next: set[Character] = set()
    if following and following[0] is not None:
        nxt = turns[k + 1]
        refs = cast.list_references(nxt.begin, nxt.end)
        called_next = {ref.character for ref in refs if cast.is_vocative(ref)}
    for character in list(order)[:MAX_CANDIDATES]:
        features = ["bias"]
        if gender:
            features.append("gender known" if character.gender else "gender unknown")
        if character in spoken:
            ago = spoken.index(character)
            how = " apart" if sum(gaps[: ago + 1]) > ago + 1 else " close" if all(close[: ago + 1]) else ""
            features.append(f"{ago + 1} ago{how}")
            if spoken.count(character) > 1:
                features.append("often")
        else:
            features.append("silent")
        for number, other in enumerate(following):
            if other is character:
                features.append(f"{number + 1} later")
        if subjects_before and subjects_before[-1] is character:
            features.append("acts before")
        if subjects_after and subjects_after[0] is character:
            features.append("acts after")
        if character in mentioned:
            features.append("beside")
        if acting_since and acting_since[-1] is character:
            features.append("acts since")
        if any(ref.character is character for ref in since):
            features.append("since")
        if character in called:
            features.append("called")
        elif character in inside:
            features.append("spoken of")
        if character in called_before:
            features.append("called before")
        elif character in previous:
            features.append("spoken of before")
        if character in called_next:
            features.append("called next")
        if character in beside_previous and not (spoken and spoken[0] is character):
            features.append("beside previous")
        if character is cast.narrator:
            features.append("narrator")
        if character is noun:
            features.append("itself")
        elif character in cast.unnamed:
            features.append("unnamed")
        if (
            gender
            and hidden is None
            and turn.mention is not None
            and cast.antecedents.get(turn.mention[0]) is character
        ):
            features.append("antecedent")
        place = ranked.index(character) if character in ranked else 9
        features.append(f"mentioned {place}" if place < 3 else "mentioned earlier")
        yield character, [prefix + feature for feature in features]


def _list_earlier(turns: Sequence[Turn], k: int) -> tuple[list[Character | None], list[int], list[bool]]:
    """The speakers of the turns before one in its conversation, latest first; the paragraphs to the next turn of each,
    and whether hardly more than a cue is between them."""
    speakers: list[Character | None] = []
    gaps: list[int] = []
    close: list[bool] = []
    for at in range(k - 1, max(k - 1 - MAX_TURNS, -1), -1):
        gap = turns[at + 1].paragraph - turns[at].paragraph
        if gap > MAX_GAP:
            break
        speakers.append(turns[at].character)
        gaps.append(gap)
        close.append(turns[at + 1].begin - turns[at].end <= MAX_NARRATION)
    return speakers, gaps, close


def _list_following(turns: Sequence[Turn], k: int) -> list[Character | None]:
    """The named speakers of the next two turns, if they follow in paragraphs close by."""
    found: list[Character | None] = []
    for at in range(k + 1, min(k + 3, len(turns))):
        if turns[at].paragraph - turns[at - 1].paragraph > 2:
            break
        found.append(turns[at].character if turns[at].is_named else None)
    return found


@cache
def read_weights() -> dict[str, float]:
    """The weight of each feature."""
    lines = (Path(__file__).parent / "speaker_weights.txt").read_text(encoding="utf8").splitlines()
    pairs = (line.rsplit(None, 1) for line in lines if line and not line.startswith("#"))
    return {feature: float(weight) for feature, weight in pairs}
