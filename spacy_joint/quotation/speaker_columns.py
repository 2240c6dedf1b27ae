"""Describes the candidates for the speaker of a turn, as columns of the engine.

Candidates are the characters that spoke in the last turns or speak next, and those mentioned around the turn. Columns
are small numbers; 0 stands for usual or unknown values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

import numpy as np

from ..annotation.quotations import Run
from ..engine.columns import Columns
from .attribution import INTRODUCING
from .cast import Cast, Reference
from .characters import Character
from .dialogue import find_word

# Candidates are mentioned this number of tokens around a turn, or spoke in this number of turns before it.
BEFORE, AFTER = 150, 40
MAX_TURNS = 4
MAX_CANDIDATES = 12
# A conversation ends where the next turn is more than this number of paragraphs later.
MAX_GAP = 4
# The next speaker is near within this number of paragraphs.
MAX_NEAR = 2
# Up to this number of tokens between turns count as hardly more than a cue.
MAX_NARRATION = 12
COLUMNS = (
    "cue",  # what mentions the speaker: 1 a pronoun, 2 a noun; if nothing does: 3 narration before the turn, 4 after it
    "gender",  # of the candidate, if the mention has one: 1 known, 2 unknown
    "ago",  # in how many turns the candidate spoke last, up to MAX_TURNS
    "narrated",  # since then: 1 other paragraphs, 2 hardly anything
    "often",  # whether it spoke in several of these turns
    "later",  # in how many turns it is named as the speaker, 1 or 2
    "acts_before",  # the last subject before the turn, in its paragraph
    "acts_after",  # the first one after it
    "beside",  # mentioned in the paragraph
    "since",  # since the turn before: 1 mentioned, 2 the last subject
    "inside",  # in the turn: 1 spoken of, 2 addressed
    "previous",  # in the turn before: 1 spoken of, 2 addressed
    "next",  # in the next one
    "beside_previous",  # mentioned beside the turn before, where another one spoke
    "role",  # 1 the narrator, 2 the mentioned noun itself, 3 another noun
    "antecedent",  # of the pronoun, by what narration says
    "place",  # among the latest mentioned in narration: 1 to 3
    "next_gender",  # the pronoun of the next speaker: 1 has the gender of the candidate, 2 another one
)

NOBODY: frozenset[Character] = frozenset()


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


def describe(
    cast: Cast, turns: Sequence[Turn], k: int, hidden: str | None = None
) -> tuple[list[Character], list[list[int]]]:
    """Finds the candidates of a turn, and their rows of COLUMNS. Earlier turns are decided. For learning, `hidden`
    replaces the mention of the speaker by a pronoun of this gender or, if it is "", by nothing."""
    turn = turns[k]
    mention = turn.mention if hidden is None else None
    gender = hidden or cast.find_gender(mention)
    noun = cast.find(*mention) if mention is not None and not gender else None
    gender = noun.gender if noun is not None else gender
    kind = 2 if noun is not None else 1 if gender else 0
    if mention is None and hidden is None:
        kind = _find_narration(cast, turn)
    # The speakers of earlier turns, the latest first; how many paragraphs later the next turn is; whether hardly more
    # than a cue is between these two; and the named speakers of the next two turns.
    earlier = _pair_near(turns[max(k - MAX_TURNS, 0) : k + 1][::-1], MAX_GAP)
    spoken = [before.character for _, before in earlier]
    gaps = [after.paragraph - before.paragraph for after, before in earlier]
    close = [after.begin - before.end <= MAX_NARRATION for after, before in earlier]
    following = [after.character if after.is_named else None for _, after in _pair_near(turns[k : k + 3], MAX_NEAR)]
    around = cast.list_references(max(turn.begin - BEFORE, 0), turn.end + AFTER)
    if hidden is not None and turn.mention is not None:
        around = [ref for ref in around if not turn.mention[0] <= ref.begin < turn.mention[1]]
    outside = [ref for ref in around if not cast.inside[ref.head]]
    quoted = [ref for ref in around if cast.inside[ref.head]]
    latest = list(dict.fromkeys(ref.character for ref in reversed(outside) if ref.begin < turn.begin))
    found = dict.fromkeys(filter(None, (*spoken, *following, *latest, *(ref.character for ref in around))))
    present = (character for character in found if character in cast.present)
    candidates = [character for character in present if not gender or character.gender in (None, gender)]
    latest = [character for character in latest if character in candidates]
    candidates = candidates[:MAX_CANDIDATES]
    # The references in this paragraph outside quotations, and those since the turn before.
    begin, end = cast.find_paragraph(turn.begin, turn.end)
    here = [ref for ref in outside if begin <= ref.begin < end]
    since = [ref for ref in outside if (turns[k - 1].end if k else 0) <= ref.begin < turn.begin]
    acting_before = [ref.character for ref in here if ref.begin < turn.begin and cast.is_subject[ref.head]]
    acting_after = [ref.character for ref in here if ref.begin >= turn.begin and cast.is_subject[ref.head]]
    acting_since = [ref.character for ref in since if cast.is_subject[ref.head]]
    beside, lately = _list_characters(here), _list_characters(since)
    inside, called = _find_quoted(cast, quoted, turn)
    previous, called_before, beside_previous = NOBODY, NOBODY, NOBODY
    if k:
        if gaps and gaps[0] <= MAX_NEAR:
            previous, called_before = _find_quoted(cast, quoted, turns[k - 1])
        begin, end = cast.find_paragraph(turns[k - 1].begin, turns[k - 1].end)
        beside_previous = _list_characters(ref for ref in outside if begin <= ref.begin < end)
    spoken_next, called_next, next_gender = NOBODY, NOBODY, None
    if following:
        after = turns[k + 1]
        spoken_next, called_next = _find_quoted(cast, cast.list_references(after.begin, after.end), after)
        next_gender = cast.find_gender(after.mention)
    antecedent = cast.antecedents.get(mention[0]) if mention is not None and kind == 1 else None
    rows = []
    for character in candidates:
        ago = spoken.index(character) + 1 if character in spoken else 0
        index = latest.index(character) + 1 if character in latest else 0
        rows.append(
            [
                kind,
                (1 if character.gender else 2) if gender else 0,
                ago,
                0 if not ago else 1 if sum(gaps[:ago]) > ago else 2 * all(close[:ago]),
                spoken.count(character) > 1,
                following.index(character) + 1 if character in following else 0,
                bool(acting_before) and acting_before[-1] is character,
                bool(acting_after) and acting_after[0] is character,
                character in beside,
                2 if acting_since and acting_since[-1] is character else character in lately,
                2 if character in called else character in inside,
                2 if character in called_before else character in previous,
                2 if character in called_next else character in spoken_next,
                character in beside_previous and ago != 1,
                1 if character is cast.narrator else 2 if character is noun else 3 * (character in cast.unnamed),
                character is antecedent,
                index if index <= 3 else 0,
                0 if not next_gender or not character.gender else 1 + (character.gender != next_gender),
            ]
        )
    return candidates, rows


def _find_narration(cast: Cast, turn: Turn) -> int:
    """Returns 3 if narration ends in a comma or colon before a turn, 4 if it continues after it, else 0."""
    if cast.words[find_word(cast.doc, turn.begin, -1)] in INTRODUCING:
        return 3
    after = cast.doc[turn.end : turn.end + 1].text
    return 4 * (after.isalpha() and after.islower())


def make_columns(names: Sequence[str], rows: Sequence[Sequence[int]]) -> Columns:
    """Makes the columns that templates read from the rows of `describe`."""
    indices = [COLUMNS.index(name) for name in names]
    return Columns(names, [[row[index] for index in indices] for row in rows] or np.zeros((0, len(names))))


def _list_characters(references: Iterable[Reference]) -> frozenset[Character]:
    return frozenset(ref.character for ref in references)


def _find_quoted(
    cast: Cast, references: Iterable[Reference], turn: Turn
) -> tuple[frozenset[Character], frozenset[Character]]:
    """Returns the characters mentioned in a turn, and those addressed in it."""
    found = [ref for ref in references if turn.begin <= ref.begin < turn.end]
    return _list_characters(found), _list_characters(filter(cast.is_vocative, found))


def _pair_near(turns: Sequence[Turn], max_gap: int) -> list[tuple[Turn, Turn]]:
    """Pairs each turn with the next one, until two are more than `max_gap` paragraphs apart."""
    return list(takewhile(lambda pair: abs(pair[0].paragraph - pair[1].paragraph) <= max_gap, pairwise(turns)))
